# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""com.microsoft GroupQueryAttention: a causal attention over a cache, rows of a batch at places of their own."""

from __future__ import annotations

from ...build.attention import BATCH, HEAD, Attention, Heads
from ...build.layout import concat, part, reshape, transpose
from ..registry import Op, op
from ...build.sizes import Size, same
from ...build.tensors import Tensor
from .attention import fit_mask, merge_heads
from .rotary import MICROSOFT, turn

QUERY, KEY, VALUE, PAST_KEY, PAST_VALUE, LENGTHS, TOTAL, COS, SIN, POSITIONS, BIAS, SINK, KEY_SCALE = range(13)


def _read_inputs(op: Op):
    """Queries, keys and values, [batch, rows, heads, dim]; they may come as one tensor."""
    heads, kv_heads = op.attribute("num_heads"), op.attribute("kv_num_heads")
    query, key, value = op.input(QUERY), op.optional(KEY), op.optional(VALUE)
    if key is None:
        dim = query.shape[2] // (heads + 2 * kv_heads)
        widths = [heads * dim, kv_heads * dim, kv_heads * dim]
        starts = [0, widths[0], widths[0] + widths[1]]
        query, key, value = (part(op.emitter, query, 2, s, w) for s, w in zip(starts, widths))
    split = lambda t, n: Heads(reshape(op.emitter, t, (*t.shape[:2], n, t.shape[2] // n)), rows_first=True)
    return split(query, heads), split(key, kv_heads), split(value, kv_heads)


def _past_lengths(op: Op, rows) -> Tensor:
    """How many rows the cache holds, for each of the batch. The first call has none, whatever seqlens_k says: there it
    leaves out rows that only fill the batch up."""
    emitter, scalars, lengths = op.emitter, op.emitter.scalars, op.input(LENGTHS)
    batch = op.input(QUERY).shape[0]
    total = op.input(TOTAL)
    known = total.known.reshape(-1)[0] if total is not None and total.known is not None else None
    if op.optional(PAST_KEY) is None or known is not None and same(known, rows):
        return emitter.made(emitter.zeros((batch,), "i32"), (batch,))
    lengths = reshape(emitter, lengths, (batch,))
    value, count = emitter.value(lengths), emitter.size(rows)
    given = emitter.value(reshape(emitter, total, ())) if known is None and total is not None else None
    every = emitter.size(known) if isinstance(known, Size) else None

    def body(b):
        last = scalars.cast(scalars.extract(value, [b]), "index")
        past = scalars.sub(scalars.add(last, scalars.like(1, last)), count)
        whole = scalars.cast(scalars.extract(given, []), "index") if given is not None else every
        if whole is not None:
            past = scalars.select(scalars.compare("eq", whole, count), scalars.like(0, past), past)
        return scalars.cast(past, "i32")
    return emitter.indexed((batch,), "i32", body)


def _append(op: Op, past: Tensor | None, new: Heads, lengths: Tensor, size) -> Heads:
    """The cache, [batch, heads, size, dim], with the new rows behind those that each of the batch has."""
    emitter, scalars = op.emitter, op.emitter.scalars
    if past is None or same(past.shape[2], 0):
        moved = Heads(transpose(emitter, new.tensor, [0, 2, 1, 3]))
        return moved if same(moved.rows, size) else Heads(_fill_up(op, moved.tensor, size))
    batch, room, heads, dim = past.shape[0], past.shape[2], new.heads, new.dim
    old, fresh, at = emitter.value(past), emitter.value(new.tensor), emitter.value(lengths)
    last_old, last_new, rows = (emitter.size(n) for n in (room - 1, new.rows - 1, new.rows))

    def body(b, h, t, d):
        start = scalars.cast(scalars.extract(at, [b]), "index")
        place = scalars.sub(t, start)
        zero = scalars.like(0, t)
        behind = scalars.compare("ge", place, zero)
        inside = scalars.binary("min", behind, scalars.compare("lt", place, rows))
        clamped = scalars.binary("max", zero, scalars.binary("min", place, last_new))
        number = scalars.extract(fresh, [b, clamped, h, d])
        kept = scalars.extract(old, [b, h, scalars.binary("min", t, last_old), d])
        kept = scalars.select(scalars.compare("le", t, last_old), kept, scalars.like(0, kept))
        return scalars.select(inside, number, kept)
    return Heads(emitter.indexed((batch, heads, size, dim), past.element, body))


def _fill_up(op: Op, rows: Tensor, size) -> Tensor:
    shape = (*rows.shape[:2], size - rows.shape[2], rows.shape[3])
    return concat(op.emitter, [rows, op.emitter.made(op.emitter.zeros(shape, rows.element), shape)], 2)


def _cache_size(op: Op, rows):
    """Rows that the cache has afterwards."""
    past, total = op.optional(PAST_KEY), op.input(TOTAL)
    room = past.shape[2] if past is not None else 0
    if total is None or total.known is None:
        if past is None:
            return rows
        raise op.error("total_sequence_length is computed from the values of inputs, and says how large the new cache is",
                       "make it a constant or a function of shapes")
    known = total.known.reshape(-1)[0]
    if same(room, 0) or same(known, room + rows):
        return known
    return known if known > room else room


def _turn(op: Op, query: Heads, key: Heads, lengths: Tensor):
    """Both by their positions, if that is asked for: behind the cache, or as they are given."""
    emitter, scalars = op.emitter, op.emitter.scalars
    given, interleaved = op.optional(POSITIONS), bool(op.attribute("rotary_interleaved", 0))
    if not op.attribute("do_rotary", 0):
        return query, key
    value = emitter.value(given if given is not None else lengths)

    def place(b, s):
        if given is not None:
            return [scalars.cast(scalars.extract(value, [b, s]), "index")]
        return [scalars.add(scalars.cast(scalars.extract(value, [b]), "index"), s)]
    return [turn(op, x, op.input(COS), op.input(SIN), interleaved, place) for x in (query, key)]


@op("GroupQueryAttention", domain=MICROSOFT)
def import_grouped(op: Op):
    kinds = [op.attribute(name, "NONE") for name in ("k_quant_type", "v_quant_type")]
    bits, scores = op.attribute("kv_cache_bit_width", 0), op.attribute("qk_output", 0)
    if op.optional(KEY_SCALE) is not None or kinds != ["NONE", "NONE"] or bits or scores or op.wants(3):
        raise op.error("quantised caches and the output of q k^T", "export with caches in the type of the query")
    emitter, scalars = op.emitter, op.emitter.scalars
    query, key, value = _read_inputs(op)
    rows = query.rows
    past = _past_lengths(op, rows)
    query, key = _turn(op, query, key, past)
    size = _cache_size(op, rows)
    keys = _append(op, op.optional(PAST_KEY), key, past, size)
    values = _append(op, op.optional(PAST_VALUE), value, past, size)
    attention = Attention(query, keys, values, op.attribute("scale", 0.0) or None, op.attribute("softcap", 0.0))
    attention.align = "bottom_right"
    window = op.attribute("local_window_size", -1)
    attention.masks.append(("causal", []))
    if window > 0:
        # onnxruntime counts the row itself.
        attention.masks.append((f"window<left = {window - 1}, right = -1>", []))
    shift = emitter.size(rows)
    lengths = emitter.elementwise([past], "i32", lambda n: scalars.add(n, scalars.cast(shift, "i32")))
    attention.masks.append(("kv_lengths", [(lengths, BATCH)]))
    if op.optional(BIAS) is not None:
        bias = fit_mask(op, op.input(BIAS), keys.rows, 0)
        attention.biases.append(("dense_bias", [(bias, None)]))
    _choose_normalizer(op, attention)
    output = merge_heads(op, attention.emit(emitter, rows_first=True))
    return [output, keys.tensor, values.tensor]


def _choose_normalizer(op: Op, attention: Attention) -> None:
    """head_sink is one logit a head; smooth_softmax is a sink of logit 0."""
    sink, smooth = op.optional(SINK), op.attribute("smooth_softmax", 0)
    if sink is not None:
        attention.normalizer, attention.normalizer_params = "sink", [(sink, HEAD)]
    elif smooth == 1:
        attention.normalizer = "softmax1"
