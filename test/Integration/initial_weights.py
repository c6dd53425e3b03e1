# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws weights with the compiled attn.init and tests their distribution.

Every distribution x variance rule x element type, for fixed seeds: the mean and
the variance within 4 standard errors, and the Kolmogorov-Smirnov distance below
its 0.1 % point. What is expected comes from the rules' definitions.
"""

import argparse
import math
import os
import subprocess
import sys

import numpy as np

ROWS, COLUMNS, HEAD_DIM = 160, 240, 64
SEEDS = [1, 2, 2 ** 40 + 3]
erfc = np.vectorize(math.erfc)


def below(z):
    """The normal distribution function."""
    return 0.5 * erfc(-z / math.sqrt(2))


def solve(function):
    """The variance of z that gives function(z) the second moment 1."""
    z = np.linspace(-12, 12, 48001)
    weight = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    low, high = 0.0, 16.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sum(weight * function(middle * z) ** 2) < 1 else (low, middle)
    return low * low


VARIANCES = {
    "constant) value(0.49": 0.49,
    "lecun": 1 / ROWS,
    "he": 2 / ROWS,
    "xavier": 2 / (ROWS + COLUMNS),
    f"t5) head_dim({HEAD_DIM}": 1 / (ROWS * math.sqrt(HEAD_DIM)),
    "solved) of(relu": solve(lambda x: np.maximum(x, 0)) / ROWS,
    "solved) of(gelu": solve(lambda x: x * below(x)) / ROWS,
    "solved) of(silu": solve(lambda x: x / (1 + np.exp(-x))) / ROWS,
    "solved) of(elu": solve(lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))) / ROWS,
}


class Truncated:
    """A normal distribution cut at low and high, shifted and scaled to mean 0 and variance 1."""

    def __init__(self, low, high):
        z = np.linspace(low, high, 200001)
        weight = np.exp(-z * z / 2)
        weight[[0, -1]] /= 2
        weight /= weight.sum()
        self.mean = np.sum(weight * z)
        self.deviation = math.sqrt(np.sum(weight * (z - self.mean) ** 2))
        self.kurtosis = np.sum(weight * (z - self.mean) ** 4) / self.deviation ** 4
        self.low, self.high = low, high

    def distribution(self, x):
        z = np.clip(x * self.deviation + self.mean, self.low, self.high)
        first, last = below(np.array([self.low, self.high]))
        return (below(z) - first) / (last - first)

    def ends(self):
        return [(end - self.mean) / self.deviation for end in (self.low, self.high)]


SYMMETRIC, SKEWED = Truncated(-2, 2), Truncated(-1, 2.5)
ROOT = math.sqrt(3)
#: text, distribution function of the standardised draw, its kurtosis, its smallest and largest value
DISTRIBUTIONS = {
    "normal": ("", below, 3.0, (-math.inf, math.inf)),
    "uniform": ("", lambda x: np.clip(0.5 + x / (2 * ROOT), 0, 1), 1.8, (-ROOT, ROOT)),
    "truncated_normal": ("", SYMMETRIC.distribution, SYMMETRIC.kurtosis, SYMMETRIC.ends()),
    "truncated_normal ": ("cut [-1.0, 2.5]", SKEWED.distribution, SKEWED.kurtosis, SKEWED.ends()),
}


def function(element, mean):
    """All draws of one element type, and what each should be."""
    type, lines, cases = f"tensor<{ROWS}x{COLUMNS}x{element}>", [], []
    for distribution, (more, *expected) in DISTRIBUTIONS.items():
        for variance, value in VARIANCES.items():
            lines.append(f"  %{len(cases)} = attn.init {distribution} variance({variance}) mean({mean:e}) {more} "
                         f"seed(%seed : i64) outs(%e : {type}) -> {type}\n")
            cases.append((f"{distribution} {more} {variance}) {element}", value, *expected))
    types = ", ".join([type] * len(cases))
    return f"func.func @f(%seed: i64) -> ({types}) {{\n  %e = tensor.empty() : {type}\n" + "".join(lines) + \
        "  return " + ", ".join(f"%{i}" for i in range(len(cases))) + f" : {types}\n}}\n", cases


def to_float(array):
    if array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def examine(draws, mean, case, spacing):
    """What is wrong with the draws, as texts. `spacing` is half the distance of
    neighbouring numbers, relative to a draw."""
    _, variance, distribution, kurtosis, (low, high) = case
    count, deviation = draws.size, math.sqrt(variance)
    z = np.sort((draws.ravel() - mean) / deviation)
    found = []
    if abs(z.mean()) > 4 / math.sqrt(count):
        found.append(f"mean off by {z.mean():.2e} standard deviations")
    if abs(np.mean(z * z) - 1) > 4 * math.sqrt((kurtosis - 1) / count) + spacing:
        found.append(f"variance is {np.mean(z * z):.4f} of what it should be")
    f = distribution(z)
    steps = np.arange(count + 1) / count
    distance = max(np.max(f - steps[:-1]), np.max(steps[1:] - f))
    if distance > 1.95 / math.sqrt(count) + spacing:
        found.append(f"Kolmogorov-Smirnov distance {distance:.2e}")
    edge = spacing * 4 + 1e-12
    if z[0] < low - edge or z[-1] > high + edge:
        found.append(f"draws from {z[0]:.4f} to {z[-1]:.4f}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-run", required=True)
    parser.add_argument("--directory", required=True)
    args = parser.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    cases = failures = 0
    for element, mean, spacing in [("f32", 0.25, 1e-6), ("f64", 0.0, 1e-15), ("f16", 0.0, 2 ** -12), ("bf16", 0.0, 2 ** -9)]:
        text, expected = function(element, mean)
        stem = os.path.join(args.directory, f"init-{element}")
        with open(stem + ".mlir", "w", encoding="utf-8") as file:
            file.write(text)
        for seed in SEEDS if element == "f32" else SEEDS[:1]:
            np.savez(stem + ".npz", arg0=np.array(seed, dtype=np.int64))
            subprocess.run([args.attn_run, stem + ".mlir", f"--inputs={stem}.npz", f"--output={stem}-out.npz"],
                           check=True, stdout=subprocess.DEVNULL)
            with np.load(stem + "-out.npz") as results:
                for i, case in enumerate(expected):
                    cases += 1
                    found = examine(to_float(results[f"out{i}"]), mean, case, spacing)
                    failures += bool(found)
                    if found:
                        print(f"{case[0]}, seed {seed}: {', '.join(found)}")
    print(f"{cases} cases: {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
