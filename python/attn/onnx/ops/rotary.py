# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RotaryEmbedding of ONNX and of onnxruntime: attn.rope with the model's tables."""

from __future__ import annotations

from ... import ir
from ...build.attention import Heads
from ...build.layout import reshape
from ..registry import Op, op
from ...build.tensors import Tensor

MICROSOFT = "com.microsoft"


def make_table(op: Op, cache: Tensor, batch, rows, interleaved: bool, place) -> Tensor:
    """[batch, rows, r] of a cache [..., r / 2]: each element of a pair has its own entry. `place(b, s)` are the indices
    into the cache in front of the last."""
    emitter, scalars = op.emitter, op.emitter.scalars
    half, value = cache.shape[-1], emitter.value(cache)

    def body(b, s, j):
        if interleaved:
            column = scalars.op("arith.divui", j, scalars.like(2, j))
        else:
            column = scalars.op("arith.remui", j, scalars.like(half, j))
        return scalars.extract(value, [*place(b, s), column])
    return emitter.indexed((batch, rows, 2 * half), cache.element, body)


def rope(op: Op, x: Heads, cosines: Tensor, sines: Tensor, interleaved: bool) -> Heads:
    """The first elements of each row turn, as many as the tables have."""
    emitter, tensor = op.emitter, x.tensor
    empty = emitter.empty(tensor.shape, tensor.element)
    value = emitter.builder.one(
        "attn.rope", [emitter.value(tensor), emitter.value(cosines), emitter.value(sines), empty], empty.type,
        {"operandSegmentSizes": ir.segments(1, 0, 0, 1, 1, 1),
         "pairs": f"#attn.pair_layout<{'interleaved' if interleaved else 'half_split'}>",
         "rotary_dim": ir.i64(cosines.shape[-1]), "row_dim": ir.i64(1 if x.rows_first else 2),
         "base": ir.f64(10000), "position_scale": ir.f64(1)})
    return Heads(emitter.made(value, tensor.shape), x.rows_first)


def place_of_positions(op: Op, positions: Tensor | None):
    """Where a cache is read: by row of the batch and of the sequence, or by a tensor of positions, which may be one
    offset for all."""
    emitter, scalars = op.emitter, op.emitter.scalars
    if positions is None:
        return lambda b, s: [b, s]
    value = emitter.value(positions)
    if positions.rank == 1:
        def from_offset(b, s):
            first = scalars.extract(value, [scalars.like(0, s)])
            return [scalars.add(scalars.cast(first, "index"), s)]
        return from_offset
    one = positions.shape[0] == 1 if isinstance(positions.shape[0], int) else False

    def by_position(b, s):
        return [scalars.cast(scalars.extract(value, [scalars.like(0, b) if one else b, s]), "index")]
    return by_position


def turn(op: Op, x: Heads, cos: Tensor, sin: Tensor, interleaved: bool, place) -> Heads:
    batch = x.tensor.shape[0]
    cosines, sines = (make_table(op, t, batch, x.rows, interleaved, place) for t in (cos, sin))
    return rope(op, x, cosines, sines, interleaved)


def split(op: Op, tensor: Tensor, heads, dim) -> Heads:
    if tensor.rank == 4:
        return Heads(tensor)
    batch, rows, width = tensor.shape
    if not heads and not dim:
        raise op.error("its input has 3 dimensions and num_heads is missing", "state num_heads")
    heads = heads or width // dim
    return Heads(reshape(op.emitter, tensor, (batch, rows, heads, width // heads)), rows_first=True)


def import_rotary(op: Op, cos: Tensor, sin: Tensor, positions: Tensor | None) -> Tensor:
    x = split(op, op.input(0), op.attribute("num_heads", 0),
              0 if op.attribute("rotary_embedding_dim", 0) else 2 * cos.shape[-1])
    y = turn(op, x, cos, sin, bool(op.attribute("interleaved", 0)), place_of_positions(op, positions))
    return reshape(op.emitter, y.tensor, op.input(0).shape)


@op("RotaryEmbedding")
def import_onnx_rotary(op: Op):
    return import_rotary(op, op.input(1), op.input(2), op.optional(3))


@op("RotaryEmbedding", domain=MICROSOFT)
def import_microsoft_rotary(op: Op):
    if op.attribute("is_packed_batching", 0) or op.attribute("scale", 1.0) != 1.0:
        raise op.error("packed batches or a scale of positions", "export with is_packed_batching = 0 and scale = 1")
    return import_rotary(op, op.input(2), op.input(3), op.input(1))
