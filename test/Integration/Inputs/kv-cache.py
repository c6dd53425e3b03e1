# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Caches of 1100 rows; what is past a sequence's length is NaN."""

import sys

import numpy as np

LENGTHS = [0, 700, 1099]
rng = np.random.default_rng(0)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


caches = [normal(3, 2, 1100, 40), normal(3, 2, 1100, 24)]
for cache in caches:
    for sequence, length in zip(cache, LENGTHS):
        sequence[:, length:] = np.nan
np.savez(sys.argv[1], arg0=normal(3, 4, 1, 40), arg1=normal(3, 2, 1, 40), arg2=normal(3, 2, 1, 24),
         arg3=caches[0], arg4=caches[1], arg5=np.array(LENGTHS, np.int32))
