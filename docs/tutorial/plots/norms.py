# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of norms.md: what each norm takes away."""

import numpy as np

from .kernels import run
from .svg import Axis, Chart


def measure():
    return {"sizes": run("norms", "sizes"), "offset": run("norms", "offset")}


def draw(data):
    i = np.arange(8)
    sizes = Chart("Samples of different sizes behind a norm", Axis("sample i, 2^i times as large", 0, 7),
                  Axis("second moment of the sample", 1e-4, 10, log=True))
    # The mean of 512 numbers, which is subtracted, is not 0.
    batch = 4.0**i / np.mean(4.0**i) + 1 / 512
    for color, (label, marker, line) in enumerate((("instance: 1", "circle", i * 0 + 1.0), ("layer: 1", "triangle", i * 0 + 1.0),
                                                   ("batch: keeps 4^i", "square", batch))):
        sizes.series(label, color, marker, (i, data["sizes"][color]), (i, line))
    sizes.note("points: measured")

    c = np.arange(17) / 4
    offset = Chart("Rows of mean c and variance 1 behind a norm", Axis("mean c of the row", 0, 4), Axis("mean of the result", -0.1, 1.1))
    for color, (label, marker, line) in enumerate((("layer: 0", "circle", c * 0), ("rms: c / √(1 + c²)", "square", c / np.sqrt(1 + c * c)),
                                                   ("l2 times √m: the same", "triangle", c / np.sqrt(1 + c * c)))):
        offset.series(label, color, marker, (c, data["offset"][color]), (c, line))
    offset.note("points: measured")
    return {"norms-sizes": sizes, "norms-offset": offset}
