# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of activations.md: activations and their second moments over depth."""

import numpy as np

from . import formulas
from .kernels import run
from .svg import Axis, Chart

ALL = ["relu", "elu", "selu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "softplus"]
DEEP = ["relu", "gelu", "silu", "tanh", "sigmoid"]
LAYERS = 32


def measure():
    data = {"moment": run("activations", "moment")[0], "plain": {}, "unit": {}, "centered": {}, "cosine": {}}
    for f in DEEP:
        replace = [(f"activation gelu{rest}", f"activation {f}{rest}") for rest in (" %ha", " unit", " centered")]
        moment, cosine = run("activations", "depth", replace=replace)
        data["plain"][f], data["unit"][f], data["centered"][f] = moment.T
        # Beside rounding errors a cosine of 0.001 means nothing.
        data["cosine"][f] = cosine[:, 1:].T.round(4)
    data["solved"] = run("activations", "solved")[0]
    return data


def draw(data):
    layers, shown = np.arange(LAYERS + 1), np.r_[0:5, 6 : LAYERS + 1 : 2]
    markers = ["circle", "square", "diamond", "triangle", "circle"]
    x = lambda: Axis("layer l", 0, LAYERS)
    plain = Chart("Weights of variance 1/m, f as it is", x(), Axis("mean square of x_l", 1e-12, 10, log=True))
    unit = Chart("The same with unit_moment", x(), Axis("mean square of x_l", 0.1, 100, log=True))
    cosine = Chart("Do two inputs stay apart?", x(), Axis("cosine of two inputs that started with 0", -0.25, 1))
    for color, (f, marker) in enumerate(zip(DEEP, markers)):
        gain = formulas.moments(f)[1] ** -0.5
        line = (layers, formulas.moment_over_depth(f, LAYERS))
        plain.series(f, color, marker, (shown, np.array(data["plain"][f])[shown]), line)
        unit.points(shown, np.array(data["unit"][f])[shown], f"{f}, gain {gain:.3f}", color, marker)
        cosine.points(shown, np.array(data["cosine"][f])[0, shown], f"{f}, unit_moment", color, marker)
    unit.line(layers, 0 * layers + 1, "1", 5, "dash")
    unit.points(shown, np.array(data["solved"])[shown], "gelu, solved weights", 6, "diamond")
    cosine.points(shown, np.array(data["cosine"]["sigmoid"])[1, shown], "sigmoid, centered too", 6, "diamond")
    plain.note("points: measured")
    plain.note("lines: E f² by integration")
    return {"activations-plain": plain, "activations-unit": unit, "activations-cosine": cosine}
