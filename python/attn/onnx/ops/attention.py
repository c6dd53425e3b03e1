# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of opsets 23 and 24."""

from __future__ import annotations

import math

from ...build.attention import BATCH, Attention, Heads
from ...build.layout import concat, reshape, transpose
from ..registry import Op, op
from ...build.sizes import Size, same
from ...build.softmax import softmax
from ...build.tensors import Tensor, is_float


def split_heads(op: Op, tensor: Tensor, heads, name: str) -> Heads:
    """[batch, rows, heads * dim] or [batch, heads, rows, dim]."""
    if tensor.rank == 4:
        return Heads(tensor)
    if tensor.rank != 3:
        raise op.error(f"{name} has {tensor.rank} dimensions, where 3 or 4 are known")
    if not heads:
        raise op.error(f"{name} has 3 dimensions and {name}'s number of heads is missing",
                       "state q_num_heads and kv_num_heads")
    batch, rows, width = tensor.shape
    return Heads(reshape(op.emitter, tensor, (batch, rows, heads, width // heads)), rows_first=True)


def heads_first(op: Op, heads: Heads) -> Heads:
    return Heads(transpose(op.emitter, heads.tensor, [0, 2, 1, 3])) if heads.rows_first else heads


def merge_heads(op: Op, tensor: Tensor) -> Tensor:
    """[batch, rows, heads, dim] as [batch, rows, heads * dim]."""
    batch, rows, heads, dim = tensor.shape
    return reshape(op.emitter, tensor, (batch, rows, heads * dim))


def append(op: Op, past: Tensor | None, new: Heads) -> Heads:
    """The new rows behind those of a cache."""
    if past is None:
        return new
    return Heads(concat(op.emitter, [past, heads_first(op, new).tensor], 2))


def fit_mask(op: Op, mask: Tensor, keys, fill=None) -> Tensor:
    """A mask that ends early hides the keys behind its end; one with a `fill` has that for them."""
    rest = keys - mask.shape[-1]
    if isinstance(rest, Size) or rest <= 0 or same(mask.shape[-1], 1):
        return mask
    shape = (*mask.shape[:-1], rest)
    if fill is None:
        fill = -math.inf if is_float(mask.element) else 0
    hidden = op.emitter.zeros(shape, mask.element, fill)
    return concat(op.emitter, [mask, op.emitter.made(hidden, shape)], mask.rank - 1)


def mask_policy(mask: Tensor):
    if is_float(mask.element):
        return "additive_mask", [(mask, None)]
    return "dense_mask", [(mask, None)]


def _visible(op: Op, rows, keys, offset, left: int, right: int) -> Tensor:
    """Booleans: row i at position i + offset sees keys from `left` before it to `right` behind it; -1 is no limit."""
    scalars, shift = op.emitter.scalars, op.emitter.size(offset)

    def body(i, j):
        at = scalars.add(i, shift)
        seen = scalars.constant(True, "i1")
        if left >= 0:
            seen = scalars.compare("ge", j, scalars.sub(at, scalars.like(left, at)))
        if right >= 0:
            seen = scalars.binary("min", seen, scalars.compare("le", j, scalars.add(at, scalars.like(right, at))))
        return seen
    return op.emitter.indexed((rows, keys), "i1", body)


def add_positions(op: Op, attention: Attention, past_rows, new_rows, has_lengths: bool, causal: bool, left: int = -1,
                  right: int = -1) -> None:
    """Masks by position: row 0 stands behind the cache; with lengths the last row is at the last of them."""
    if not causal and left < 0 and right < 0:
        return
    rows = attention.query.rows
    if has_lengths or same(new_rows, rows):
        attention.align = "bottom_right"
    elif same(past_rows, 0):
        attention.align = "top_left"
    else:
        mask = _visible(op, rows, attention.key.rows, past_rows, left, 0 if causal else right)
        attention.masks.append(("dense_mask", [(mask, None)]))
        return
    if causal:
        attention.masks.append(("causal", []))
    if left >= 0 or right >= 0:
        attention.masks.append((f"window<left = {left}, right = {right}>", []))


@op("Attention")
def import_attention(op: Op):
    # Sums are f32, or f64 for f64, whatever it asks for.
    op.attribute("softmax_precision")
    mode = op.attribute("qk_matmul_output_mode", 0)
    emitter = op.emitter
    q_heads, kv_heads = op.attribute("q_num_heads"), op.attribute("kv_num_heads")
    query = split_heads(op, op.input(0), q_heads, "Q")
    new_key = split_heads(op, op.input(1), kv_heads, "K")
    new_value = split_heads(op, op.input(2), kv_heads, "V")
    past_key, past_value, lengths = op.optional(4), op.optional(5), op.optional(6)
    key, value = append(op, past_key, new_key), append(op, past_value, new_value)
    attention = Attention(query, key, value, op.attribute("scale"), op.attribute("softcap", 0.0))
    if op.optional(3) is not None:
        attention.masks.append(mask_policy(fit_mask(op, op.input(3), key.rows)))
    past_rows = past_key.shape[2] if past_key is not None else 0
    add_positions(op, attention, past_rows, new_key.rows, lengths is not None and past_key is None,
                  bool(op.attribute("is_causal", 0)), op.attribute("left_window_size", -1),
                  op.attribute("right_window_size", -1))
    if lengths is not None:
        attention.masks.append(("kv_lengths", [(emitter.cast(lengths, "i32"), BATCH)]))
    three = op.input(0).rank == 3
    output = attention.emit(emitter, rows_first=three)
    results = [merge_heads(op, output) if three else output, None, None, None]
    if op.wants(1):
        results[1] = heads_first(op, key).tensor
    if op.wants(2):
        results[2] = heads_first(op, value).tensor
    if op.wants(3):
        results[3] = scores_output(op, attention, mode)
    return results


def scores_output(op: Op, attention: Attention, mode: int) -> Tensor:
    """0: q k^T; 1: after the softcap; 2: after the mask; 3: weights."""
    scores = attention.scores(op.emitter)
    if mode >= 1:
        scores = attention.capped(op.emitter, scores)
    if mode >= 2:
        scores = attention.biased(op.emitter, scores)
    return softmax(op.emitter, scores, scores.rank - 1) if mode == 3 else scores
