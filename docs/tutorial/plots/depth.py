# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of depth.md: where the norm stands, over 64 layers."""

import numpy as np

from .kernels import analyze, run
from .svg import Axis, Chart

POLICIES = [("post", "Post Norm", "circle"), ("pre", "Pre Norm", "square"), ("plain", "x + F(x)", "diamond")]
POLICIES.append(("inv_sqrt2", "(x + F(x)) / √2", "triangle"))
LAYERS = np.arange(65)


def measure():
    moment, cosine, change = run("depth")
    # Beside rounding errors a cosine of 0.001 means nothing.
    tables = {"moment": moment, "cosine": cosine.round(4), "change": change}
    data = {name: {p: table[:, i] for i, (p, _, _) in enumerate(POLICIES)} for name, table in tables.items()}
    # The compiler follows the loop of this very kernel, block by block.
    blocks = analyze("depth", "attn-analyze-moments")[0]["residuals"]
    data["predicted"] = {}
    for policy, _, _ in POLICIES:
        name = "fixup" if policy == "plain" else policy
        data["predicted"][policy] = [1] + [b["result_second_moment"] for b in blocks if b["policy"] == name]
    return data


def predicted(data):
    """What independence of the branches gives for each policy."""
    sqrt_half, one = 2.0 ** (-LAYERS / 2), 0.0 * LAYERS + 1
    change = (1 - np.sqrt(0.5)) ** 2 + 0.5
    return {
        "moment": data["predicted"],
        "cosine": {"post": sqrt_half, "pre": (1 + LAYERS) ** -0.5, "plain": sqrt_half, "inv_sqrt2": sqrt_half},
        "change": {"post": change * one, "pre": 1 / (1 + LAYERS), "plain": one / 2, "inv_sqrt2": change * one},
    }


def chart_of(data, name, title, y, policies, shown):
    chart = Chart(title, Axis("layer l", 0, 64), y)
    for color, (policy, label, marker) in enumerate(POLICIES):
        if policy in policies:
            points = (shown, np.array(data[name][policy])[shown])
            first = 1 if name == "change" else 0
            chart.series(label, color, marker, points, (LAYERS[first:], predicted(data)[name][policy][first:]))
    chart.note("points: measured")
    chart.note("lines: attn-analyze-moments" if name == "moment" else "lines: formula")
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
