"""`write FILE ROWS` writes inputs with scores that are NaN or +inf in rows 0 to 2 of two heads; `check FILE` says which rows
of the output and of lse are NaN, and what lse is in the others."""

import sys

import numpy as np


def write(path, rows):
    rng = np.random.default_rng(5)
    query, key, value = (rng.standard_normal((2, n, 16), dtype=np.float32) for n in (int(rows), 1100, 1100))
    key[..., 0] = query[..., 0] = 0
    query[0, 0, 3] = np.nan  # all scores of the row
    query[0, 1, 0] = key[0, 5, 0] = 1e30  # the score of key 5 is +inf
    query[1, 2, 3] = np.nan  # beside a sink of +inf
    np.savez(path, arg0=query, arg1=key, arg2=value, arg3=np.array([0.5, np.inf], np.float32))


def check(path):
    arrays = np.load(path)
    output, lse = arrays["out0"], arrays["out1"]
    print("o", np.argwhere(np.isnan(output).all(axis=2)).tolist(), "of", np.isnan(output).sum() // 16)
    print("lse", np.argwhere(np.isnan(lse)).tolist(), "finite", np.isfinite(lse[0]).sum(), "infinite", np.isposinf(lse[1]).sum())


{"write": write, "check": check}[sys.argv[1]](*sys.argv[2:])
