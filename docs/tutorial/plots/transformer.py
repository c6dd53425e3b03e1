# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of transformer.md: parameters against the width."""

import json
import os
import subprocess

import numpy as np

from .kernels import HERE, find_tool
from .svg import Axis, Chart

WIDTHS = [64, 128, 256, 512, 1024, 2048]


def count(width):
    """Parameters of the two ops of @layer."""
    with open(os.path.join(HERE, "transformer.mlir")) as file:
        text = file.read().replace("1024", str(4 * width)).replace("256", str(width))
    done = subprocess.run([find_tool("attn-opt"), "--attn-analyze-work=json=-", "-o", os.devnull], input=text,
                          capture_output=True, text=True, check=True)
    return [op["parameters"] for op in json.loads(done.stdout)["functions"][0]["ops"]]


def measure():
    return {"widths": WIDTHS, "parameters": np.transpose([count(width) for width in WIDTHS])}


def draw(data):
    h = np.geomspace(64, 2048, 50)
    chart = Chart("Parameters of a layer", Axis("width h", 56, 2340, log=True, ticks=WIDTHS),
                  Axis("parameters", 1e4, 1e8, log=True))
    for color, (label, marker, line) in enumerate((("attention: 4h²", "circle", 4 * h * h),
                                                   ("feed forward: 8h² + 5h", "square", 8 * h * h + 5 * h))):
        chart.series(label, color, marker, (WIDTHS, data["parameters"][color]), (h, line))
    chart.note("points: attn-analyze-work")
    return {"transformer-parameters": chart}
