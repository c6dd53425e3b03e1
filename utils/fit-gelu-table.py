#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the coefficients of EmitGeluTable.cpp.

  utils/fit-gelu-table.py                              prints them
  utils/fit-gelu-table.py --check lib/Conversion/Math/EmitGeluTable.cpp

Phi around 0 and -7.75, -7.5 .. -0.25, in this order, as polynomials in the
distance, with a small relative error; at -7.75 they are 0. Lawson's iteration:
least squares with weights that grow where the error was large. --check prints
the largest error of the numbers in the file, in units of the error that gelu
promises (7 (1 + x^4/32) ulp), and that of the fit, both rounded to f32.
"""

import argparse
import math
import re

import numpy as np

STEP, COUNT, DEGREE = 0.25, 32, 5
ZERO = 1
POINTS, ITERATIONS = 64, 200


def sample(entry):
    """Negative numbers, how far from the entry they are, and their Phi."""
    s = 0.5 * STEP * np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)
    if entry == 0:
        s = 0.5 * (s - 0.5 * STEP)
    b = s - (COUNT - entry) % COUNT * STEP
    return b, s, np.array([0.5 * math.erfc(-number * math.sqrt(0.5)) for number in b])


def fit(entry):
    """The best polynomial found, lowest coefficient first."""
    _, s, f = sample(entry)
    basis = np.vander(s / STEP, DEGREE + 1, increasing=True)
    lawson, best = np.ones_like(s), (np.inf, None)
    for _ in range(ITERATIONS):
        scale = np.sqrt(lawson) / f
        c = np.linalg.lstsq(basis * scale[:, None], f * scale, rcond=None)[0]
        error = np.abs(basis @ c / f - 1.0)
        if error.max() < best[0]:
            best = (error.max(), c / STEP**np.arange(DEGREE + 1))
        lawson *= error / error.max() + 1e-3
        lawson /= lawson.mean()
    return best[1]


def measure(table):
    """The largest error in units of what is promised."""
    largest = 0.0
    for entry in [*range(ZERO), *range(ZERO + 1, COUNT)]:
        b, s, f = sample(entry)
        error = np.abs(np.polyval(table[::-1, entry].astype(np.float64), s) / f - 1.0)
        largest = max(largest, np.max(error / (7.0 * 2.0**-24 * (1.0 + b**4 / 32.0))))
    return largest if np.all(table[:, ZERO] == 0.0) else math.inf


def read(path):
    with open(path, encoding="utf-8") as file:
        numbers = re.search(r"kTable\[\]\[32\] = \{(.*?)\};", file.read(), re.S)[1]
    return np.array(re.findall(r"[-+.\de]+", numbers), dtype=np.float32).reshape(DEGREE + 1, COUNT)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="FILE", help="a file with kTable")
    args = parser.parse_args()
    table = np.array([fit(entry) for entry in range(COUNT)]).T.astype(np.float32)
    table[:, ZERO] = 0.0
    if not args.check:
        print(",\n".join("{" + ", ".join(f"{number:.8e}" for number in row) + "}" for row in table))
    best = measure(table)
    print(f"error of the fit: {best:.3f}")
    if args.check:
        held = measure(read(args.check))
        print(f"error in the file: {held:.3f}; {'good' if held < 1.1 * best + 0.02 else 'BAD'}")


if __name__ == "__main__":
    main()
