# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax along one dimension: as an op, and by its formula."""

from __future__ import annotations

from .. import ir
from .emitter import Emitter
from .layout import reshape
from .tensors import Tensor


def softmax(emitter: Emitter, tensor: Tensor, axis: int, normalizer: str = "softmax") -> Tensor:
    empty = emitter.empty(tensor.shape, tensor.element)
    value = emitter.builder.one("attn.softmax", [emitter.value(tensor), empty], empty.type,
                                {"scale": "#attn.none", "normalizer": f"#attn.{normalizer}", "dim": ir.i64(axis)})
    return emitter.made(value, tensor.shape)


def spelled_softmax(emitter: Emitter, tensor: Tensor, axis: int) -> Tensor:
    """exp(x - max) / sum, which raising makes attn.softmax of, or a part of an attention that it finds around it. Narrow
    floats are computed in f32."""
    scalars, element = emitter.scalars, tensor.element
    x = emitter.cast(tensor, "f64" if element == "f64" else "f32")
    kept = tuple(1 if i == axis else n for i, n in enumerate(x.shape))
    keep = lambda t: reshape(emitter, t, kept)
    top = keep(emitter.reduce(x, [axis], float("-inf"), lambda v, t: scalars.binary("max", v, t)))
    powers = emitter.unary("math.exp", emitter.binary("sub", x, top))
    total = keep(emitter.reduce(powers, [axis], 0, lambda v, t: scalars.add(v, t)))
    return emitter.cast(emitter.binary("div", powers, total), element)
