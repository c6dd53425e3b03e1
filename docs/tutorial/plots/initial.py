# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of initial.md: where initial weights lie, and what layers make of them."""

import math

import numpy as np

from .kernels import run
from .svg import Axis, Chart

EDGES = np.linspace(-3.5, 3.5, 57)


def measure():
    draws = run("initial", "draws")[:3]
    density = [np.histogram(draw, EDGES)[0] / len(draw) / (EDGES[1] - EDGES[0]) for draw in draws]
    return {"density": density, "layers": run("initial", "layers")[0].T}


def draw(data):
    x = np.linspace(-3.5, 3.5, 701)
    middle = (EDGES[1:] + EDGES[:-1]) / 2
    normal = lambda z: np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    # A normal cut at -2 and 2 has the deviation 0.8796; it is widened to 1.
    wide = 1.1368472
    cut = np.where(np.abs(x) < 2 * wide, normal(x / wide) / wide / math.erf(math.sqrt(2)), 0)
    flat = np.where(np.abs(x) < math.sqrt(3), 1 / math.sqrt(12), 0)
    densities = Chart("65536 draws of variance 1", Axis("a weight", -3.5, 3.5), Axis("density", 0, 0.45))
    for color, (label, marker, line) in enumerate((("normal", "circle", normal(x)), ("uniform: ±√3", "square", flat),
                                                   ("truncated: ±2 · 1.1368", "diamond", cut))):
        densities.series(label, color, marker, (middle, data["density"][color]), (x, line))
    densities.note("points: drawn")
    densities.note("lines: formula")

    l = np.arange(33)
    layers = Chart("32 layers of 256 with relu", Axis("layer l", 0, 32), Axis("second moment before relu", 1e-11, 10, log=True))
    for color, (label, marker, line) in enumerate((("lecun 1/m: 2^(1 - l)", "circle", 2.0 ** (1 - np.maximum(l, 1))),
                                                   ("he 2/m: stays", "square", np.where(l > 0, 2.0, 1.0)))):
        layers.series(label, color, marker, (l, data["layers"][color]), (l, line))
    layers.note("points: measured")
    return {"initial-density": densities, "initial-layers": layers}
