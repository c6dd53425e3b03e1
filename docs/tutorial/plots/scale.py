# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of scale.md: what a scale policy does as the number of keys grows."""

import json
import math
import os

import numpy as np

from . import formulas
from .kernels import HERE, analyze, run
from .svg import Axis, Chart

LENGTHS = np.arange(40, 20001, 40)  # n = 40 k, k = 1 ... 500
DIMS = [64, 128, 192, 256]
ALPHAS = np.arange(1, 81) * 0.05
POLICIES = ["inv_sqrt_dim", "log_length", "gradient_max", "gradient_max_blind"]
ANALYSED = "inv_sqrt_dim;log_length<base=512.0,n=keys>;gradient_max<scores=normal,n=keys>;gradient_max_blind"
ENTROPY_LENGTHS = [2**k for k in range(4, 13)]


def measure():
    exact, fit, log_length, half_max = (a[0, LENGTHS - 1] for a in run("scale", "alpha"))
    data = {"alpha": exact, "alpha_fit": fit, "alpha_log_length": log_length, "alpha_half_max": half_max, "cosine": {}, "cosine_fit": {}}
    for d in DIMS:
        exact, fit = run("scale", "alpha_cosine", replace=[("x128x", f"x{d}x")])
        data["cosine"][str(d)], data["cosine_fit"][str(d)] = exact[0, LENGTHS - 1], fit[0, LENGTHS - 1]
    data["gradient"] = {
        str(n): run("scale", "gradient", replace=[("1x512x64", f"1x{n}x64")])[0].mean(axis=0) for n in (512, 4096)
    }
    # The mean over the heads and over rows whose n differs by at most 2 %.
    data["entropy"] = {
        policy: [h[:, int(0.98 * n) - 1 : min(int(1.02 * n), 4096)].mean() for n in ENTROPY_LENGTHS]
        for policy, h in zip(POLICIES, run("scale", "entropy"))
    }
    report = analyze(None, "attn-analyze-entropy", f"head-dim=64 from=16 to=4096 policies={ANALYSED}")
    curves = [[point["expected"] for point in curve["lengths"]] for curve in report["subjects"][0]["policies"]]
    data["expected"] = dict(zip(POLICIES, curves))
    data["entropy_cosine"] = run("scale", "entropy_cosine")[0].mean(axis=0)
    return data


def length_axis():
    return Axis("number of keys n", 0, 20500, ticks=[0, 4000, 8000, 12000, 16000, 20000])


def draw_alpha(data):
    n = LENGTHS
    root = np.sqrt(np.log(n))
    slope = formulas.slope_through_origin(root, np.array(data["alpha"]))
    chart = Chart("α* for normal scores, n = 40 k, k = 1 … 500", length_axis(), Axis("α = λ √d", 0.5, 3))
    sample = n[24::50]
    chart.line(n, data["alpha"], "gradient_max, kernel", 0)
    chart.points(sample, formulas.alpha_normal(sample), "its maximum, solved", 0)
    chart.line(n, data["alpha_fit"], "gradient_max_fit, kernel", 1, "dash")
    chart.line(n, slope * root, f"{slope:.4f} √log n, least squares", 2, "dot")
    chart.line(n, data["alpha_log_length"], "log_length, base 512", 4, "dashdot")
    chart.line(n, data["alpha_half_max"], "half_max(1024), kernel", 3, "dashdot")
    chart.line([0, 20500], [2.5, 2.5], "gradient_max_blind: 2.5", 5, "dash")
    return chart


def draw_alpha_cosine(data):
    n = LENGTHS
    chart = Chart("α* for cosine scores, n = 40 k, k = 1 … 500", length_axis(), Axis("α = λ", 0, 50))
    chart.band(25, 35, "25 … 35, in use at d = 128")
    sample = n[24::75]
    markers = ["circle", "square", "diamond", "triangle"]
    for color, (d, marker) in enumerate(zip(DIMS, markers)):
        exact = np.array(data["cosine"][str(d)])
        slope = formulas.slope_through_origin(np.log(n), exact)
        chart.series(f"d = {d}: α*", color, marker, (sample, formulas.alpha_cosine(d, sample)), (n, exact))
        chart.line(n, data["cosine_fit"][str(d)], f"{slope:.3f} log n", color, "dot")
    chart.note("solid: kernel, points: solved")
    return chart


def draw_gradient(data):
    chart = Chart("Half the gradient norm against the scale", Axis("α = λ √d", 0, 4), Axis("E α (1 − Σ p²)", 0, 3.2))
    for color, marker, n in ((0, "circle", 512), (1, "square", 4096)):
        formula = ALPHAS * (1 - np.exp(ALPHAS**2) / n)
        best = formulas.alpha_normal(n)
        chart.line(ALPHAS, formula, f"n = {n}: α (1 − exp(α²)/n)", color, "dash")
        chart.line([best, best], [0, best * (1 - math.exp(best**2) / n)], f"α* = {best:.3f}", color, "dot")
        chart.points(ALPHAS[1::3], data["gradient"][str(n)][1::3], f"n = {n}: measured mean", color, marker)
    return chart


def draw_entropy(data):
    n = np.array(ENTROPY_LENGTHS)
    wide = np.geomspace(13, 5000, 80)
    x = Axis("number of keys n", 13, 5000, log=True, ticks=ENTROPY_LENGTHS)
    chart = Chart("Entropy of a row of weights against n, d = 64", x, Axis("entropy (nats)", 0, 9))
    chart.line(wide, np.log(wide), "log n: uniform", 5, "dot")
    alphas = [0 * wide + 1, np.log(wide) / math.log(512), formulas.alpha_normal(wide), 0 * wide + 2.5]
    for color, (policy, alpha, marker) in enumerate(zip(POLICIES, alphas, ["circle", "square", "diamond", "triangle"])):
        chart.series(policy, color, marker, (n, data["entropy"][policy]), (n, data["expected"][policy]))
        chart.line(wide, np.log(wide) - alpha**2 / 2, None, color, "dot")
    chart.note("points: measured by a kernel")
    chart.note("solid: attn-analyze-entropy")
    chart.note("dotted: log n − α²/2")
    return chart


def draw_entropy_cosine(data):
    lam = np.arange(1, 33) / 16
    a, top = 16 * lam, math.log(4096)
    y = Axis("entropy (nats)", 0, 9)
    chart = Chart("Entropy against λ, cosine, d = 16, n = 4096", Axis("λ, where the score is λ d cos θ", 0, 2), y)
    chart.line([0, 2], [top, top], "log n: uniform", 5, "dot")
    chart.series("log n + log g − a g′/g", 0, "circle", (lam, data["entropy_cosine"]), (lam, formulas.entropy_cosine(16, 4096, a)))
    chart.line(lam, top - lam**2 * 16 / 2, "log n − λ² d/2", 1, "dash")
    chart.line(lam, top - 0.24 * a, "log n − 0.24 λ d, published", 2, "dashdot")
    chart.note("points: measured")
    return chart


def draw(data):
    return {
        "scale-alpha": draw_alpha(data),
        "scale-alpha-cosine": draw_alpha_cosine(data),
        "scale-gradient": draw_gradient(data),
        "scale-entropy": draw_entropy(data),
        "scale-entropy-cosine": draw_entropy_cosine(data),
    }


def main():
    """Prints what scale.md says of the data: python3 -m plots.scale"""
    with open(os.path.join(HERE, "data", "scale.json")) as file:
        data = json.load(file)
    log_n = np.log(LENGTHS)
    print(f"alpha* / sqrt(log n), least squares: {formulas.slope_through_origin(np.sqrt(log_n), np.array(data['alpha'])):.4f}")
    for d in DIMS:
        print(f"alpha* / log n, least squares, cosine, d = {d}: {formulas.slope_through_origin(log_n, np.array(data['cosine'][str(d)])):.3f}")
    print("\nmean entropies" + "".join(f"{policy:>20}" for policy in POLICIES))
    for n in (64, 512, 1024, 4096):
        values = [data["entropy"][policy][ENTROPY_LENGTHS.index(n)] for policy in POLICIES]
        print(f"n = {n:<10}" + "".join(f"{value:20.2f}" for value in values))


if __name__ == "__main__":
    main()
