# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Caches of 1100 rows; what is past a sequence's length is NaN.

  kv-cache.py FILE [bf16]
"""

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
floats = [normal(3, 4, 1, 40), normal(3, 2, 1, 40), normal(3, 2, 1, 24)] + caches
if "bf16" in sys.argv:  # the upper half of f32
    floats = [(array.view(np.uint32) >> 16).astype(np.uint16) for array in floats]
np.savez(sys.argv[1], **{f"arg{i}": array for i, array in enumerate(floats)}, arg5=np.array(LENGTHS, np.int32))
