# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels and their entries, which are what programs call.

The path of a call is written for its time, about two microseconds: what can be known before is kept in a frame, and
conversions of ctypes are left out.
"""

from __future__ import annotations

import ctypes
import json
from itertools import accumulate
from typing import Any, Callable, Sequence

from . import _capi
from .calls import make_numpy_way, make_torch_way
from .compiler import Compiler, Message
from .errors import AttnError, make_call_error
from .hosts import Host, default_threads, idle_hosts, take_host
from .module import EntrySpec
from .tensors import BINDERS, Maker


class Kernel:
    """Code in this process, made by `Module.compile` or `Kernel.load`.

    entries: by name. description: the JSON of attn_kernel_describe, schedules and remarks among it.
    messages: what passes said while it was compiled.
    """

    def __init__(self, handle: ctypes.c_void_p, messages: Sequence[Message] = ()):
        self._library = _capi.lib()
        self._handle = handle
        self.messages = list(messages)
        self.description: dict = json.loads(self._library.attn_kernel_describe(handle))
        self.specs = {spec.name: spec for spec in EntrySpec.read(self.description)}

    def __del__(self):
        if getattr(self, "_handle", None):
            self._library.attn_kernel_destroy(self._handle)
            self._handle = None

    @property
    def handle(self) -> ctypes.c_void_p:
        """The attn_kernel, for other functions of the C API."""
        return self._handle

    def spec(self, name: str | None = None) -> EntrySpec:
        """Of the entry called `name`, or the only one."""
        if name is None and len(self.specs) == 1:
            return next(iter(self.specs.values()))
        if name not in self.specs:
            raise AttnError(f"there is no entry {name!r}: choose one of {', '.join(self.specs)}")
        return self.specs[name]

    def address(self, name: str | None = None) -> int:
        """Of the attn_entry, for attn_entry_call and its like."""
        return self._library.attn_kernel_entry(self._handle, self.spec(name).name.encode())

    def entry(self, name: str | None = None) -> Entry:
        """What to call; `name` may be left out where there is one only."""
        return Entry(self, name)

    def __call__(self, *inputs, out=None):
        return self.entry()(*inputs, out=out)

    def to_bytes(self) -> bytes:
        """Code and description, for `from_bytes` on this machine with this version."""
        return _capi.take_buffer(_make(self._library.attn_kernel_save, self._handle))

    def begin_profile(self) -> None:
        """Counts from here on, in a kernel that was compiled with `Options(profile=True)`."""
        if self._library.attn_kernel_profile_begin(self._handle):
            raise AttnError("the kernel counts nothing: compile it with Options(profile=True), and not from the cache")

    def read_profile(self, calls: int) -> dict:
        """After so many calls and nothing else: {"calls", "seconds", "steps": [{"name", "location", "seconds",
        "runs"}]}, per call, the longest step first."""
        return json.loads(_capi.take_buffer(_make(self._library.attn_kernel_profile, self._handle, calls)))

    def page(self, title: str | None = None, summary: str | None = None, source: bytes | None = None) -> str:
        """How a kernel came about that was compiled with `Options(page=True)`, as HTML: schedules, what `read_profile`
        found last, remarks, the module after each phase.

        summary: what it begins with, a paragraph a line. source: the text that the module was parsed from, for the
        remarks to stand at its lines."""
        options = _capi.PageOptions(ctypes.sizeof(_capi.PageOptions), title.encode() if title else None,
                                    summary.encode() if summary else None, source)
        return _capi.take_buffer(_make(self._library.attn_kernel_page, self._handle, ctypes.byref(options))).decode()

    @classmethod
    def from_bytes(cls, data: bytes, compiler: Compiler | None = None) -> Kernel:
        """What `to_bytes` gave. It is code that will run: take it from nobody else."""
        compiler = compiler or Compiler()
        return cls(compiler.make(compiler._library.attn_kernel_load, compiler.handle, data, len(data)))


def _make(function, *arguments) -> ctypes.c_void_p:
    made = ctypes.c_void_p()
    if function(*arguments, ctypes.byref(made)):
        raise AttnError(f"{function.__name__} failed: the kernel was not compiled for it, or there is no memory")
    return made


class _Frame:
    """The arguments of one call: pointers to DLTensors, and room for those that are made here."""

    __slots__ = ("pointers", "slots", "addresses", "specs", "dims", "views", "fresh_views", "holder",
                 "last", "likes")

    def __init__(self, specs, bound, dims: int, fresh: int = 0):
        count = len(specs)
        self.pointers = (ctypes.c_void_p * count)()
        self.slots = (_capi.DLTensor * count)()
        start, size = ctypes.addressof(self.slots), ctypes.sizeof(_capi.DLTensor)
        self.addresses = [start + i * size for i in range(count)]
        self.specs = specs
        self.dims = (ctypes.c_int64 * dims)()
        # Those that are not given for good, one after the other: where attn_tensors_view writes.
        free = [i for i in range(count) if i not in bound]
        self.views = (ctypes.c_void_p * len(free))(*[self.addresses[i] for i in free])
        self.fresh_views = ctypes.c_void_p(ctypes.addressof(self.views) + (len(free) - fresh) * ctypes.sizeof(ctypes.c_void_p))
        # Where objects lie that are given to the library at once.
        self.holder = ctypes.c_void_p()
        # Sizes of the last call's results where they vary, and what makes such results, once they came twice.
        self.last: list | None = None
        self.likes: list | None = None
        for i in range(count):
            self.pointers[i] = bound.get(i, self.addresses[i])


class Entry:
    """A function of a kernel, called with tensors: numpy's, torch's, JAX's, or others with `__dlpack__`.

    spec: types of arguments and results. threads: None takes torch.get_num_threads() when called with torch's tensors,
    else `attn.set_threads`. Results do not depend on it, to the last bit. Any number of threads may call an entry at
    the same time.
    """

    threads: int | None = None

    def __init__(self, kernel: Kernel, name: str | None = None):
        self.kernel = kernel
        self.spec = kernel.spec(name)
        self._address = ctypes.c_void_p(kernel.address(name))
        inputs, outputs = self.spec.inputs, self.spec.outputs
        fresh = [spec for spec in outputs if spec.in_out is None]
        self._fresh, self._specs = fresh, (*inputs, *fresh)
        self._in_outs = [spec.in_out for spec in outputs] if len(fresh) < len(outputs) else None
        static = all(None not in spec.shape for spec in fresh)
        self._shapes = [spec.shape for spec in fresh] if static else None
        # Which of the sizes that attn_entry_shapes writes are whose.
        ends = [0, *accumulate(len(spec.shape) for spec in fresh)]
        self._parts = [slice(start, end) for start, end in zip(ends, ends[1:])]
        self._count, self._input_count = ctypes.c_size_t(len(self._specs)), ctypes.c_size_t(len(inputs))
        self._frames: list[_Frame] = []
        self._makers: dict[type, Maker] = {}
        self._bound: dict[int, Any] = {}
        self._free = tuple(range(len(inputs)))
        self._call, self._ask = kernel._library.attn_entry_call, kernel._library.attn_entry_shapes
        self._ways: dict[type, Callable] = {}

    def bind(self, arguments: dict[int, Any]) -> None:
        """Gives inputs, by position, for good: weights, say. What is written to these tensors in place is seen by
        later calls. The other inputs keep their order."""
        frame = _Frame(self._specs, {}, 0)
        for i, tensor in arguments.items():
            keep = BINDERS[type(tensor)](tensor, frame, i)
            self._bound[i] = (frame.pointers[i], frame, keep, tensor)
        self._free = tuple(i for i in range(len(self.spec.inputs)) if i not in self._bound)
        self._frames.clear()
        self._ways.clear()

    def _make_frame(self) -> _Frame:
        return _Frame(self._specs, {i: kept[0] for i, kept in self._bound.items()},
                      sum(len(spec.shape) for spec in self._fresh), len(self._fresh))

    def _make_maker(self, kind) -> Maker:
        self._makers[kind] = maker = Maker(kind, self._fresh)
        return maker

    def _ask_shapes(self, frame: _Frame, host: Host) -> list:
        """Of the results, from the shapes of the arguments."""
        status = self._ask(self._address, host.context, frame.pointers, self._input_count, frame.dims)
        if status:
            raise make_call_error(status, host.error)
        dims = frame.dims[:]
        return [tuple(dims[part]) for part in self._parts]

    def _results(self, inputs, results):
        """One tensor or a tuple; a cache that was updated is the argument itself."""
        if self._in_outs is not None:
            given, made = dict(zip(self._free, inputs)), iter(results)
            results = [next(made) if i is None else given[i] if i in given else self._bound[i][3]
                       for i in self._in_outs]
        return results[0] if len(results) == 1 else tuple(results)

    def _check_count(self, inputs, out) -> None:
        if len(inputs) != len(self._free):
            raise TypeError(f"{self.spec.name} takes {len(self._free)} tensors, {len(inputs)} were given")
        if out is not None and len(out) != len(self._fresh):
            raise TypeError(f"{self.spec.name} has {len(self._fresh)} results to write, out has {len(out)}")
        for x in out or ():
            if getattr(getattr(x, "flags", None), "writeable", True) is False:
                raise ValueError("out is read-only")

    def _find_way(self, kind) -> Callable:
        """A short way for calls with tensors of this type; one that takes nothing where there is none."""
        family = kind.__module__.partition(".")[0]
        make = {"numpy": make_numpy_way, "torch": make_torch_way}.get(family)
        way = make(self) if make and hasattr(kind, "__dlpack__") else None
        self._ways[kind] = way = way or (lambda entry, inputs, out: None)
        return way

    def _fail(self, status: int, host: Host) -> None:
        raise make_call_error(status, host.error)

    def __call__(self, *inputs, out=None):
        """Runs it.

        inputs: tensors on the CPU of the entry's types, with any strides; numbers for scalars.
        out: where results go, a tensor or a tuple; without it they are new tensors of the first input's kind.
        Returns a tensor or a tuple of them. A cache that is updated in place is returned as it was given.
        Raises ShapeError, DTypeError, OverlapError, AssertionFailed, OutOfMemory."""
        if out is not None:
            out = out if isinstance(out, (tuple, list)) else (out,)
            self._check_count(inputs, out)
        results = None
        if inputs:
            kind = type(inputs[0])
            way = self._ways.get(kind) or self._find_way(kind)
            results = way(self, inputs, out)
        if results is None:
            results = self._call_slowly(inputs, out)
        return results[0] if self._in_outs is None and len(results) == 1 else self._results(inputs, results)

    def _call_slowly(self, inputs, out):
        """For tensors of any kinds."""
        self._check_count(inputs, out)
        kind = type(inputs[0]) if inputs else type(out[0]) if out else type(None)
        maker = self._makers.get(kind) or self._make_maker(kind)
        threads = self.threads or (maker.torch.get_num_threads() if maker.torch else default_threads())
        host = take_host(threads)
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = self._make_frame()
        try:
            keep = [BINDERS[type(x)](x, frame, i) for x, i in zip(inputs, self._free)]
            results = out
            if out is None:
                shapes = self._ask_shapes(frame, host) if self._shapes is None else self._shapes
                results = [empty(shape) for empty, shape in zip(maker.empty, shapes)]
            for i, x in enumerate(results, len(self.spec.inputs)):
                keep.append(BINDERS[type(x)](x, frame, i))
            status = self._call(self._address, host.context, frame.pointers, self._count)
            if status:
                raise make_call_error(status, host.error)
        finally:
            self._frames.append(frame)
            idle_hosts(threads).append(host)
        return [maker.finish(x) for x in results] if out is None and maker.finish else results

    def __repr__(self) -> str:
        return (f"<attn entry {self.spec.name}({', '.join(map(str, self.spec.inputs))}) -> "
                f"({', '.join(map(str, self.spec.outputs))})>")
