# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Short ways through a call: for numpy arrays alone, and for torch tensors alone.

A way is a function `(entry, inputs, out)` that returns the list of results, or None where it cannot take these arguments: then
the long way, which is right for everything, says what is wrong with them. Each is a closure over what an entry has, but
not over the entry, which keeps it, and written for its time: a host and a frame are taken in each way anew, since one more
Python function a call costs a tenth of a microsecond.

Where sizes vary the library is asked for those of the results, unless the last two calls had the same: then results are
made alike, and the entry, which compares all sizes before it writes, says if they are others this time.
"""

from __future__ import annotations

import ctypes
import math
import sys
from typing import Any, Callable, Optional

from . import hosts as pool
from .errors import CallError
from .hosts import Host
from .tensors import _OFFSET, exchange_function

#: As attn_entry_call_held and attn_tensors_view take them: objects one after the other, which a tuple has in it.
_ITEMS = tuple.__basicsize__

#: ATTN_ERROR_SHAPE.
_SHAPE = 5

#: Numbers of a result of torch's that one like it is kept for.
_KEPT = 1 << 14


def _has_items() -> bool:
    """Whether a tuple's items lie in it where CPython has them."""
    marked = (object(), object())
    return (ctypes.c_void_p * 2).from_address(id(marked) + _ITEMS)[:] == [*map(id, marked)]


_make_capsule = ctypes.PyDLL(None).PyCapsule_New
_make_capsule.restype, _make_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def _arrange(entry) -> Optional[Callable]:
    """How the holders of arguments that were given for good go between those of a call; None where there are none."""
    if not entry._bound:
        return None
    template: list[Any] = [None] * len(entry.spec.inputs)
    for i, kept in entry._bound.items():
        template[i] = _make_capsule(kept[0], b"attn", None)
    free = entry._free

    def arrange(capsules):
        holders = template.copy()
        for i, capsule in zip(free, capsules):
            holders[i] = capsule
        return holders
    return arrange


def make_numpy_way(entry) -> Optional[Callable]:
    """With capsules, which numpy makes in a tenth of a microsecond, and the library reads where they lie."""
    library = entry.kernel._library
    if not _OFFSET or not _has_items() or not hasattr(library, "attn_entry_call_held"):
        return None
    import numpy
    from .tensors import numpy_dtype
    frames, empty, items = entry._frames, numpy.empty, _ITEMS
    capsule = numpy.ndarray.__dlpack__
    count, arrange = len(entry._free), _arrange(entry)
    call, ask = library.attn_entry_call_held, library.attn_entry_shapes_held
    address, offset = entry._address, ctypes.c_size_t(_OFFSET)
    total, inputs_total = entry._count, entry._input_count
    dtypes = [numpy_dtype(spec.dtype) for spec in entry._fresh]
    shapes, parts = entry._shapes, entry._parts
    # One result whose shape is known: the most frequent case.
    shape, dtype = (shapes[0], dtypes[0]) if shapes and len(shapes) == 1 else (None, None)
    idle, lists, new_host, defaults = pool.idle, pool.idle_hosts, Host, pool.defaults

    def way(entry, inputs, out):
        if len(inputs) != count:
            return None
        threads = entry.threads or defaults["threads"]
        hosts = idle.get(threads)
        if hosts is None:
            hosts = lists(threads)
        # Another thread may take the last one at any time.
        try:
            host = hosts.pop()
        except IndexError:
            host = new_host(threads)
        try:
            frame = frames.pop()
        except IndexError:
            frame = entry._make_frame()
        try:
            holder = frame.holder
            try:
                keep = [*map(capsule, inputs)]
                if arrange is not None:
                    keep = arrange(keep)
                if out is not None:
                    results = out
                elif shape is not None:
                    results = (empty(shape, dtype),)
                elif shapes is not None:
                    results = [*map(empty, shapes, dtypes)]
                elif frame.likes is not None:
                    results = [*map(empty, frame.likes, dtypes)]
                else:
                    held = (*keep,)
                    holder.value = id(held) + items
                    status = ask(address, host.context, holder, offset, inputs_total, frame.dims)
                    if status:
                        entry._fail(status, host)
                    dims = frame.dims[:]
                    results = [empty(dims[part], dtype) for part, dtype in zip(parts, dtypes)]
                    if dims == frame.last:
                        frame.likes = [dims[part] for part in parts]
                    frame.last = dims
                held = (*keep, *map(capsule, results))
            except (BufferError, TypeError):
                return None
            holder.value = id(held) + items
            status = call(address, host.context, holder, offset, total)
            if status:
                if status == _SHAPE and frame.likes is not None:
                    frame.likes = None
                    return None
                entry._fail(status, host)
            return results
        finally:
            frames.append(frame)
            hosts.append(host)
    return way


def _strides(shape: list) -> list:
    """Of a dense tensor. torch takes half a microsecond more to find them by itself."""
    strides, step = [1] * len(shape), 1
    for i in range(len(shape) - 1, 0, -1):
        step *= shape[i] or 1
        strides[i - 1] = step
    return strides


def make_torch_way(entry) -> Optional[Callable]:
    """With DLPack's table of C functions, called for all tensors at once."""
    torch = sys.modules["torch"]
    function = exchange_function(torch.Tensor)
    view = getattr(entry.kernel._library, "attn_tensors_view", None)
    if not function or view is None or not _has_items():
        return None
    view = ctypes.PyDLL(entry.kernel._library._name).attn_tensors_view
    view.restype = ctypes.c_size_t
    pointer = ctypes.c_void_p(function)
    # Of its own: their pointers stay as they were made.
    frames: list = []
    count, fresh, items = len(entry._free), len(entry._fresh), _ITEMS
    given = count + fresh
    given_size, inputs_size, fresh_size = map(ctypes.c_size_t, (given, count, fresh))
    call, address, total = entry._call, entry._address, entry._count
    dtypes = [getattr(torch, spec.dtype) for spec in entry._fresh]
    shapes, parts, ask, inputs_total = entry._shapes, entry._parts, entry._ask, entry._input_count
    layouts = shapes and [(s, _strides([*s]), d) for s, d in zip(shapes, dtypes)]
    # A tensor like another takes the least time to make; it is kept, and so has to be small.
    is_small = layouts and len(layouts) == 1 and math.prod(shapes[0]) <= _KEPT
    template = torch.empty(shapes[0], dtype=dtypes[0], device="cpu") if is_small else None
    idle, lists, new_host, get_threads = pool.idle, pool.idle_hosts, Host, torch.get_num_threads
    are_known = frozenset({torch.Tensor, torch.nn.Parameter}).issuperset
    empty, empty_like = torch.empty_strided, torch.empty_like

    def way(entry, inputs, out):
        if len(inputs) != count or not are_known(map(type, inputs)) or out is not None and not are_known(map(type, out)):
            return None
        threads = entry.threads or get_threads()
        hosts = idle.get(threads)
        if hosts is None:
            hosts = lists(threads)
        # Another thread may take the last one at any time.
        try:
            host = hosts.pop()
        except IndexError:
            host = new_host(threads)
        try:
            frame = frames.pop()
        except IndexError:
            frame = entry._make_frame()
        try:
            holder = frame.holder
            try:
                likes = frame.likes
                if shapes is None and out is None and likes is None:
                    holder.value = id(inputs) + items
                    if view(pointer, holder, frame.views, inputs_size) != count:
                        return None
                    status = ask(address, host.context, frame.pointers, inputs_total, frame.dims)
                    if status:
                        entry._fail(status, host)
                    dims = frame.dims[:]
                    results = [empty(dims[part], _strides(dims[part]), dtype=dtype, device="cpu")
                               for part, dtype in zip(parts, dtypes)]
                    objects = (*results,)
                    holder.value = id(objects) + items
                    if view(pointer, holder, frame.fresh_views, fresh_size) != fresh:
                        return None
                    if dims == frame.last and all(result.numel() <= _KEPT for result in results):
                        frame.likes = [*map(empty_like, results)]
                    frame.last = dims
                else:
                    if out is not None:
                        results = out
                    elif template is not None:
                        results = (empty_like(template),)
                    elif likes is not None:
                        results = [*map(empty_like, likes)]
                    else:
                        results = [empty(s, strides, dtype=dtype, device="cpu") for s, strides, dtype in layouts]
                    objects = (*inputs, *results)
                    holder.value = id(objects) + items
                    if view(pointer, holder, frame.views, given_size) != given:
                        return None
            except CallError:
                raise
            except Exception:  # What torch refuses, the long way explains.
                return None
            status = call(address, host.context, frame.pointers, total)
            if status:
                if status == _SHAPE and frame.likes is not None:
                    frame.likes = None
                    return None
                entry._fail(status, host)
            return results
        finally:
            frames.append(frame)
            hosts.append(host)
    return way
