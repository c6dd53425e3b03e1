# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of an exported model that need not be kept: who exports and who runs it draw them alike.

A case says of each argument either where its array is kept or how it is drawn:
{"shape": [64, 128], "type": "bf16", "seed": 7, "mean": 0.0, "spread": 0.09}.
"""

import numpy as np


def draw(value):
    """The array of a drawn argument, f32. RandomState, because its stream never changes between versions of numpy."""
    numbers = np.random.RandomState(value["seed"]).standard_normal(value["shape"])
    return (value["mean"] + value["spread"] * numbers).astype(np.float32)


def to_bf16(values):
    """The bits of the nearest bf16, ties to even."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def stored(value):
    """As attn-run reads it: bf16 as its bits."""
    numbers = draw(value)
    if value["type"] == "f16":
        return numbers.astype(np.float16)
    return to_bf16(numbers) if value["type"] == "bf16" else numbers


def describe_weight(shape, seed):
    """How a weight is drawn: outputs of a layer keep the size of its inputs; vectors are near 1, as those of norms
    and gates are. Biases drawn that way only shift."""
    if len(shape) < 2:
        return {"shape": list(shape), "seed": seed, "mean": 1.0, "spread": 0.2}
    inputs = int(np.prod(shape[1:]))
    return {"shape": list(shape), "seed": seed, "mean": 0.0, "spread": float(np.float32(inputs ** -0.5))}
