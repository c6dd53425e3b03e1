# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Short ways through a call: for numpy arrays alone, and for torch tensors alone.

A way is a function `(entry, inputs, out)` that returns the list of results, or None where it cannot take these arguments: then
the long way, which is right for everything, says what is wrong with them. Each is a closure over what an entry has, but
not over the entry, which keeps it, and written for its time: a host and a frame are taken in each way anew, since one more
Python function a call costs a tenth of a microsecond.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Callable, Optional

from . import hosts as pool
from .hosts import Host
from .tensors import _OFFSET, exchange_function

#: The process's memory as words, from where a capsule's pointer lies in it: one subscript reads that.
_words = (ctypes.c_void_p * (1 << 59)).from_address(_OFFSET)


def make_numpy_way(entry) -> Optional[Callable]:
    """With capsules, which numpy makes in a tenth of a microsecond."""
    if not _OFFSET:
        return None
    import numpy
    from .tensors import numpy_dtype
    frames, words, empty = entry._frames, _words, numpy.empty
    free, count, first = entry._free, len(entry._free), len(entry.spec.inputs)
    slots = (*free, *range(first, first + len(entry._fresh)))
    all_free = len(free) == first
    call, address, total = entry._call, entry._address, entry._count
    dtypes = [numpy_dtype(spec.dtype) for spec in entry._fresh]
    shapes = entry._shapes
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
            pointers = frame.pointers
            try:
                keep = [x.__dlpack__() for x in inputs]
                if out is not None:
                    results = out
                elif shape is not None:
                    results = (empty(shape, dtype),)
                elif shapes is not None:
                    results = [*map(empty, shapes, dtypes)]
                else:
                    for i, capsule in zip(free, keep):
                        pointers[i] = words[id(capsule) >> 3]
                    results = [*map(empty, entry._ask_shapes(frame, host), dtypes)]
                for x in results:
                    keep.append(x.__dlpack__())
            except (AttributeError, BufferError, TypeError):
                return None
            if all_free:
                pointers[:] = [words[id(capsule) >> 3] for capsule in keep]
            else:
                for i, capsule in zip(slots, keep):
                    pointers[i] = words[id(capsule) >> 3]
            status = call(address, host.context, pointers, total)
            if status:
                entry._fail(status, host)
            return results
        finally:
            frames.append(frame)
            hosts.append(host)
    return way


def make_torch_way(entry) -> Optional[Callable]:
    """With DLPack's table of C functions, called for all tensors at once."""
    torch = sys.modules["torch"]
    function = exchange_function(torch.Tensor)
    view = getattr(entry.kernel._library, "attn_tensors_view", None)
    if not function or view is None:
        return None
    view = ctypes.PyDLL(entry.kernel._library._name).attn_tensors_view
    view.restype = ctypes.c_size_t
    pointer = ctypes.c_void_p(function)
    # Of its own: their pointers stay as they were made.
    frames: list = []
    count, given = len(entry._free), len(entry._free) + len(entry._fresh)
    given_size = ctypes.c_size_t(given)
    inputs_size = ctypes.c_size_t(count)
    call, address, total = entry._call, entry._address, entry._count
    dtypes = [getattr(torch, spec.dtype) for spec in entry._fresh]
    shapes = entry._shapes
    # Given strides save a quarter of a microsecond.
    strides = shapes and [torch.empty(s, device="meta").stride() for s in shapes]
    shape, stride, dtype = (shapes[0], strides[0], dtypes[0]) if shapes and len(shapes) == 1 else (None, None, None)
    idle, lists, new_host, get_threads = pool.idle, pool.idle_hosts, Host, torch.get_num_threads
    kinds = {torch.Tensor, torch.nn.Parameter}
    empty, empty_strided = torch.empty, torch.empty_strided

    def way(entry, inputs, out):
        if len(inputs) != count:
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
            objects = frame.objects
            i = 0
            for x in inputs:
                if type(x) not in kinds:
                    return None
                objects[i] = id(x)
                i += 1
            if out is not None:
                results = out
            elif shape is not None:
                results = (empty_strided(shape, stride, dtype=dtype),)
            elif shapes is None:
                try:
                    if view(pointer, objects, frame.views, inputs_size) != count:
                        return None
                except Exception:
                    return None
                results = [empty(s, dtype=d) for s, d in zip(entry._ask_shapes(frame, host), dtypes)]
            else:
                results = [empty_strided(*how, dtype=d) for *how, d in zip(shapes, strides, dtypes)]
            for x in results:
                if type(x) not in kinds:
                    return None
                objects[i] = id(x)
                i += 1
            try:
                if view(pointer, objects, frame.views, given_size) != given:
                    return None
            except Exception:  # What torch refuses, the long way explains.
                return None
            status = call(address, host.context, frame.pointers, total)
            if status:
                entry._fail(status, host)
            return results
        finally:
            frames.append(frame)
            hosts.append(host)
    return way
