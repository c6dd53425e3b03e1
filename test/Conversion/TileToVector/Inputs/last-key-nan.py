"""Writes inputs of @causal whose last key is NaN and whose last value is NaN or inf."""

import sys

import numpy as np

rng = np.random.default_rng(3)
arrays = [rng.standard_normal((1, 2, 75, 64), dtype=np.float32) for _ in range(3)]
arrays[1][:, :, -1, :] = np.nan
arrays[2][:, :, -1, ::2] = np.nan
arrays[2][:, :, -1, 1::2] = np.inf
np.savez(sys.argv[1], arg0=arrays[0], arg1=arrays[1], arg2=arrays[2])
