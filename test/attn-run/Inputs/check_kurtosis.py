#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kurtosis of weights whose scores are given, by NumPy: from weights that are equal but for a thousandth to rows that one key
has alone, with hidden keys among them. Prints the largest relative
error by spread.

usage: check_kurtosis.py make IN.npz ROWS KEYS | check OUT.npz IN.npz
"""

import sys

import numpy as np

#: Standard deviations of a row's scores, one a head; 0 for equal weights.
SPREADS = [0.0, 1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0, 30.0]


def make(path, rows, keys):
    rng = np.random.default_rng(5)
    spread = np.array(SPREADS)[:, None]
    scores = rng.standard_normal((len(SPREADS), keys)) * spread + rng.standard_normal((len(SPREADS), 1))
    key = np.zeros((len(SPREADS), keys, 4), np.float32)
    key[..., 0] = scores
    query = np.zeros((len(SPREADS), rows, 4), np.float32)
    query[..., 0] = 1
    mask = rng.random((rows, keys)) < 0.8
    np.savez(path, arg0=query, arg1=key, arg2=mask)


def check(path, inputs):
    given, found = np.load(inputs), np.load(path)["out1"]
    wrong, equal = dict.fromkeys(SPREADS[1:], 0.0), []
    for spread, key, numbers in zip(SPREADS, given["arg1"][..., 0].astype(np.float64), found):
        for number, seen in zip(numbers, given["arg2"].astype(bool)):
            if spread == 0:
                equal.append(np.isnan(number))
                continue
            weights = np.exp(key[seen] - key[seen].max())
            apart = weights - weights.mean()
            wanted = (apart ** 4).mean() / (apart ** 2).mean() ** 2
            wrong[spread] = max(wrong[spread], abs(number / wanted - 1) if np.isfinite(number) else np.inf)
    print("equal weights:", "all NaN" if all(equal) else equal, *(f"{spread}: {error:.1e}" for spread, error in wrong.items()))
    return 0 if all(equal) and max(wrong.values()) < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])) if sys.argv[1] == "make" else check(*sys.argv[2:4]))
