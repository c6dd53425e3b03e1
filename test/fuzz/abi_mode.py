# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random calls of the C ABI: null pointers, types, ranks, strides, overlaps. Each spoiling is refused with its code."""

import ctypes
import os
import random

import numpy as np

from guard_pages import (ABI_VERSION, ALLOC, NULL_ARGUMENT, NULL_CONTEXT, OK, OUT_OF_MEMORY, OVERLAP, PARALLEL_FOR, SHAPE, TYPE,
                         call_all, run_call)
from outcome import Outcome, of_breach
from size_case import Case, compile_module
from size_cases_attn import attention_case
from size_cases_blocks import block_cases
from size_cases_tensor import DECODE

BATCH = 40


def kernels():
    more = ("linear_bias", "norm_layer", "activation_gelu", "rope_offsets", "statistics_all")
    return [attention_case("lse", "static"), attention_case("kv_lengths", "grouped"), attention_case("plain", "decode", "bf16"), DECODE,
            *[case for case in block_cases() if case.name in more],
            Case("numbers", "a: f32, b: f32", "f32", "  %r = arith.addf %a, %b : tensor<f32>")]


class Spoiler:
    """Changes descriptors at random; `codes` are what the call may return then."""

    def __init__(self, rng, case, at_end):
        self.rng, self.case, self.codes, self.done = rng, case, set(), []
        self.ways = [self.null_context, self.abi_version, self.null_tensor, self.null_shape, self.null_data, self.device, self.type,
                     self.rank, self.size, self.no_alloc, self.offset, self.same_input, self.overlap, self.zero_stride, self.no_threads,
                     self.odd_device_id]
        self.at_end = at_end

    def __call__(self, tensors, pointers, context):
        self.tensors, self.pointers, self.context, self.where = tensors, pointers, context, ctypes.byref(context)
        self.shapes, self.keep = [list(tensor.shape[:tensor.ndim]) for tensor in tensors], []
        for way in self.rng.sample(self.ways, self.rng.choice([0, 1, 1, 1, 2])):
            way()
        return self.where

    def pick(self, outputs=True):
        i = self.rng.randrange(len(self.tensors) if outputs else len(self.case.inputs))
        return i, self.tensors[i]

    def written(self, i):
        return i >= len(self.case.inputs) or self.case.inputs[i].is_inout

    def note(self, what, code):
        self.done.append(what)
        self.codes.add(code)

    def null_context(self):
        self.where = None
        self.note("the context is null", NULL_CONTEXT)

    def abi_version(self):
        self.context.abi_version = self.rng.choice([0, 2, 2**32 - 1])
        self.note("another ABI", ABI_VERSION)

    def null_tensor(self):
        i, _ = self.pick()
        self.pointers[i] = None
        self.note(f"tensor {i} is null", NULL_ARGUMENT)

    def null_shape(self):
        i, tensor = self.pick()
        if tensor.ndim:
            tensor.shape = ctypes.POINTER(ctypes.c_int64)()
            self.note(f"shape {i} is null", NULL_ARGUMENT)

    def null_data(self):
        i, tensor = self.pick()
        if 0 not in self.shapes[i]:
            tensor.data = None
            self.note(f"data {i} is null", NULL_ARGUMENT)

    def device(self):
        i, tensor = self.pick()
        tensor.device_type = self.rng.choice([0, 2, 4, 7, 99, -1])
        self.note(f"device {i}", TYPE)

    def odd_device_id(self):
        self.pick()[1].device_id = self.rng.choice([1, -1, 2**31 - 1])
        self.note("device id", OK)

    def type(self):
        """Integers have no sign in MLIR: both codes of DLPack are right for them."""
        i, tensor = self.pick()
        field, value = self.rng.choice([("lanes", 4), ("lanes", 0), ("bits", 1), ("bits", 128), ("code", 17), ("code", 255),
                                        ("code", 2 if tensor.code == 0 else 0)])
        setattr(tensor, field, value)
        self.note(f"{field} of {i} is {value}", TYPE)

    def rank(self):
        i, tensor = self.pick()
        tensor.ndim = self.rng.choice([tensor.ndim + 1, tensor.ndim - 1, -1, 2**31 - 1, -2**31])
        self.note(f"rank of {i} is {tensor.ndim}", SHAPE)

    def size(self):
        i, tensor = self.pick()
        dims = (self.case.inputs + self.case.outputs)[i].dims
        static = [d for d, dim in enumerate(dims) if dim.isdigit() or i >= len(self.case.inputs)]
        if static and tensor.shape:
            d = self.rng.choice(static)
            tensor.shape[d] = self.rng.choice([-1, -2**63, tensor.shape[d] + 1, 2**62, 2**31])
            self.note(f"dimension {d} of {i} is {tensor.shape[d]}", SHAPE)

    def no_alloc(self):
        self.context.alloc = self.rng.choice([ALLOC(0), ALLOC(lambda *_: None)])
        self.note("no memory", OK)
        self.codes.add(OUT_OF_MEMORY)

    def no_threads(self):
        self.context.parallel_for = PARALLEL_FOR(0)
        self.note("no threads", OK)

    def offset(self):
        _, tensor = self.pick()
        if tensor.data:
            tensor.byte_offset = self.rng.choice([1, 4, 64, 4096, 2**40])
            tensor.data = (tensor.data - tensor.byte_offset) % 2**64
            self.note("byte_offset", OK)

    def same_input(self):
        """Inputs may share memory."""
        for i, a in enumerate(self.case.inputs):
            for j in range(i):
                b = self.case.inputs[j]
                if (a.dims, a.element) == (b.dims, b.element) and not a.is_inout and not b.is_inout and not self.done:
                    self.tensors[i].data = self.tensors[j].data
                    return self.note(f"inputs {j} and {i} are one", OK)
        return None

    def reach(self, i):
        code_bytes = (self.case.inputs + self.case.outputs)[i]
        size = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "bf16": 2, "f16": 2, "i1": 1}[code_bytes.element]
        return int(np.prod(self.shapes[i])) * size

    def overlap(self):
        """A written tensor begins inside another one, or just behind it."""
        if self.done:
            return
        i, j = self.rng.randrange(len(self.tensors)), self.rng.randrange(len(self.tensors))
        if i == j or not self.written(i) or not self.reach(i) or not self.reach(j):
            return
        shift = self.rng.choice([0, 1, self.reach(j) - 1, 1 - self.reach(i)])
        self.tensors[i].data = self.tensors[j].data + shift
        self.note(f"tensor {i} begins {shift} bytes behind tensor {j}", OVERLAP)

    def zero_stride(self):
        """Legal for inputs; elements of an output must be apart."""
        i, tensor = self.pick()
        wide = [d for d, size in enumerate(self.shapes[i]) if size > 1]
        if not wide or 0 in self.shapes[i] or self.done or (self.written(i) and i < len(self.case.inputs)):
            return
        strides = [int(np.prod(self.shapes[i][d + 1:])) for d in range(tensor.ndim)]
        strides[self.rng.choice(wide)] = 0
        self.keep.append((ctypes.c_int64 * tensor.ndim)(*strides))
        tensor.strides = self.keep[-1]
        self.note(f"a stride of {i} is 0", OVERLAP if self.written(i) else OK)


class AbiMode:
    def __init__(self, tools):
        self.tools, self.cases = tools, kernels()
        stem = os.path.join(tools.directory, f"abi-{os.getpid()}")
        path, text = compile_module(tools.path("attn-compile"), self.cases, stem)
        if not path:
            raise RuntimeError(text)
        self.library = ctypes.CDLL(path)

    def work(self, seed):
        """One call; the outcome and what was spoilt."""
        rng = random.Random(seed)
        case = rng.choice(self.cases)
        inputs, outputs = case.tensors(case.shapes(), np.random.default_rng(1))
        spoiler = Spoiler(rng, case, True)
        result = run_call(self.library, case.name, inputs, outputs, rng.random() < 0.5, rng.choice([1, 2]), spoiler)
        result.outputs, result.what = [], f"{case.name}: " + ", ".join(spoiler.done)
        wrong = spoiler.codes - {OK, OUT_OF_MEMORY}
        result.wanted = wrong | (spoiler.codes & {OUT_OF_MEMORY}) if wrong else spoiler.codes | {OK}
        return result

    def run(self, seed):
        worst = Outcome("ok")
        seeds = [f"{seed}.{i}" for i in range(BATCH)]
        for name, result in zip(seeds, call_all([lambda s=s: self.work(s) for s in seeds], self.tools.seconds)):
            breach = result.breach()
            if breach:
                worst = of_breach(*breach, f"call {name}" if result.fault else result.what)
            elif result.status not in result.wanted:
                worst = Outcome("wrong", f"status {result.status} instead of {result.wanted}: {result.what}: {result.message}")
            if worst.kind != "ok":
                return worst, None
        return worst, None
