# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of positions.md: weights and scores against the distance."""

import numpy as np

from .kernels import run
from .svg import Axis, Chart


def measure():
    flip = lambda rows: [row[::-1] for row in rows]
    return {"biases": flip(run("positions", "biases")), "rotated": flip(run("positions", "rotated"))}


def draw(data):
    r = np.arange(256)
    shown = np.r_[0:256:15]
    waves = np.cos(np.outer(r, 10000.0 ** (-2 * np.arange(64) / 128))).sum(1) / 8
    bucket = np.where(r < 16, r, np.minimum(16 + np.floor(16 * np.log(np.maximum(r, 16) / 16) / np.log(8) + 1e-4), 31))
    biases = Chart("Weights of the last of 256 rows", Axis("distance to the key", 0, 255), Axis("weight", 3e-5, 1.0, log=True))
    for color, (label, marker, bias) in enumerate((("ALiBi, slope 2⁻⁸", "circle", -r / 256), ("KERPLE, log(1 + r)", "square", -np.log(1.0 + r)),
                                                   ("Sandwich, Σ cos / 8", "triangle", waves), ("T5, −bucket / 4", "circle", -bucket / 4),
                                                   ("no bias", "diamond", r * 0.0))):
        line = np.exp(bias) / np.exp(bias).sum()
        biases.series(label, color, marker, (shown, np.array(data["biases"][color])[shown]), (r, line))
    biases.note("points: measured")

    angles = 10000.0 ** (-2 * np.arange(32) / 64)
    rotated = Chart("q · k of rotated rows of ones, d = 64", Axis("distance to the key", 0, 255), Axis("score", -10, 70))
    for color, (label, scale, marker) in enumerate((("positions as they are", 1.0, "circle"), ("position_scale(0.25)", 0.25, "square"))):
        line = 2 * np.cos(scale * np.outer(r, angles)).sum(1)
        rotated.series(label, color, marker, (shown, np.array(data["rotated"][color])[shown]), (r, line))
    rotated.note("points: measured")
    rotated.note("lines: 2 Σ cos(s r θ_t)")
    return {"positions-bias": biases, "positions-rope": rotated}
