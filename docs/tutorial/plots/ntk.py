# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of ntk.md: the parameterisation of linear layers against the width."""

import numpy as np

from .kernels import run
from .svg import Axis, Chart

WIDTHS = [32, 64, 128, 256, 512, 1024]


def measure():
    forward = [run("ntk", "forward", shapes=[f"64x{m}"], seed=1)[0] for m in WIDTHS]
    step = [run("ntk", "step", shapes=[f"1x{m}"], seed=1)[0] for m in WIDTHS]
    sign_step = [run("ntk", "sign_step", shapes=[f"1x{m}"], seed=1) for m in WIDTHS]
    move, weight = np.array(sign_step).transpose(1, 2, 0)
    return {"forward": np.array(forward).T, "step": np.array(step).T, "adam_move": move, "adam_weight": weight}


def draw(data):
    wide = np.geomspace(24, 1365, 50)
    x = lambda: Axis("width m", 24, 1365, log=True, ticks=WIDTHS)
    forward = Chart("Second moment of y, input of moment 1", x(), Axis("mean square of y", 1e-4, 1e4, log=True))
    labels = ["standard, variance 1/m", "ntk, variance 1", "ntk, variance 1/m: 1/m", "standard, variance 1: m"]
    lines = [wide**0, wide**0, 1 / wide, wide]
    order = [(3, 1, "diamond"), (0, 0, "circle"), (1, 2, "triangle"), (2, 3, "square")]
    for row, color, marker in order:
        forward.series(labels[row], color, marker, (WIDTHS, data["forward"][row]), (wide, lines[row]))
    forward.note("points: measured, lines: formula")

    step = Chart("How far one gradient step moves y", x(), Axis("|Δy| / (learning rate · |y|)", 0.1, 1e4, log=True))
    step.series("standard: m", 1, "diamond", (WIDTHS, data["step"][0]), (wide, wide))
    step.series("ntk: 1", 2, "triangle", (WIDTHS, data["step"][1]), (wide, wide**0))
    step.note("points: measured, lines: formula")

    # E |x| E |y| / E y^2 = 2 / pi for normal x and y of one size.
    adam = Chart("A step of 0.01 in each weight, as Adam's", x(), Axis("part of itself", 1e-3, 30, log=True))
    adam.series("standard: y, 0.01 · 2m/π", 1, "diamond", (WIDTHS, data["adam_move"][0]), (wide, 0.02 * wide / np.pi))
    adam.series("standard: W, 0.01 √m", 0, "circle", (WIDTHS, data["adam_weight"][0]), (wide, 0.01 * np.sqrt(wide)))
    adam.series("ntk: y, 0.01 · 2√m/π", 2, "triangle", (WIDTHS, data["adam_move"][1]), (wide, 0.02 * np.sqrt(wide) / np.pi))
    adam.series("ntk: W, 0.01", 3, "square", (WIDTHS, data["adam_weight"][1]), (wide, 0 * wide + 0.01))
    adam.note("points: measured, lines: formula")
    return {"ntk-forward": forward, "ntk-step": step, "ntk-adam": adam}
