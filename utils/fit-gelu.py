#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the coefficients of EmitGelu.cpp.

  utils/fit-gelu.py                                    prints them
  utils/fit-gelu.py --check lib/Conversion/Math/EmitGelu.cpp

exp(a^2 / 2) Phi(-a) on 0 <= a <= 13.27 as a quotient of polynomials of degree 3
and 4. The largest relative error is made small in units of 2^-24 (1 + |log2 2
Phi(-a)|): where the exponential of a rounded square loses more, so may the
quotient. Lawson's iteration: least squares of numerator - f denominator, with
weights that grow where the error of the last quotient was large. --check prints
the error of the numbers in the file, rounded to f32, beside that of the fit.
"""

import argparse
import math
import re

import numpy as np

END, DEGREES, POINTS, ITERATIONS = 13.27, (3, 4), 4000, 400


def sample():
    """Points, what to approximate there, and one over the error to allow."""
    x = 0.5 * END * (1.0 + np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS))
    tail = np.array([0.5 * math.erfc(a / math.sqrt(2.0)) for a in x])
    f = tail * np.exp(0.5 * x * x)
    return x, f, 2.0**24 / (f * (1.0 - np.log2(2.0 * tail)))


def evaluate(numerator, denominator, x):
    return np.polyval(numerator[::-1], x) / np.polyval(denominator[::-1], x)


def fit(x, f, weight):
    """The best quotient found; its denominator begins with 1."""
    n, d = DEGREES
    t = x / END
    above, below = np.vander(t, n + 1, increasing=True), np.vander(t, d + 1, increasing=True)[:, 1:]
    lawson, last, best = np.ones_like(x), np.ones_like(x), (np.inf, None, None)
    for i in range(ITERATIONS):
        scale = np.sqrt(lawson) * weight / last
        matrix = np.hstack([above, -f[:, None] * below]) * scale[:, None]
        norms = np.linalg.norm(matrix, axis=0)
        c = np.linalg.lstsq(matrix / norms, f * scale, rcond=1e-17)[0] / norms
        last = np.abs(1.0 + below @ c[n + 1:]) + 1e-12
        error = np.abs(weight * (above @ c[:n + 1] / last - f))
        if error.max() < best[0]:
            best = (error.max(), c[:n + 1] / END**np.arange(n + 1),
                    np.append(1.0, c[n + 1:] / END**np.arange(1, d + 1)))
        lawson *= (error / error.max() + 1e-3)**(0.3 if i < 9 else 1.0)
        lawson /= lawson.mean()
    return best


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lists = [re.search(name + r"\[\] = \{(.*?)\}", text, re.S)[1] for name in ("kNumerator", "kDenominator")]
    return [np.array([np.float32(number) for number in one.split(",")], dtype=np.float64) for one in lists]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="FILE", help="a file with kNumerator and kDenominator")
    args = parser.parse_args()
    x, f, weight = sample()
    best, numerator, denominator = fit(x, f, weight)
    for name, numbers in (("kNumerator", numerator), ("kDenominator", denominator)):
        print(f"{name}: " + ", ".join(f"{np.float32(number):.9g}" for number in numbers))
    print(f"error of the fit: {best:.3f}")
    if args.check:
        held = np.max(np.abs(weight * (evaluate(*read(args.check), x) - f)))
        print(f"error in the file: {held:.3f}; {'good' if held < 1.5 * best + 0.5 else 'BAD'}")


if __name__ == "__main__":
    main()
