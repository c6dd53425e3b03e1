# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of frameworks as DLTensors, without copies, and new ones for results.

A binder is a function `(tensor, frame, i)` that makes argument i of a frame point at a DLTensor of `tensor`, and returns
what has to live until the call is over. There is one for each type of tensor, found at its first use.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import c_char_p, c_int, c_int64, c_void_p, py_object
from typing import Any, Callable

from ._capi import DLTensor
from .errors import DTypeError, MissingExtraError, UnsupportedError

#: DLPack's code and bits by name.
DTYPES = {"float64": (2, 64), "float32": (2, 32), "float16": (2, 16), "bfloat16": (4, 16), "bool": (6, 8),
          **{f"int{bits}": (0, bits) for bits in (8, 16, 32, 64)},
          **{f"uint{bits}": (1, bits) for bits in (8, 16, 32, 64)}}

_get_pointer = ctypes.PyDLL(None).PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = c_void_p, [py_object, c_char_p]
_pointer_at = c_void_p.from_address


def _find_pointer_offset() -> int:
    """Where in a capsule its pointer lies: reading it there takes half the time of PyCapsule_GetPointer. 0 if it is
    not where CPython has it."""
    new = ctypes.PyDLL(None).PyCapsule_New
    new.restype, new.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
    offset = object.__basicsize__
    marked = new(0x5EED, b"attn", None)
    return offset if _pointer_at(id(marked) + offset).value == 0x5EED else 0


_OFFSET = _find_pointer_offset()


def fill(slot: DLTensor, data: int, dtype: str, shape, strides=None) -> Any:
    """Writes a DLTensor of host memory; strides are in elements. Returns what holds its sizes."""
    ndim = len(shape)
    sizes = (c_int64 * (2 * ndim))(*shape, *(strides or ()))
    slot.data, slot.device_type, slot.device_id, slot.ndim = data, 1, 0, ndim
    slot.code, slot.bits = DTYPES[dtype]
    slot.lanes, slot.byte_offset = 1, 0
    slot.shape = ctypes.cast(sizes, ctypes.POINTER(c_int64))
    at = ctypes.addressof(sizes) + 8 * ndim
    slot.strides = ctypes.cast(at, ctypes.POINTER(c_int64)) if strides is not None else None
    return sizes


def _bind_array_by_hand(array, frame, i) -> Any:
    """What numpy's own __dlpack__ refuses: read-only memory, and bfloat16."""
    name = array.dtype.name
    if name not in DTYPES or not array.dtype.isnative:
        raise DTypeError(f"argument {i} is an array of {array.dtype}, which kernels do not take: convert it first")
    size = array.dtype.itemsize
    if any(stride % size for stride in array.strides):
        raise DTypeError(f"argument {i} has strides that are no multiples of its element's size: copy it first")
    sizes = fill(frame.slots[i], array.__array_interface__["data"][0], name, array.shape,
                 [stride // size for stride in array.strides])
    frame.pointers[i] = frame.addresses[i]
    return array, sizes


def _bind_array(array, frame, i) -> Any:
    try:
        capsule = array.__dlpack__()
    except (BufferError, RuntimeError, TypeError):
        return _bind_array_by_hand(array, frame, i)
    frame.pointers[i] = _pointer_at(id(capsule) + _OFFSET).value if _OFFSET else _get_pointer(capsule, b"dltensor")
    return capsule


def _bind_dlpack(tensor, frame, i) -> Any:
    """Whatever has DLPack's method; JAX's arrays too."""
    capsule = tensor.__dlpack__()
    frame.pointers[i] = _get_pointer(capsule, b"dltensor")
    return capsule


def _bind_scalar(value, frame, i) -> Any:
    """A number, or a list of them, as an array of the argument's type."""
    import numpy
    spec = frame.specs[i]
    return _bind_array(numpy.asarray(value, dtype=numpy_dtype(spec.dtype)), frame, i)


def exchange_function(kind) -> int:
    """DLPack's C function from an object of this type to a DLTensor, dltensor_from_py_object_no_sync; 0 without it."""
    api = getattr(kind, "__dlpack_c_exchange_api__", None)
    if api is None:
        return 0
    address = _get_pointer(api, b"dlpack_exchange_api")
    # major, minor, the older table; five functions.
    major = ctypes.c_uint32.from_address(address).value
    return (c_void_p * 5).from_address(address + 16)[3] or 0 if major == 1 else 0


def _make_exchange_binder(kind) -> Callable | None:
    """By that function, which PyTorch has: a tenth of the time of its __dlpack__."""
    function = exchange_function(kind)
    if not function:
        return None
    view = ctypes.PYFUNCTYPE(c_int, py_object, c_void_p)(function)

    def bind(tensor, frame, i):
        view(tensor, frame.addresses[i])
        frame.pointers[i] = frame.addresses[i]
        return tensor
    return bind


def _make_torch_binder(kind) -> Callable:
    import torch

    def bind(tensor, frame, i):
        if tensor.device.type != "cpu" or tensor.layout != torch.strided:
            raise DTypeError(f"argument {i} is a {tensor.layout} tensor on {tensor.device}; "
                             "kernels take dense tensors of the CPU: use .cpu() or .to_dense()")
        if tensor.is_conj() or tensor.is_neg():
            tensor = tensor.resolve_conj().resolve_neg()
        sizes = fill(frame.slots[i], tensor.data_ptr(), str(tensor.dtype)[6:], tensor.shape, tensor.stride())
        frame.pointers[i] = frame.addresses[i]
        return tensor, sizes

    fast = _make_exchange_binder(kind)
    if fast is None:
        return bind

    def bind_fast(tensor, frame, i):
        try:
            return fast(tensor, frame, i)
        except Exception:  # What torch's own conversion refuses; ours says why.
            return bind(tensor, frame, i)
    return bind_fast


def _family(kind) -> str:
    """`torch` for each class that derives from torch.Tensor, and so on."""
    for base in kind.__mro__:
        package = base.__module__.partition(".")[0]
        if package in ("numpy", "torch", "jax", "jaxlib"):
            return "jax" if package == "jaxlib" else package
    return "other"


class _Binders(dict):
    """By type of tensor."""

    def __missing__(self, kind):
        family = _family(kind)
        if family == "numpy" and hasattr(kind, "__dlpack__"):
            binder = _bind_array
        elif family == "torch":
            binder = _make_torch_binder(kind)
        elif hasattr(kind, "__dlpack__"):
            binder = _make_exchange_binder(kind) or _bind_dlpack
        elif kind in (int, float, bool, list, tuple) or family == "numpy":
            binder = _bind_scalar
        else:
            raise UnsupportedError(f"a {kind.__module__}.{kind.__qualname__} is no tensor: "
                                   "kernels take numpy arrays and what has __dlpack__ (torch, JAX)")
        self[kind] = binder
        return binder


BINDERS = _Binders()


def numpy_dtype(name: str):
    """numpy's type of that name; bfloat16 is ml_dtypes'."""
    import numpy
    if name != "bfloat16":
        return numpy.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise MissingExtraError("numpy has no bfloat16 of its own: pip install ml_dtypes") from None
    return numpy.dtype(ml_dtypes.bfloat16)


def _numpy_maker(spec) -> Callable:
    import numpy
    empty, dtype = numpy.empty, numpy_dtype(spec.dtype)
    return lambda shape: empty(shape, dtype)


def _torch_maker(spec) -> Callable:
    import torch
    empty, dtype = torch.empty, getattr(torch, spec.dtype)
    return lambda shape: empty(shape, dtype=dtype, device="cpu")


def _jax_finish(array):
    import jax
    return jax.device_put(array, may_alias=True)


class Maker:
    """Makes results for tensors of one type: `empty[k](shape)` for output k, then `finish(array)` where it is set."""

    def __init__(self, kind, outputs):
        family = _family(kind)
        make = _torch_maker if family == "torch" else _numpy_maker
        self.empty = [make(spec) for spec in outputs]
        self.finish = _jax_finish if family == "jax" else None
        self.torch = sys.modules["torch"] if family == "torch" else None
