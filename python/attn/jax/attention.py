# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`attn.jax.attention`: attention inside of functions of JAX, by a custom call of XLA on the CPU."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ..errors import UnsupportedError
from .call import call_kernel


class Policies(NamedTuple):
    """What the kernel is made for beside types and shapes. `window`: keys to the left and to the right, or None."""

    scale: float | None
    is_causal: bool
    window: tuple | None
    softcap: float
    normalizer: str

    @property
    def masks(self) -> list[str]:
        found = ["causal"] if self.is_causal else []
        return found + ([f"window<left = {self.window[0]}, right = {self.window[1]}>"] if self.window else [])


class Operands(NamedTuple):
    """Arrays of a call; None is left out. query: [batch, rows, heads, dim]."""

    query: Any
    key: Any
    value: Any
    bias: Any = None
    mask: Any = None
    lengths: Any = None
    sink: Any = None


def reference(policies: Policies, given: Operands):
    """The formula, which gradients are taken of."""
    query, key, value = (x.astype(jnp.promote_types(x.dtype, jnp.float32)) for x in given[:3])
    rows, keys = query.shape[1], key.shape[1]
    group = query.shape[2] // key.shape[2]
    key, value = (jnp.repeat(x, group, 2) for x in (key, value))
    scores = jnp.einsum("bthd,bshd->bhts", query, key)
    scores = scores * (1 / math.sqrt(query.shape[3]) if policies.scale is None else policies.scale)
    if policies.softcap:
        scores = policies.softcap * jnp.tanh(scores / policies.softcap)
    if given.bias is not None:
        scores = scores + given.bias
    i, j = jnp.arange(rows)[:, None], jnp.arange(keys)[None]
    visible = jnp.ones((1, 1, rows, keys), bool) if given.mask is None else given.mask
    if policies.is_causal:
        visible = visible & (j <= i)
    if policies.window:
        left, right = policies.window
        visible = visible & ((j >= i - left) | (left < 0)) & ((j <= i + right) | (right < 0))
    if given.lengths is not None:
        visible = visible & (j[None, None] < given.lengths[:, None, None, None])
    scores = jnp.where(visible, scores, -jnp.inf)
    extra = {"softmax": -jnp.inf, "softmax1": 0.0}.get(policies.normalizer)
    extra = given.sink[None, :, None, None] if extra is None else extra
    # The largest logit cancels; where none is visible it must be a number.
    top = jnp.maximum(scores.max(-1, keepdims=True), extra)
    top = jax.lax.stop_gradient(jnp.where(jnp.isfinite(top), top, 0))
    weights = jnp.where(visible, jnp.exp(scores - top), 0)
    total = weights.sum(-1, keepdims=True) + jnp.exp(extra - top)
    weights = weights / jnp.where(total == 0, 1, total)
    return jnp.einsum("bhts,bshd->bthd", weights, value).astype(given.query.dtype)


@functools.lru_cache(maxsize=None)
def _function(policies: Policies, present: tuple):
    """Of the operands that are present, in their order, with a gradient and a rule for vmap."""
    names = [name for name, is_there in zip(Operands._fields, present) if is_there]
    gather = lambda arrays: Operands(**dict(zip(names, arrays)))

    @jax.custom_batching.custom_vmap
    def forward(*arrays):
        return call_kernel(policies, gather(arrays))

    @forward.def_vmap
    def _batched(size, is_batched, *arrays):
        """The new dimension becomes a part of the batch."""
        batch = arrays[0].shape[1 if is_batched[0] else 0]

        def merge(name, array, has):
            if name == "sink":
                if has:
                    raise UnsupportedError("vmap over the sink: it is one logit a head for a whole call; map over other "
                                           "arguments, or add it to the heads")
                return array
            array = array if has else jnp.broadcast_to(array, (size, *array.shape))
            if array.shape[1] != batch:
                array = jnp.broadcast_to(array, (size, batch, *array.shape[2:]))
            return array.reshape(size * batch, *array.shape[2:])
        result = forward(*[merge(*each) for each in zip(names, arrays, is_batched)])
        return result.reshape(size, batch, *result.shape[1:]), True

    @jax.custom_vjp
    def function(*arrays):
        return forward(*arrays)

    def differentiate(arrays, cotangent):
        _, pull = jax.vjp(lambda *given: reference(policies, gather(given)), *arrays)
        return pull(cotangent)
    function.defvjp(lambda *arrays: (forward(*arrays), arrays), differentiate)
    return function


def _window(size) -> tuple | None:
    if size is None:
        return None
    return tuple(int(n) for n in size) if isinstance(size, (tuple, list)) else (int(size), int(size))


def attention(query, key, value, bias=None, mask=None, *, scale: float | None = None, is_causal: bool = False,
              query_seq_lengths=None, key_value_seq_lengths=None, local_window_size=None, softcap: float | None = None,
              normalizer: str = "softmax", sink=None):
    """Attention as jax.nn.dot_product_attention has it, with other normalisers beside it.

    query [batch, rows, heads, dim], key and value [batch, keys, key heads, dim], or each without batch. Elements are
    f16, bf16, f32 or f64; scores and sums are f32, or f64.
    bias: added to the scores, mask: booleans of the keys that are seen; both broadcast to [batch, heads, rows, keys].
    query_seq_lengths, key_value_seq_lengths: [batch] integers; rows behind are 0, keys behind are not seen.
    local_window_size: keys to both sides, or (left, right). softcap: c tanh(s / c) of the scaled scores.
    normalizer: `softmax`, or `softmax1` with 1 added to the sum of exponentials. sink: [heads] floats, a logit a head
    without a value.

    A row that sees no key is 0, where jax.nn has the mean of the values. Goes under jit, vmap, grad (by the formula in
    XLA) and shard_map. Raises ValueError for shapes that do not fit, UnsupportedError elsewhere than on the CPU.
    """
    if query.ndim == 3:
        wide = lambda x: None if x is None else x[None]
        fit = lambda x: x if x is None or x.ndim == 4 else x[None]
        return attention(wide(query), wide(key), wide(value), fit(bias), fit(mask), scale=scale, is_causal=is_causal,
                         query_seq_lengths=query_seq_lengths, key_value_seq_lengths=key_value_seq_lengths,
                         local_window_size=local_window_size, softcap=softcap, normalizer=normalizer, sink=sink)[0]
    _check(query, key, value, bias, mask, normalizer, sink)
    policies = Policies(None if scale is None else float(scale), bool(is_causal), _window(local_window_size),
                        float(softcap or 0), "sink" if sink is not None else normalizer)
    lengths = None if key_value_seq_lengths is None else jnp.asarray(key_value_seq_lengths, jnp.int32)
    given = Operands(query, key, value, bias, mask, lengths, sink)
    function = _function(policies, tuple(x is not None for x in given))
    result = function(*[x for x in given if x is not None])
    if query_seq_lengths is None:
        return result
    inside = jnp.arange(query.shape[1])[None] < jnp.asarray(query_seq_lengths)[:, None]
    return jnp.where(inside[:, :, None, None], result, 0)


def _check(query, key, value, bias, mask, normalizer, sink) -> None:
    if query.ndim != 4 or key.ndim != 4 or value.ndim != 4:
        raise ValueError(f"query, key and value have {query.ndim}, {key.ndim} and {value.ndim} dimensions; give each 4: "
                         "batch, rows, heads, dim")
    if query.shape[0] != key.shape[0] or key.shape[:3] != value.shape[:3] or query.shape[3] != key.shape[3]:
        raise ValueError(f"query {query.shape}, key {key.shape} and value {value.shape} do not fit: batch and dim are "
                         "those of the query, rows and heads of the value those of the key")
    if query.shape[2] % key.shape[2]:
        raise ValueError(f"{query.shape[2]} query heads are no multiple of {key.shape[2]} key heads")
    if normalizer not in ("softmax", "softmax1"):
        raise ValueError(f"there is no normalizer {normalizer!r}: softmax, softmax1, or softmax with a sink")
    if sink is not None and (normalizer != "softmax" or sink.shape != (query.shape[2],)):
        raise ValueError("a sink is one float a head, and goes with the normalizer softmax")
    full = (query.shape[0], query.shape[2], query.shape[1], key.shape[1])
    for name, array in (("bias", bias), ("mask", mask)):
        if array is not None and (array.ndim != 4 or any(n not in (1, m) for n, m in zip(array.shape, full))):
            raise ValueError(f"{name} {array.shape} does not broadcast to [batch, heads, rows, keys] = {full}")
