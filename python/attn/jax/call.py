# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as custom calls of XLA."""

from __future__ import annotations

import functools
import secrets

import jax
import numpy as np

from .. import _capi, ir
from ..build.attention import BATCH, HEAD, Attention, Heads
from ..build.emitter import Emitter
from ..build.tensors import Tensor, element_of
from ..errors import UnsupportedError

TARGET = "attn_xla_call"
#: A call holds the address of a kernel of this process: with this number beside it no other process takes it out of
#: JAX's cache on the disk.
_PROCESS = np.uint64(secrets.randbits(62))


@functools.lru_cache(maxsize=None)
def _register() -> None:
    handler = _capi.lib().attn_xla_call
    jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(handler), platform="cpu")


#: Kernels stay: what XLA compiled has their addresses.
_kernels: dict = {}


def _tensor(aval) -> Tensor:
    shape, dtype = aval
    return Tensor(shape, element_of(np.empty(0, dtype)))


def _build(policies, avals: dict):
    """A kernel of one attn.attention for operands of these shapes and types."""
    module = ir.create("attn.jax.attention")
    builder = ir.Builder(module)
    tensors = {name: _tensor(aval) for name, aval in avals.items()}
    with builder.function("attention", [t.type for t in tensors.values()], list(tensors)) as (function, arguments):
        for tensor, argument in zip(tensors.values(), arguments):
            tensor.value = argument
        query, key, value = (Heads(tensors[name], rows_first=True) for name in ("query", "key", "value"))
        attention = Attention(query, key, value, policies.scale, policies.softcap)
        attention.masks = [(mask, []) for mask in policies.masks]
        attention.align = "top_left" if policies.masks else None
        attention.normalizer = policies.normalizer
        if "bias" in tensors:
            attention.biases.append(("dense_bias", [(tensors["bias"], None)]))
        if "mask" in tensors:
            attention.masks.append(("dense_mask", [(tensors["mask"], None)]))
        if "lengths" in tensors:
            attention.masks.append(("kv_lengths", [(tensors["lengths"], BATCH)]))
        if "sink" in tensors:
            attention.normalizer_params = [(tensors["sink"], HEAD)]
        builder.end_function(function, [attention.emit(Emitter(builder), rows_first=True).value])
    builder.verify()
    return module.compile()


def _entry(policies, avals: dict) -> np.uint64:
    key = policies, tuple(avals.items())
    if key not in _kernels:
        _kernels[key] = _build(policies, avals)
    return np.uint64(_kernels[key].address())


def call_kernel(policies, given):
    """The custom call for operands, which are arrays or tracers."""
    if jax.default_backend() != "cpu":
        raise UnsupportedError(f"attn.jax.attention runs on the CPU, the default backend is {jax.default_backend()}: "
                               "use jax.default_device, or jax.nn.dot_product_attention")
    _register()
    arrays = {name: array for name, array in given._asdict().items() if array is not None}
    avals = {name: (tuple(a.shape), np.dtype(a.dtype)) for name, a in arrays.items()}
    varying = frozenset().union(*[getattr(jax.typeof(a), "vma", frozenset()) for a in arrays.values()])
    shape = (*given.query.shape[:3], given.value.shape[3])
    result = jax.ShapeDtypeStruct(shape, given.query.dtype, vma=varying) if varying else jax.ShapeDtypeStruct(
        shape, given.query.dtype)
    return jax.ffi.ffi_call(TARGET, result)(*arrays.values(), entry=_entry(policies, avals), process=_PROCESS)
