"""far_first.py FILE.npz: rows of arg0 whose first numbers lie in different places."""

import sys

import numpy as np

x = np.random.default_rng(7).standard_normal((6, 40001))
x[0, 0] = 1e20  # all of the variance
x[1] += 1e6
x[1, 0] += 300.0  # what is left of 3e2^4 has to be 3
x[2] *= 1e-12
x[3] = np.exp(2.0 * x[3])
x[3, 0] = -1000.0
x[4] = 3.0
x[4, 1] = 3.25  # one number that differs
x[5] = np.where(np.arange(40001) < 20000, 1e4, -1e4) + 1e-2 * x[5]
np.savez(sys.argv[1], arg0=x.astype(np.float32))
