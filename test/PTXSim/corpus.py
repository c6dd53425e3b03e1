# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a case of the PTX corpus is described, run and compared."""

import json
import lzma
import os
import re
import subprocess
import zlib
from dataclasses import dataclass, field

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(HERE, "corpus", "ptx")
NAMES = {"float32": "f32", "float16": "f16", "int32": "i32", "uint32": "u32", "uint8": "u8", "int64": "i64",
         "uint64": "u64", "int8": "i8", "uint16": "u16"}


def random(name):
    """A generator of its own for each case, the same on every machine."""
    return np.random.default_rng(zlib.crc32(name.encode()))


class Array:
    """Memory of a kernel. `before` None: poison. `after`: what it must hold then, bit for bit; but if there is a
    `reference` in f64, `after` is the plain computation in the kernel's types, and `top` its largest input."""

    def __init__(self, before=None, after=None, reference=None, top=0.0):
        self.before, self.after, self.reference, self.top = before, after, reference, top

    def wrong(self, got):
        """Why `got` is not what it must be; empty if it is."""
        if got.dtype != self.after.dtype or got.shape != self.after.shape:
            return f"is {got.dtype}{got.shape}"
        if self.reference is not None:
            return self.inaccurate(got)
        same = (got == self.after) | ((got != got) & (self.after != self.after))
        if same.all():
            return ""
        where = tuple(int(x) for x in np.argwhere(~same)[0])
        return f"{int((~same).sum())} of {same.size} wrong, first at {where}: {got[where]} instead of {self.after[where]}"

    def inaccurate(self, got):
        """No more than twice the error of the plain computation, and on average one and a half times."""
        error, naive = np.abs(got - self.reference), np.abs(self.after - self.reference)
        unit = np.finfo(np.float32).eps / 2
        slack = 4 * unit * self.top + unit * np.abs(self.reference).max()
        most, mean = 2 * naive.max() + slack, 1.5 * naive.mean() + slack / 8
        # Written so that NaN is wrong.
        if error.max() <= most and error.mean() <= mean:
            return ""
        where = tuple(int(x) for x in np.unravel_index(np.nanargmax(error), error.shape))
        return (f"off by {error.max():.3g} at {where} (allowed {most:.3g}), {error.mean():.3g} on average "
                f"(allowed {mean:.3g})")


@dataclass
class Map:
    """A tensor map over `array`, innermost dimension first, of which `strides` leaves out the innermost."""

    array: Array
    box: tuple
    swizzle: int = 0
    dtype: str = ""
    dims: tuple = ()
    strides: tuple = None
    element_strides: tuple = ()
    oob: str = "zero"
    offset: int = 0  # only inside a Struct

    def spec(self, index):
        data = self.array.before if self.array.before is not None else self.array.after
        dims = list(self.dims or data.shape[::-1])
        strides = list(self.strides) if self.strides is not None else [int(s) for s in data.strides[::-1][1:]]
        result = {"buffer": index, "dtype": self.dtype or NAMES[str(data.dtype)], "dims": dims, "box": list(self.box),
                  "swizzle": self.swizzle, "oob": self.oob}
        if len(dims) > 1:
            result["strides"] = strides
        if self.element_strides:
            result["element_strides"] = list(self.element_strides)
        return result


@dataclass
class Struct:
    """A parameter by value with tensor maps inside."""

    bytes: str
    maps: list


@dataclass
class Case:
    name: str
    file: str
    kernel: str
    args: list  # Array, Map, Struct or text such as "i32:7"
    grid: tuple = (1,)
    block: tuple = (1,)
    shared: int = 0
    cluster: tuple = ()
    extra: list = field(default_factory=list)


def read_ptx(name):
    with open(os.path.join(CORPUS, name + ".ptx.xz"), "rb") as file:
        return lzma.decompress(file.read()).decode()


def arrays_of(arg):
    if isinstance(arg, Map):
        return [arg.array]
    return [m.array for m in arg.maps] if isinstance(arg, Struct) else []


class Prepared:
    """A case with its files written: runs under any schedules, any PTX text."""

    def __init__(self, case, tool, directory):
        self.case, self.tool, self.directory = case, tool, directory
        self.order = list(case.args)
        for arg in case.args:
            for array in arrays_of(arg):
                if not any(array is other for other in self.order):
                    self.order.append(array)
        self.texts = [self.text(i, arg) for i, arg in enumerate(self.order)]
        self.ptx = self.write("kernel.ptx", read_ptx(case.file))

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def index(self, array):
        return next(i for i, other in enumerate(self.order) if other is array)

    def text(self, i, arg):
        if isinstance(arg, str):
            return arg
        if isinstance(arg, Map):
            return "tensormap:" + self.write(f"map{i}.json", json.dumps(arg.spec(self.index(arg.array))))
        if isinstance(arg, Struct):
            maps = [{**m.spec(self.index(m.array)), "offset": m.offset} for m in arg.maps]
            return "struct:" + self.write(f"struct{i}.json", json.dumps({"bytes": arg.bytes, "maps": maps}))
        if arg.before is None:
            shape = "x".join(map(str, arg.after.shape))
            return f"out:{NAMES[str(arg.after.dtype)]}:{shape}={self.path(f'out{i}.npy')}"
        np.save(self.path(f"in{i}.npy"), arg.before)
        if arg.after is None:
            return self.path(f"in{i}.npy")
        return f"inout:{self.path(f'in{i}.npy')}={self.path(f'out{i}.npy')}"

    def command(self, ptx, options):
        case = self.case
        command = [self.tool, ptx, f"--kernel={case.kernel}", "--grid=" + ",".join(map(str, case.grid)),
                   "--block=" + ",".join(map(str, case.block)), f"--shared={case.shared}", "--threads=1",
                   # Of all schedules together; only ends a run that hangs, on however busy a machine.
                   "--timeout=900"]
        if case.cluster:
            command.append("--cluster=" + ",".join(map(str, case.cluster)))
        return command + [f"--arg={text}" for text in self.texts] + list(options)

    def run(self, *options, ptx=None):
        """Exit status, report and messages."""
        report = self.path("report.json")
        if os.path.exists(report):
            os.remove(report)
        done = subprocess.run(self.command(ptx or self.ptx, [*options, f"--report={report}"]), capture_output=True,
                              text=True, check=False)
        found = {}
        if os.path.exists(report):
            with open(report, encoding="utf-8") as file:
                found = json.load(file)
        return done.returncode, found, (done.stdout + done.stderr).strip()

    def wrong_outputs(self):
        """One line for each output that is not as expected."""
        lines = []
        for i, arg in enumerate(self.order):
            if not isinstance(arg, Array) or arg.after is None:
                continue
            got = np.load(self.path(f"out{i}.npy"))
            problem = arg.wrong(got)
            if problem:
                lines.append(f"output {i}: {problem}")
        return lines


#===----------------------------------------------------------------------===#
# References
#===----------------------------------------------------------------------===#


def swizzle_bytes(linear, mode):
    """Where TMA puts the bytes of a box: 16-byte chunks exchanged by higher address bits."""
    offsets = np.arange(linear.size)
    rows = (offsets >> 7) & {0: 0, 32: 1, 64: 3, 128: 7}[mode]
    result = np.empty_like(linear)
    result[offsets ^ (rows << 4)] = linear
    return result


def box_of(tensor, start, box, fill=0, strides=None):
    """The box (innermost first) at `start` of a tensor, `fill` outside."""
    strides = strides or (1,) * len(box)
    counts = [-(-b // s) for b, s in zip(box, strides)]
    result = np.full(counts[::-1], fill, tensor.dtype)
    for index in np.ndindex(*result.shape):
        at = [start[d] + index[len(box) - 1 - d] * strides[d] for d in range(len(box))]
        if all(0 <= a < n for a, n in zip(at, tensor.shape[::-1])):
            result[index] = tensor[tuple(at[::-1])]
    return result


def attention(q, k, v, causal):
    """What attention must write: weights rounded to f16, sums in f32."""
    def softmax(s):
        if causal:
            s = np.where(np.tri(*s.shape, dtype=bool), s, -np.inf)
        p = np.exp(s - s.max(-1, keepdims=True))
        return p, p.sum(-1, keepdims=True)

    scale = 1 / np.sqrt(q.shape[-1])
    p, total = softmax(q.astype(np.float64) @ k.astype(np.float64).T * scale)
    reference = p @ v.astype(np.float64) / total
    p, total = softmax(q.astype(np.float32) @ k.astype(np.float32).T * np.float32(scale))
    naive = p.astype(np.float16).astype(np.float32) @ v.astype(np.float32) / total
    return Array(None, naive, reference, float(np.abs(v).max()))


def softmax(x):
    def compute(x):
        p = np.exp(x - x.max(1, keepdims=True))
        return p / p.sum(1, keepdims=True)

    return Array(None, compute(x), compute(x.astype(np.float64)), 1.0)


def layer_norm(x, w, b):
    def compute(x):
        c = x - x.mean(1, keepdims=True)
        return c / np.sqrt((c * c).mean(1, keepdims=True) + x.dtype.type(1e-5)) * w + b

    reference = compute(x.astype(np.float64))
    return Array(None, compute(x), reference, float(np.abs(reference).max()))
