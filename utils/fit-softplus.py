#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the coefficients of EmitSoftplus.cpp.

  utils/fit-softplus.py                                         prints them
  utils/fit-softplus.py --check lib/Conversion/Math/EmitSoftplus.cpp

R of log1p t = t + t^2 R(t) on 0 <= t <= 1 as a polynomial of degree 8, with the
largest relative error of the sum made small. Lawson's iteration: least squares
with weights that grow where the last error was large, on Chebyshev polynomials.
Then one coefficient after the other, lowest first, is rounded to f32, and those
after it make up for that. --check prints the error of the numbers in the file
beside that of the fit before it was rounded. Errors are in units of 2^-24.
"""

import argparse
import re

import numpy as np

DEGREE, POINTS, ITERATIONS = 8, 4000, 300


def sample():
    """Points, what to approximate there, and one over the error to allow."""
    t = 0.5 * (1.0 + np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS))
    # Near 0 the difference cancels, but a few terms of its series are exact.
    series = -1 / 2 + t / 3 - t**2 / 4 + t**3 / 5
    rest = np.where(t < 1e-3, series, (np.log1p(t) - t) / t**2)
    return t, rest, 2.0**24 * t**2 / np.log1p(t)


def fit(t, rest, weight):
    """The error of the best polynomial found, and its coefficients as rounded."""
    matrix = np.polynomial.chebyshev.chebvander(2.0 * t - 1.0, DEGREE)
    lawson, best = np.ones_like(t), (np.inf, None)
    for _ in range(ITERATIONS):
        scale = np.sqrt(lawson) * weight
        c = np.linalg.lstsq(matrix * scale[:, None], rest * scale, rcond=None)[0]
        error = np.abs(weight * (matrix @ c - rest))
        if error.max() < best[0]:
            best = (error.max(), scale)
        lawson *= error / error.max() + 1e-3
        lawson /= lawson.mean()
    return best[0], round_in_turn(t, rest, best[1])


def round_in_turn(t, rest, scale):
    """Coefficients in powers of t for these weights, each made up for by those after it."""
    rounded = []
    for k in range(DEGREE + 1):
        basis = np.polynomial.chebyshev.chebvander(2.0 * t - 1.0, DEGREE - k) * (scale * t**k)[:, None]
        left = (rest - np.polyval((rounded or [0.0])[::-1], t)) * scale
        c = np.linalg.lstsq(basis, left, rcond=None)[0]
        first = np.polynomial.chebyshev.chebval(-1.0, c)
        rounded.append(float(np.float32(first)))
    return rounded


def read(path):
    with open(path, encoding="utf-8") as file:
        numbers = re.search(r"kRest\[\] = \{(.*?)\}", file.read(), re.S)[1]
    return np.array([np.float32(number) for number in numbers.split(",")], dtype=np.float64)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="FILE", help="a file with kRest")
    args = parser.parse_args()
    t, rest, weight = sample()
    best, coefficients = fit(t, rest, weight)
    print("kRest: " + ", ".join(f"{np.float32(number):.9g}" for number in coefficients))
    print(f"error of the fit: {best:.3f}")
    if args.check:
        held = np.max(np.abs(weight * (np.polyval(read(args.check)[::-1], t) - rest)))
        print(f"error in the file: {held:.3f}; {'good' if held < 1.5 * best + 0.1 else 'BAD'}")


if __name__ == "__main__":
    main()
