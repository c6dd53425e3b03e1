# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls compiled kernels with tensors that end, or begin, at a page that may not be touched.

Calls run in a forked child, so that a signal is an outcome and not the end. What
lies around and between the elements of a tensor is filled with a known byte and looked
at afterwards; inputs, and scratch beyond its size, are pages that may not be written.
"""

import ctypes
import os
import pickle
import resource
import select
import signal
import struct
import threading
import time
import traceback

import numpy as np

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
PAGE = resource.getpagesize()
READ, WRITE, PRIVATE_ANONYMOUS = 1, 2, 0x22
CANARY = 0xA5
#: codes of attn_status
OK, NULL_CONTEXT, ABI_VERSION, NULL_ARGUMENT, TYPE, SHAPE, OVERLAP, OUT_OF_MEMORY, UNSUPPORTED_ISA, ASSERTION = range(10)
#: what a call may map in all, so that a wrong size is "out of memory" and not a busy machine
ADDRESS_SPACE = 16 << 30

#: name in MLIR -> DLPack's code and bits, numpy's type (bf16 as its bits)
DTYPES = {"f64": (2, 64, np.float64), "f32": (2, 32, np.float32), "f16": (2, 16, np.float16), "bf16": (4, 16, np.uint16),
          "i64": (0, 64, np.int64), "i32": (0, 32, np.int32), "i16": (0, 16, np.int16), "i8": (0, 8, np.int8),
          "i1": (6, 8, np.bool_), "index": (0, 64, np.int64)}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
PARALLEL_FOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class Context(ctypes.Structure):
    _fields_ = [("abi_version", ctypes.c_uint32), ("host", ctypes.c_void_p), ("alloc", ALLOC), ("free", FREE),
                ("parallel_for", PARALLEL_FOR), ("error", ctypes.c_char * 256)]


def map_guarded(size, align, at_end):
    """Memory between two pages that may not be touched: its start, and the first and one past the last of its own pages."""
    pages = (size + PAGE - 1) // PAGE * PAGE
    whole = LIBC.mmap(None, pages + 2 * PAGE, 0, PRIVATE_ANONYMOUS | 0x4000, -1, 0)
    if whole in (None, ctypes.c_void_p(-1).value):
        return None
    first, last = whole + PAGE, whole + PAGE + pages
    if pages and LIBC.mprotect(first, pages, READ | WRITE):
        LIBC.munmap(whole, pages + 2 * PAGE)
        return None
    start = (last - size) // align * align if at_end else first
    return start, first, last


class Tensor:
    """An argument. `values` are an array, or what a size of 1 stands for all indices of (a stride of 0)."""

    def __init__(self, values, element, shape=None, layout="compact", written=False):
        self.values, self.element, self.layout, self.written = values, element, layout, written
        self.shape = tuple(values.shape if shape is None else shape)

    def strides(self):
        """In elements; None where they are compact."""
        held = self.values.shape
        strides, step = [0] * len(held), {"columns": 2}.get(self.layout, 1)
        for axis in range(len(held) - 1, -1, -1):
            strides[axis] = step
            step = step * max(held[axis], 1) + (3 if self.layout in ("rows", "columns") and axis == len(held) - 1 else 0)
        if self.layout == "reversed":
            strides = [-stride for stride in strides]
        spread = [axis for axis, size in enumerate(self.shape) if size != held[axis]]
        for axis in spread:
            strides[axis] = 0
        return None if self.layout == "compact" and not spread else strides

    def place(self, at_end):
        """Puts it into memory of its own; returns its DLTensor."""
        code, bits, dtype = DTYPES[self.element]
        item = bits // 8
        strides = self.strides()
        steps = strides or [s // item for s in np.empty(self.values.shape, np.dtype(f"u{item}")).strides]
        reach = [(size - 1) * step for size, step in zip(self.values.shape, steps)]
        empty = 0 in self.values.shape
        low, high = (0, -1) if empty else (sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach))
        size = (high - low + 1) * item
        start, first, last = map_guarded(size, 1, at_end)
        self.pages = first - PAGE, last - first + 2 * PAGE
        self.memory = np.frombuffer((ctypes.c_uint8 * (last - first)).from_address(first), np.uint8)
        if self.memory.size < 1 << 26:  # what is larger stays zero, as the system gives it
            self.memory[:] = CANARY
        self.own = np.zeros(self.memory.size, bool)
        data = start - low * item
        if not empty:
            def view(array, kind):
                part = array[start - first:start - first + size].view(kind)
                return np.lib.stride_tricks.as_strided(part[-low:], self.values.shape, [s * item for s in steps])
            self.elements = view(self.memory, dtype)
            self.elements[...] = self.values
            mark = self.own.view(np.uint8)
            view(mark, {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[item])[...] = int("01" * item, 16)
        else:
            self.elements = np.empty(self.values.shape, dtype)
        if not self.written and last > first:
            LIBC.mprotect(first, last - first, READ)
        self.shape_array = (ctypes.c_int64 * max(len(self.shape), 1))(*self.shape)
        self.strides_array = (ctypes.c_int64 * max(len(self.shape), 1))(*strides) if strides else None
        return DLTensor(data, 1, 0, len(self.shape), code, bits, 1, self.shape_array, self.strides_array, 0)

    def touched(self):
        """How many bytes around its elements changed."""
        if self.memory.size >= 1 << 26:
            return 0
        return int(np.count_nonzero(self.memory[~self.own] != CANARY))


    def release(self):
        LIBC.munmap(*self.pages)
        self.memory = self.elements = None


class Outcome:
    """What a call did: a status and its text, or a signal; bytes outside; what the written tensors hold; what __shapes says;
    whether a check failed after outputs had been written; how many pieces of scratch were not given back."""

    def __init__(self, status=None, message="", fault="", outside=(), outputs=(), dims=None, late=False, kept=0):
        self.status, self.message, self.fault = status, message, fault
        self.outside, self.outputs, self.dims = list(outside), list(outputs), dims
        self.late, self.kept = late, kept

    def breach(self):
        """What no call may do, whatever it returns: its kind and a text, or None."""
        if self.fault:
            return "hang" if "no end" in self.fault else "crash", self.fault
        if self.outside:
            return "outside", f"bytes that are not its own were written: {self.outside}"
        if self.late:
            return "late", f"refused after outputs had been written: {self.message}"
        if self.kept:
            return "leak", f"{self.kept} pieces of scratch were not given back"
        return None


def make_context(threads):
    live = {}

    def alloc(_, size, align):
        place = map_guarded(size, max(align, 1), True)
        if not place:
            return None
        live[place[0]] = place
        return place[0]

    def parallel_for(_, fn, data, count):
        body, left, lock = BODY(fn), iter(range(count - 1, -1, -1)), threading.Lock()

        def work():
            while True:
                with lock:
                    i = next(left, None)
                if i is None:
                    return
                body(data, i)
        team = [threading.Thread(target=work) for _ in range(threads)]
        for thread in team:
            thread.start()
        for thread in team:
            thread.join()
    def free(_, start):
        if start in live:
            _, first, last = live.pop(start)
            LIBC.munmap(first - PAGE, last - first + 2 * PAGE)
    context = Context(1, None, ALLOC(alloc), FREE(free),
                      PARALLEL_FOR(parallel_for) if threads > 1 else PARALLEL_FOR(0), b"")
    context.live = live
    return context


def run_call(library, name, inputs, outputs, at_end=True, threads=1, change=None):
    """The call itself, which may be the end of the process. `change` may spoil the descriptors, the pointers to them and the
    context first; what it returns is the pointer to the context."""
    tensors = list(inputs) + list(outputs)
    placed = [tensor.place(at_end) for tensor in tensors]
    pointers = [ctypes.byref(tensor) for tensor in placed]
    context = make_context(threads)
    where = change(placed, pointers, context) if change else ctypes.byref(context)
    dims = (ctypes.c_int64 * 64)()
    shapes_status = library[name + "__shapes"](where, *pointers[:len(inputs)], dims)
    context.error = b""
    before = [np.array(tensor.elements) for tensor in tensors if tensor.written and tensor.values.nbytes < 1 << 24]
    status = library[name](where, *pointers)
    after = [np.array(tensor.elements) for tensor in tensors if tensor.written and tensor.values.nbytes < 1 << 24]
    outside = [(i, tensor.touched()) for i, tensor in enumerate(tensors) if tensor.touched()]
    late = False
    if status not in (OK, OUT_OF_MEMORY, ASSERTION) and any(a.tobytes() != b.tobytes() for a, b in zip(before, after)):
        late = True
    for tensor in tensors:
        tensor.release()
    return Outcome(status, context.error.decode(errors="replace"), "", outside, after if status == OK else [],
                   (shapes_status, list(dims[:sum(len(t.shape) for t in outputs)])), late, len(context.live))


def send_all(pipe, works):
    """In the child: what each call gives, with its length before it."""
    for work in works:
        try:
            answer = pickle.dumps(work())
        except Exception:  # pylint: disable=broad-except
            answer = pickle.dumps(Outcome(fault="the harness: " + traceback.format_exc()))
        pipe.write(struct.pack("<Q", len(answer)) + answer)
        pipe.flush()


def receive(pipe, size, end):
    """So many bytes; fewer when the writer has gone, None when the time is over."""
    data = b""
    while len(data) < size:
        if not select.select([pipe], [], [], max(end - time.monotonic(), 0))[0]:
            return None
        part = os.read(pipe, min(size - len(data), 1 << 20))
        if not part:
            break
        data += part
    return data


def call_all(works, seconds=60):
    """What each of the functions returns that make a call (see run_call), in children: one, and another after each that dies."""
    done = 0
    while done < len(works):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if "ASAN_OPTIONS" not in os.environ:  # whose shadow is larger
                resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
            with os.fdopen(writer, "wb") as pipe:
                send_all(pipe, works[done:])
            os._exit(0)
        os.close(writer)
        fault, how = None, 0
        try:
            while done < len(works) and not fault:
                end = time.monotonic() + seconds
                length = receive(reader, 8, end)
                answer = receive(reader, struct.unpack("<Q", length)[0], end) if length and len(length) == 8 else length
                if answer:
                    yield pickle.loads(answer)
                    done += 1
                else:
                    fault = f"no end within {seconds} s" if answer is None else "signal"
        finally:  # the caller may have seen enough
            if fault != "signal":
                os.kill(child, signal.SIGKILL)
            _, how = os.waitpid(child, 0)
            os.close(reader)
        if fault:
            if fault == "signal":
                fault = signal.Signals(os.WTERMSIG(how)).name if os.WIFSIGNALED(how) else f"exit code {os.WEXITSTATUS(how)}"
            yield Outcome(fault=fault)
            done += 1
