# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of variance.md: the scores of random queries and keys against d."""

import math

import numpy as np

from .kernels import run
from .svg import Axis, Chart

DIMS = [16, 32, 64, 128, 256, 512, 1024]


def measure():
    data = {"d": DIMS, "scores": [], "t5": [], "entropy": {"none": [], "inv_sqrt_dim": [], "inv_dim": []}}
    for d in DIMS:
        data["scores"].append(run("variance", "scores", shapes=[f"512x{d}"] * 2, seed=1)[0].item())
        narrow = [("head_dim(64)", f"head_dim({d})"), ("x64xf32", f"x{d}xf32")]
        data["t5"].append(run("variance", "projected", replace=narrow, seed=1)[0].item())
        entropies = run("variance", "weights", replace=narrow[1:], seed=1)
        for policy, entropy in zip(data["entropy"], entropies):
            data["entropy"][policy].append(entropy.mean())
    return data


def draw(data):
    d = np.array(data["d"], float)
    wide = np.geomspace(12, 1365, 60)
    x = lambda: Axis("head dimension d", 12, 1365, log=True, ticks=DIMS)
    scores = Chart("Second moment of the scores", x(), Axis("mean square of a score", 1e-4, 1e4, log=True))
    scores.series("none: d", 1, "circle", (d, data["scores"]), (wide, wide))
    scores.series("inv_sqrt_dim: 1", 0, "square", (d, np.array(data["scores"]) / d), (wide, wide**0))
    scores.points(d, data["t5"], "none, T5 weights", 2, "triangle")
    scores.series("inv_dim: 1/d", 3, "diamond", (d, np.array(data["scores"]) / d**2), (wide, 1 / wide))
    scores.note("points: measured, lines: formula")

    top = math.log(512)
    entropy = Chart("Entropy of the weights, 512 keys", x(), Axis("entropy (nats)", 0, 6.6))
    entropy.line(wide, 0 * wide + top, "log 512: uniform", 5, "dot")
    for policy, variance, color, marker in (("inv_dim", 1 / wide, 3, "diamond"), ("inv_sqrt_dim", wide**0, 0, "square")):
        measured = (d, data["entropy"][policy])
        entropy.series(f"{policy}: log n − σ²/2", color, marker, measured, (wide, top - variance / 2))
    # Here the formula is negative, which no entropy is.
    entropy.points(d, data["entropy"]["none"], "none (no formula)", 1)
    entropy.note("points: measured, lines: formula")
    return {"variance-scores": scores, "variance-entropy": entropy}
