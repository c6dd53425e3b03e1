"""Writes the arrays of the tests into a folder, or checks one: arrays.py FOLDER, arrays.py FILE PYTHON"""

import os
import sys

import numpy as np

if len(sys.argv) == 3:
    array = np.load(sys.argv[1])
    assert eval(sys.argv[2], {"np": np, "a": array}), f"{sys.argv[1]} is {array.dtype}{array.shape}\n{array}"
else:
    os.makedirs(sys.argv[1], exist_ok=True)
    os.chdir(sys.argv[1])
    x = np.arange(100, dtype=np.float32)
    np.save("x.npy", x)
    np.savez("two.npz", x=x, y=10 * x)
    np.save("zero.npy", np.zeros(1, np.int32))
    np.save("matrix.npy", np.arange(24 * 32, dtype=np.uint32).reshape(24, 32))
    np.save("square.npy", np.arange(32 * 32, dtype=np.uint32).reshape(32, 32))
