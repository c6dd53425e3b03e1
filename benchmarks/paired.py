# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares kernels that differ by little: compiled ahead of time, loaded into this process and called in turn.

Runs of attn-run are seconds apart, in which a shared machine changes its clock, and in processes of their own, in which
pages lie elsewhere: their ratio scatters by two percent. Calls that follow each other on the same arrays see the same
machine; where nothing disturbs them, the ratio of their medians scatters by a few tenths of a percent. One thread only:
the kernels loop by themselves.
"""

import ctypes
import json
import os
import statistics
import subprocess
import sys
import time

import numpy

ABI_VERSION = 1
CPU = 1
CACHE_LINE = 64
# Where code is put, in bytes behind the start of a line.
SHIFTS = (0, 16, 32, 48)
# What holds the elements of each type, and its code in DLPack: numpy has no bf16.
TYPES = {"f16": (numpy.float16, 2), "f32": (numpy.float32, 2), "f64": (numpy.float64, 2), "bf16": (numpy.uint16, 4),
         "i1": (numpy.uint8, 6), "i32": (numpy.int32, 0), "i64": (numpy.int64, 0)}
# What a size is that the kernel does not know, and what integers are: places within that, and within most tables.
SIZE, INTEGER = 512, 255
ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class Refused(Exception):
    """A kernel did not take its arguments."""


class Tensor(ctypes.Structure):
    """DLTensor."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Context(ctypes.Structure):
    """attn_context."""
    _fields_ = [("abi_version", ctypes.c_uint32), ("host", ctypes.c_void_p), ("alloc", ALLOCATE), ("free", FREE),
                ("parallel_for", ctypes.c_void_p), ("error", ctypes.c_char * 256)]


class Host:
    """A context whose scratch memory is kept from call to call, and arrays that kernels share."""

    def __init__(self):
        self.blocks, self.free, self.arrays = {}, {}, {}
        self.context = Context(abi_version=ABI_VERSION, alloc=ALLOCATE(self.allocate), free=FREE(self.release))

    def allocate(self, _host, size, align):
        if self.free.get(size):
            return self.free[size].pop()
        block = numpy.empty(size + align, numpy.uint8)
        address = -(-block.ctypes.data // align) * align
        self.blocks[address] = (size, block)
        return address

    def release(self, _host, address):
        self.free.setdefault(self.blocks[address][0], []).append(address)

    def tensor(self, role, description):
        """The array of this role and shape, as a DLTensor; standard normal draws, and integers that are all the same."""
        shape = [size if isinstance(size, int) else SIZE for size in description["shape"]]
        dtype, code = TYPES[description["dtype"]]
        key = (role, tuple(shape), dtype)
        if key not in self.arrays:
            count = int(numpy.prod(shape))
            block = numpy.empty(count * dtype().itemsize + CACHE_LINE, numpy.uint8)
            start = -block.ctypes.data % CACHE_LINE
            array = block[start:start + count * dtype().itemsize].view(dtype)
            numbers = numpy.random.default_rng(0).standard_normal(count)
            if description["dtype"] == "bf16":
                numbers = numbers.astype(numpy.float32).view(numpy.uint32) >> 16
            array[:] = numbers if code in (2, 4) else 1 if code == 6 else INTEGER
            sizes = (ctypes.c_int64 * len(shape))(*shape)
            tensor = Tensor(data=array.ctypes.data, device_type=CPU, ndim=len(shape), code=code,
                            bits=8 * dtype().itemsize, lanes=1, shape=sizes)
            self.arrays[key] = (tensor, array, sizes)
        return self.arrays[key][0]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


class Kernel:
    """The function @NAME of a module, or its first that callers see, compiled for this machine.

    Its code lies `shift` bytes behind the start of a cache line.
    """

    count = 0

    def __init__(self, compiler, text, directory, name, shift, flags):
        # The loader takes a file of the same name for the one that it has.
        Kernel.count += 1
        prefix = os.path.join(directory, f"kernel{Kernel.count}")
        with open(prefix + ".mlir", "w", encoding="utf-8") as file:
            file.write(text)
        run([compiler, prefix + ".mlir", "-o", prefix, "--emit=obj,metadata", "--threads=1", *flags])
        # Code at other addresses: in front of it stands something that nobody runs.
        with open(prefix + ".s", "w", encoding="utf-8") as file:
            file.write(f".text\n.balign 64\n.skip {shift}\n.section .note.GNU-stack\n")
        run(["cc", "-shared", "-nostdlib", "-o", prefix + ".so", prefix + ".s", prefix + ".o"])
        with open(prefix + ".json", encoding="utf-8") as file:
            self.description = next(f for f in json.load(file)["entries"] if name in (None, f["name"]))
        self.function = getattr(ctypes.CDLL(prefix + ".so"), self.description["name"])

    def bind(self, host):
        roles = [(f"input {i}", t) for i, t in enumerate(self.description["inputs"])]
        roles += [(f"output {i}", t) for i, t in enumerate(self.description["outputs"])]
        pointers = [ctypes.byref(host.tensor(role, t)) for role, t in roles]
        context = ctypes.byref(host.context)

        def call():
            start = time.perf_counter()
            if self.function(context, *pointers) != 0:
                raise Refused(host.context.error.decode())
            return time.perf_counter() - start
        return call


def build_kernels(compiler, text, directory, name=None, flags=()):
    """A function's kernel at several addresses."""
    return [Kernel(compiler, text, directory, name, shift, flags) for shift in SHIFTS]


def measure_ratio(first, second, seconds):
    """How many times as fast as the kernels `second` the kernels `first` are, for `seconds` of calls in turn.

    Each list has one kernel at several addresses. The same instructions differ by ten percent between these, so the
    fastest of each list counts.
    """
    host = Host()
    sides = [[(kernel.bind(host), []) for kernel in side] for side in (first, second)]
    turn = [pair for pairs in zip(*sides) for pair in pairs]
    for call, _ in turn:
        call()
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(turn[0][1]) < 8:
        # In both orders: each follows the others as often as they follow it.
        for call, times in turn + turn[::-1]:
            times.append(call())
    # The quarter that took least time: others had the core's other thread busy, or its clock lowered, for a while.
    fastest = [min(statistics.median(sorted(times)[:len(times) // 4]) for _, times in side) for side in sides]
    return fastest[1] / fastest[0]
