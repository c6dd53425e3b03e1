# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of sinks.md: normalisers that let a head be silent."""

import math

import numpy as np

from .kernels import run
from .svg import Axis, Chart

SHIFTS = [-h / 2 for h in range(33)]
LENGTHS = [2**k for k in range(0, 13)]
LENGTH_SHIFTS = [0, -2, -4, -6, -8]
LOWERED = [0, 2, 4, 8, 16]


def measure():
    silence = [s.mean(axis=0) for s in run("sinks", "silence")]
    length = run("sinks", "length")[0].T
    left, largest, kurtosis = run("sinks", "token")
    quotient, _ = run("sinks", "derivative")
    # The mean over rows whose n differs by at most 10 %.
    means = [[row[int(0.9 * n) : min(int(1.1 * n) + 1, 4096)].mean() for n in LENGTHS] for row in length]
    return {
        "softmax": silence[0],
        "softmax1": silence[1],
        "sink": silence[2],
        "length": means,
        "left": left.mean(axis=0),
        "largest": largest,
        "kurtosis": kurtosis,
        "derivative": quotient,
    }


def sum_of_weights(n, shift, log_extra):
    """n e^(shift + 1/2) / (n e^(shift + 1/2) + e0): scores of variance 1."""
    return 1 / (1 + np.exp(log_extra - np.log(n) - shift - 0.5))


def draw(data):
    wide = np.linspace(-16, 0, 81)
    silence = Chart("How much a row says, 512 keys", Axis("mean of the row's scores", -16, 0), Axis("Σ p", 0, 1.08))
    silence.series("softmax: 1", 5, "circle", (SHIFTS, data["softmax"]), (wide, 0 * wide + 1))
    silence.series("softmax1: e0 = 1", 0, "square", (SHIFTS, data["softmax1"]), (wide, sum_of_weights(512, wide, 0)))
    silence.series("sink of logit 4: e0 = e⁴", 1, "diamond", (SHIFTS, data["sink"]), (wide, sum_of_weights(512, wide, 4)))
    silence.note("points: measured, lines: formula")

    wide = np.geomspace(0.8, 5000, 80)
    x = Axis("number of keys n", 0.8, 5000, log=True, ticks=LENGTHS[::2])
    length = Chart("softmax1: silence has to grow with log n", x, Axis("Σ p", 0, 1.08))
    markers = ["circle", "square", "diamond", "triangle", "circle"]
    for color, (shift, values) in enumerate(zip(LENGTH_SHIFTS, data["length"])):
        line = (wide, sum_of_weights(wide, shift, 0))
        length.series(f"mean score {shift}".replace("-", "−"), color, markers[color], (LENGTHS, values), line)
    length.note("points: measured, lines: formula")

    t = np.arange(17)
    fine = np.linspace(0, 16, 81)
    token = Chart(
        "A key as sink: softmax, 512 keys", Axis("logit t of the sink key", 0, 16), Axis("weight of all other keys", 1e-4, 2, log=True)
    )
    token.series("511 √e / (511 √e + eᵗ)", 0, "circle", (t, data["left"]), (fine, 1 / (1 + np.exp(fine - 0.5 - math.log(511)))))
    token.line([0, 16], [0.01, 0.01], "1 %", 5, "dot")
    token.note("points: measured")

    fine = np.linspace(0, 16, 81)
    shares = {"softmax": lambda first, other: first / (first + other), "softmax1": lambda first, other: first / (1 + first + other)}
    p = {name: share(np.exp(1 - fine), np.exp(-fine)) for name, share in shares.items()}
    derivative = Chart("How a weight grows with its own score", Axis("by how much both scores are lowered", 0, 16),
                       Axis("∂p / ∂s", 1e-7, 1, log=True))
    derivative.series("softmax1: p (1 − p)", 0, "square", (LOWERED, data["derivative"]), (fine, p["softmax1"] * (1 - p["softmax1"])))
    derivative.line(fine, p["softmax"] * (1 - p["softmax"]), "softmax: p (1 − p)", 5, "dash")
    derivative.note("points: measured, step 2⁻¹⁰")
    return {"sinks-derivative": derivative, "sinks-silence": silence, "sinks-length": length, "sinks-token": token}
