# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of run-roles-hidden.mlir: values that are not finite where rows do not see them.

  hidden_values.py FILE.npz
"""

import sys

import numpy as np

INFINITE = 0x7F80
random = np.random.default_rng(23)


def draw(*shape):
    """bf16, by its bits."""
    return (random.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


lengths = np.array([60, 131], np.int32)
arguments = [draw(1, 1, 150, 64) for _ in range(3)] + [draw(2, 1, 70, 64), draw(2, 1, 150, 64), draw(2, 1, 150, 64), lengths]
# Seen by the last rows of both blocks; a tile behind it, and one in front. They are found in pairs: one in each half.
arguments[2][0, 0, [127, 149], [5, 2]] = INFINITE
for batch, length in enumerate(lengths):
    arguments[5][batch, 0, length:] = INFINITE
np.savez(sys.argv[1], **{f"arg{i}": argument for i, argument in enumerate(arguments)})
