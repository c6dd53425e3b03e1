# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels whose results the simulator has noted, and compares bits.

A line of the file is one launch: {"ptx", "kernel", "grid", "block", "cluster", "shared", "buffers": [{"before",
"after"}]}, buffers in base64, in the order of the kernel's parameters.
"""

import base64
import ctypes
import gzip
import json
import re

import numpy as np

from worker import do_all

#: Instructions whose last bits PTX leaves open: they are counted apart.
APPROXIMATE = re.compile(r"\b(ex2|lg2|sin|cos|tanh|rcp|rsqrt|sqrt|div)\.(approx|full)|\btanh\b")


class Image(ctypes.Structure):
    """attn_gpu_image."""
    _fields_ = [("arch", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("bytes", ctypes.c_uint64),
                ("data", ctypes.c_char_p)]


class Module(ctypes.Structure):
    """attn_gpu_module."""
    _fields_ = [("abi_version", ctypes.c_uint32), ("num_images", ctypes.c_uint32), ("images", ctypes.POINTER(Image))]


class Parameter(ctypes.Structure):
    """attn_gpu_parameter."""
    _fields_ = [("bytes", ctypes.c_uint32), ("kind", ctypes.c_uint32)]


class Kernel(ctypes.Structure):
    """attn_gpu_kernel."""
    _fields_ = [("module", ctypes.POINTER(Module)), ("name", ctypes.c_char_p), ("block", ctypes.c_uint32 * 3),
                ("cluster", ctypes.c_uint32 * 3), ("num_parameters", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("parameters", ctypes.POINTER(Parameter))]


LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Kernel), ctypes.POINTER(ctypes.c_uint32),
                          ctypes.c_uint32, ctypes.POINTER(ctypes.c_void_p))


def decode(text):
    return np.frombuffer(base64.b64decode(text), np.uint8)


class Kernels:
    """The kernels of notes. The driver knows each by its address, so none goes away."""

    def __init__(self):
        self.images, self.modules, self.kernels = [], {}, []

    def get_module(self, ptx):
        if ptx not in self.modules:
            text = ptx.encode()
            self.images.append(Image(0, 0, len(text), text))
            self.modules[ptx] = Module(1, 1, ctypes.pointer(self.images[-1]))
        return self.modules[ptx]

    def add(self, note):
        kinds = (Parameter * len(note["buffers"]))(*[Parameter(8, 1)] * len(note["buffers"]))
        self.kernels.append(Kernel(ctypes.pointer(self.get_module(note["ptx"])), note["kernel"].encode(),
                                   (ctypes.c_uint32 * 3)(*note["block"]), (ctypes.c_uint32 * 3)(*note["cluster"]),
                                   len(kinds), 0, kinds))
        return self.kernels[-1]


def launch(driver, note, kernels):
    """Runs one noted launch; the buffers' bytes afterwards."""
    kernel = kernels.add(note)
    addresses = [ctypes.c_uint64(driver.upload(decode(buffer["before"]))) for buffer in note["buffers"]]
    values = (ctypes.c_void_p * len(addresses))(*[ctypes.addressof(address) for address in addresses])
    context = driver.context.contents
    after = []
    try:
        driver.check(LAUNCH(context.launch)(ctypes.addressof(context), ctypes.byref(kernel),
                                            (ctypes.c_uint32 * 3)(*note["grid"]), note["shared"], values))
        for address, buffer in zip(addresses, note["buffers"]):
            after.append(np.zeros(len(decode(buffer["after"])), np.uint8))
            driver.download(address.value, after[-1])
    finally:
        for address in addresses:
            driver.free(address.value)
    return after


#: Exponent and mantissa bits, and how often the format lies in a word of 64 bits.
FORMATS = {"f16": (5, 10, 4), "bf16": (8, 7, 4), "f32": (8, 23, 2), "f64": (11, 52, 1)}


def differ_in_nans(ptx, a, b):
    """Whether words are the same but for NaNs, of one of the formats in the kernel: PTX leaves their bits open."""
    a, b = (np.frombuffer(part.tobytes().ljust(-(-len(part) // 8) * 8, b"\0"), np.uint64) for part in (a, b))
    for name, (exponent, mantissa, count) in FORMATS.items():
        if not re.search(rf"\.{name}(x2)?\b", ptx):
            continue
        width = 64 // count
        same = np.ones(len(a), bool)
        for i in range(count):
            fields = [(word >> np.uint64(i * width)) & np.uint64((1 << width) - 1) for word in (a, b)]
            infinity = np.uint64(((1 << exponent) - 1) << mantissa)
            nans = [(field & np.uint64((1 << (width - 1)) - 1)) > infinity for field in fields]
            same &= (fields[0] == fields[1]) | (nans[0] & nans[1])
        if same.all():
            return True
    return False


def prepare(driver):
    """The function that runs a note: {"same": whether all bits are, or "NaN"}, or {"other": the bits}."""
    kernels = Kernels()

    def work(note):
        after = launch(driver, note, kernels)
        pairs = [(is_, decode(buffer["after"])) for is_, buffer in zip(after, note["buffers"])]
        if all(np.array_equal(*pair) for pair in pairs):
            return {"same": True}
        if all(differ_in_nans(note["ptx"], *pair) for pair in pairs):
            return {"same": "NaN"}
        return {"same": False} if APPROXIMATE.search(note["ptx"]) else \
            {"other": [base64.b64encode(is_.tobytes()).decode() for is_ in after]}
    return work


def run_golden(library, path):
    """{"kernels", "exact", "nan_bits", "approximate_same", "approximate_other", "failures": [...]} of all launches in the
    file. Crashes of the driver's compiler count as failures, too."""
    found = {"kernels": 0, "exact": 0, "nan_bits": 0, "approximate_same": 0, "approximate_other": 0, "failures": []}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        notes = [json.loads(line) for line in file]
    for number, (note, done) in enumerate(zip(notes, do_all(notes, library, prepare))):
        found["kernels"] += 1
        if "same" not in done:
            found["failures"].append({"line": number, "ptx": note["ptx"], "error": done.get("error", "other bits"),
                                      "after": done.get("other")})
        elif done["same"] == "NaN":
            found["nan_bits"] += 1
        elif APPROXIMATE.search(note["ptx"]):
            found["approximate_same" if done["same"] else "approximate_other"] += 1
        else:
            found["exact"] += 1
    return found
