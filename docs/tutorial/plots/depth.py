# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of depth.md: where the norm stands, over 64 layers."""

import numpy as np

from .kernels import run
from .svg import Axis, Chart

POLICIES = [("post", "Post Norm", "circle"), ("pre", "Pre Norm", "square"), ("plain", "x + F(x)", "diamond")]
POLICIES.append(("inv_sqrt2", "(x + F(x)) / √2", "triangle"))
LAYERS = np.arange(65)


def measure():
    moment, cosine, change = run("depth")
    # Beside rounding errors a cosine of 0.001 means nothing.
    tables = {"moment": moment, "cosine": cosine.round(4), "change": change}
    return {name: {p: table[:, i] for i, (p, _, _) in enumerate(POLICIES)} for name, table in tables.items()}


def predicted():
    """What independence of the branches gives for each policy."""
    one, sqrt_half = 0.0 * LAYERS + 1, 2.0 ** (-LAYERS / 2)
    change = (1 - np.sqrt(0.5)) ** 2 + 0.5
    return {
        "moment": {"post": one, "pre": 1 + LAYERS, "plain": 2.0**LAYERS, "inv_sqrt2": one},
        "cosine": {"post": sqrt_half, "pre": (1 + LAYERS) ** -0.5, "plain": sqrt_half, "inv_sqrt2": sqrt_half},
        "change": {"post": change * one, "pre": 1 / (1 + LAYERS), "plain": one / 2, "inv_sqrt2": change * one},
    }


def chart_of(data, name, title, y, policies, shown):
    chart = Chart(title, Axis("layer l", 0, 64), y)
    for color, (policy, label, marker) in enumerate(POLICIES):
        if policy in policies:
            points = (shown, np.array(data[name][policy])[shown])
            line = (LAYERS[1:], predicted()[name][policy][1:]) if name == "change" else (LAYERS, predicted()[name][policy])
            chart.series(label, color, marker, points, line)
    chart.note("points: measured, lines: formula")
    return chart


def draw(data):
    every, shown = [p for p, _, _ in POLICIES], np.r_[0, 1, 2, 4 : 65 : 4]
    return {
        "depth-moment": chart_of(
            data, "moment", "Second moment of the stream", Axis("mean square of x_l", 0.1, 1e6, log=True), every, shown
        ),
        "depth-input": chart_of(
            data, "cosine", "What is left of the input", Axis("cosine of x_l and x₀", 0, 1), ["post", "pre"], np.r_[0:17, 20:65:4]
        ),
        "depth-change": chart_of(
            data, "change", "What one more layer changes", Axis("|x_l − x_(l−1)|² / |x_l|²", 0.01, 1, log=True), ["post", "pre"], shown[1:]
        ),
    }
