"""Compares out0 of two files of arrays: compare_arrays.py ACTUAL EXPECTED TOLERANCE"""

import sys

import numpy as np

actual, expected = (np.load(path)["out0"] for path in sys.argv[1:3])
error = np.max(np.abs(actual - expected)) / np.max(np.abs(expected))
verdict = "match" if actual.shape == expected.shape and error <= float(sys.argv[3]) else "MISMATCH"
print(f"{verdict}: largest error {error:.2g} of the largest element")
