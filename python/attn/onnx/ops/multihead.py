# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""com.microsoft MultiHeadAttention."""

from __future__ import annotations

from ...build.attention import Attention, Heads
from ...build.layout import part, reshape
from ..registry import Op, op
from ...build.tensors import Tensor
from .attention import add_positions, append, heads_first, merge_heads
from .rotary import MICROSOFT

QUERY, KEY, VALUE, BIAS, PADDING, SCORES_BIAS, PAST_KEY, PAST_VALUE, PAST_LENGTH, INDIRECTION = range(10)


def _packed(op: Op, tensor: Tensor, count: int) -> list:
    """Of [batch, rows, heads, count, dim], each of the count."""
    batch, rows, heads, _, dim = tensor.shape
    return [Heads(reshape(op.emitter, part(op.emitter, tensor, 3, i, 1), (batch, rows, heads, dim)), rows_first=True)
            for i in range(count)]


def _with_bias(op: Op, tensor: Tensor, start, heads) -> Heads:
    """[batch, rows, heads * dim], with its part of the one bias of all three."""
    batch, rows, width = tensor.shape
    bias = op.optional(BIAS)
    if bias is not None:
        tensor = op.emitter.binary("add", tensor, part(op.emitter, bias, 0, start, width))
    return Heads(reshape(op.emitter, tensor, (batch, rows, heads, width // heads)), rows_first=True)


def _read_inputs(op: Op):
    heads = op.attribute("num_heads")
    query, key, value = op.input(QUERY), op.optional(KEY), op.optional(VALUE)
    if query.rank == 5:
        return _packed(op, query, 3)
    width = query.shape[2]
    queries = _with_bias(op, query, 0, heads)
    if key is None:
        raise op.error("key is missing", "give it, or pack query, key and value as [batch, rows, heads, 3, dim]")
    if key.rank == 5:
        return [queries, *_packed(op, key, 2)]
    if value is None:
        raise op.error("value is missing", "give it, or pack key and value as [batch, rows, heads, 2, dim]")
    if key.rank == 4:
        return queries, Heads(key), Heads(value)
    return queries, _with_bias(op, key, width, heads), _with_bias(op, value, 2 * width, heads)


def _padding_bias(op: Op, mask: Tensor, keys, fill: float) -> Tensor:
    """What is added to the scores of keys that only fill up: a large number, but not infinity."""
    emitter, scalars = op.emitter, op.emitter.scalars
    choose = lambda visible, element="f32": scalars.select(
        visible, scalars.constant(0, element), scalars.constant(fill, element))
    if mask.rank == 1:
        batch = op.input(QUERY).shape[0]
        if isinstance(mask.shape[0], int) and isinstance(batch, int) and mask.shape[0] != batch:
            raise op.error("a key_padding_mask of 3 * batch + 2 numbers", "give one of [batch] or [batch, keys]")
        lengths = emitter.value(mask)
        return emitter.indexed((batch, 1, 1, keys), "f32", lambda b, h, i, j: choose(scalars.compare(
            "lt", j, scalars.cast(scalars.extract(lengths, [b]), "index"))))
    shape = (mask.shape[0], 1, *(mask.shape[1:] if mask.rank == 3 else (1, mask.shape[1])))
    bias = emitter.elementwise([mask], "f32", lambda m: choose(scalars.compare("gt", m, scalars.like(0, m))))
    return reshape(emitter, bias, shape)


@op("MultiHeadAttention", domain=MICROSOFT)
def import_multihead(op: Op):
    if op.optional(PAST_LENGTH) is not None or op.optional(INDIRECTION) is not None or op.wants(3):
        raise op.error("past_sequence_length, cache_indirection and the output of q k^T",
                       "export with caches that grow by concatenation")
    query, new_key, new_value = _read_inputs(op)
    past = op.optional(PAST_KEY)
    key, value = append(op, past, new_key), append(op, op.optional(PAST_VALUE), new_value)
    attention = Attention(query, key, value, op.attribute("scale", 0.0) or None)
    fill, padding = op.attribute("mask_filter_value", -10000.0), op.optional(PADDING)
    padding = None if padding is None else _padding_bias(op, padding, key.rows, fill)
    for tensor in (op.optional(SCORES_BIAS), padding):
        if tensor is not None:
            attention.biases.append(("dense_bias", [(tensor, None)]))
    add_positions(op, attention, past.shape[2] if past is not None else 0, new_key.rows, has_lengths=False,
                  causal=bool(op.attribute("unidirectional", 0)))
    results = [merge_heads(op, attention.emit(op.emitter, rows_first=True)), None, None]
    if op.wants(1):
        results[1] = heads_first(op, key).tensor
    if op.wants(2):
        results[2] = heads_first(op, value).tensor
    return results
