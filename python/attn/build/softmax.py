# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax along one dimension, which raising takes into an attention that it finds around it."""

from __future__ import annotations

from .. import ir
from .emitter import Emitter
from .tensors import Tensor


def softmax(emitter: Emitter, tensor: Tensor, axis: int, normalizer: str = "softmax") -> Tensor:
    empty = emitter.empty(tensor.shape, tensor.element)
    value = emitter.builder.one("attn.softmax", [emitter.value(tensor), empty], empty.type,
                                {"scale": "#attn.none", "normalizer": f"#attn.{normalizer}", "dim": ir.i64(axis)})
    return emitter.made(value, tensor.shape)
