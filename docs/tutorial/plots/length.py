# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figure of length.md: what train_length.py measured. Training is not repeated here."""

import json
import os

from .kernels import HERE
from .svg import Axis, Chart


def measure():
    with open(os.path.join(HERE, "data", "length.json")) as file:
        return json.load(file)


def draw(data):
    lengths = data["lengths"]
    chart = Chart("Trained at 64 positions, asked at more", Axis("positions n", 58, 4520, log=True, ticks=lengths),
                  Axis("right guesses in %", 0, 105))
    names = {"1/sqrt(d)": "1/√d", "log_512 n / sqrt(d)": "log₅₁₂ n / √d", "cosine": "cosine, 2.304 log n", "softmax1": "softmax1, 1/√d"}
    for color, (marker, (name, label)) in enumerate(zip(("circle", "square", "diamond", "triangle"), names.items())):
        chart.line(lengths, data["models"][name]["right"], None, color)
        chart.points(lengths, data["models"][name]["right"], label, color, marker)
    return {"length-right": chart}
