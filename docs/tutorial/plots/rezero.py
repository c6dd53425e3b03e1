# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of rezero.md: residual branches that grow in."""

import numpy as np

from .kernels import run
from .svg import Axis, Chart

ALPHAS = [0, 0.05, 0.125, 0.25, 0.5, 1]
TIMES = list(range(0, 128, 8))


def measure():
    # In parts of the moment of x_0, which is the one of a random sample.
    growth, schedule = run("rezero", "growth")[0], run("rezero", "schedule")[0]
    start = growth[1, 0]
    growth[1:] /= start
    return {"growth": growth.T, "schedule": schedule / start}


def draw(data):
    layers = np.arange(65)
    shown = np.r_[0:65:8]
    growth = Chart("x + α F(x) over 64 blocks", Axis("block l", 0, 64), Axis("second moment, x₀ = 1", 0.5, 1e5, log=True))
    markers = ["circle", "square", "diamond", "triangle", "circle", "square"]
    for color, (alpha, values) in enumerate(zip(ALPHAS, data["growth"])):
        label = f"α = {alpha}" + (" = 1/√64" if alpha == 0.125 else "")
        points = (shown, np.array(values)[shown])
        growth.series(label, color, markers[color], points, (layers, (1.0 + alpha**2) ** layers))
    growth.note("points: measured")
    growth.note("lines: (1 + α²)^l")

    t = np.linspace(0, 124, 125)
    y = Axis("second moment, x₀ = 1", 0.5, 1e11, log=True)
    schedule = Chart("32 blocks, α_t = min(1, t/100)", Axis("step t", 0, 124), y)
    line = (t, (1 + np.minimum(1, t / 100) ** 2) ** 32)
    schedule.series("(1 + α_t²)^32", 0, "circle", (TIMES, data["schedule"]), line)
    schedule.note("points: measured")
    return {"rezero-growth": growth, "rezero-schedule": schedule}
