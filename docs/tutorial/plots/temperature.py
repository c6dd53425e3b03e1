# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of temperature.md: the weight of the positive against the factor."""

import numpy as np

from .formulas import cosine_log_moment
from .kernels import run
from .svg import Axis, Chart

FACTORS = 2.0 ** (np.arange(16) / 2)


def measure():
    return {"factors": FACTORS, "positive": run("temperature", "positive")[0]}


def draw(data):
    wide = np.geomspace(1, 100, 80)
    log_others, _ = cosine_log_moment(128, wide)
    line = 1 / (1 + 1023 * np.exp(log_others - wide / 2))
    p = np.array(data["positive"])
    chart = Chart("One positive of cosine 0.5 among 1023 others", Axis("factor 1/τ", 1, 100, log=True, ticks=[1, 2, 5, 10, 20, 50, 100]),
                  Axis("part of 1", 0, 1.05))
    chart.series("weight p of the positive", 0, "circle", (data["factors"], p), (wide, line))
    chart.series("4 p (1 − p): gradient", 1, "square", (data["factors"], 4 * p * (1 - p)), (wide, 4 * line * (1 - line)))
    chart.line([1 / 0.07] * 2, [0, 1.05], "CLIP at the start: τ = 0.07", 2, "dot")
    chart.line([1 / 0.05] * 2, [0, 1.05], "SimCSE: τ = 0.05", 3, "dash")
    chart.note("points: measured")
    chart.note("lines: Σ replaced by its mean")
    return {"temperature-positive": chart}
