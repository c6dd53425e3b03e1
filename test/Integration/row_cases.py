#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and statistics of rows around the widths of vectors, panels, segments and chunks,
with rows of nothing but -inf, NaN, infinities and huge, subnormal and largest numbers in them.

Each case is compared with the f64 reference by attn-run --check, and its results on one
thread with those on two and on three, bit by bit.
"""

import itertools
import math
import os
import subprocess
import sys

import numpy as np

from attention_case import to_storage
from case_runner import is_gpu, make_parser, run_shard, target_flags

ELEMENTS = ["f32", "bf16", "f16", "f64"]
#: shape and dimension of the softmax
SOFTMAX = [((5, 1003), 1), ((3, 40000), 1), ((9, 150), 0), ((2, 70, 33), 1), ((1,), 0), ((6, 3), 1), ((0, 8), 1),
           ((4, 0), 1), ((0, 70), 0), ((70000,), 0), ((12, 300), 1), ((2, 3, 5, 64), 1), ((40, 1), 0), ((300, 64), 0),
           ((33, 64), 1), ((2, 2, 33000), 2), ((600, 1024), 0)]
#: shape and the first dimension that is reduced
STATISTICS = [((7, 9000), 0), ((33, 513), 1), ((3, 17, 129), 1), ((100, 64), 0), ((70000,), 0), ((2, 3, 40, 50), 0),
              ((5, 1), 1), ((3, 0), 0), ((0, 4), 1), ((300, 20), 1), ((2, 9, 3), 1), ((600, 333), 0)]
POKES = ["plain", "empty rows", "special", "huge", "subnormal", "largest"]
#: scales of rows whose elements are further apart than the largest number
LARGEST_SCALES = [0.0, -0.7, 1.75, "smallest", -3.0, 0.3, "-smallest"]
LARGEST = {"f16": 65504.0, "bf16": 3.3895314e38, "f32": 3.4028235e38, "f64": 1.7976931348623157e308}
NORMALIZERS = ["softmax", "softmax1", "softmax_n<2.5>", "sink"]
LAYOUTS = {"dense": None, "rows apart": (3, 1), "columns apart": (1, 2)}


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def draw(shape, dim, what, element, rng):
    values = rng.standard_normal(shape) * 3
    rows = np.moveaxis(values, dim, -1)
    if what == "huge":
        values *= {"f16": 1e3, "f64": 1e300}.get(element, 1e36)
    if what == "subnormal":
        values *= {"f16": 1e-7, "f64": 1e-309}.get(element, 1e-39)
    if what == "largest" and values.size:
        rows[..., -1], rows[..., 0] = -LARGEST[element], LARGEST[element]
        if rows.ndim > 1:  # equal, and their multiples have digits that they have not
            rows[0] = 0.8 * LARGEST[element]
    if what == "empty rows" and rows.ndim > 1:
        rows[::2] = -np.inf
    elif what == "empty rows":
        values[:] = -np.inf
    if what == "special" and values.size:
        rows[..., -1] = -np.inf
        if rows.ndim > 1:
            rows[0, ..., 0] = np.nan
            rows[-1, ..., -1] = np.inf
    return values


class Case:
    """One op on a part of the tensor that is held, which is larger where the layout says so."""

    def __init__(self, number, shape, element):
        self.number, self.shape, self.element = number, shape, element
        self.layout = LAYOUTS[list(LAYOUTS)[number % 3]] if 0 not in shape else None
        self.dynamic = number % 2 == 1 and not self.layout
        self.type = tensor(["?"] * len(shape) if self.dynamic else shape, element)
        self.arrays = []

    def hold(self, values):
        if self.layout:
            offset, step = self.layout
            held = np.zeros(values.shape[:-1] + (values.shape[-1] * step + offset + 2,))
            held[..., offset:offset + values.shape[-1] * step:step] = values
            values = held
        self.arrays.append(to_storage(values, self.element))
        return values.shape

    def text(self, held, params, body, result):
        arguments, lines = [f"%x: {self.type}"], ""
        if self.layout:
            rest, (offset, step) = len(self.shape) - 1, self.layout
            whole = tensor(held, self.element)
            arguments = [f"%w: {whole}"]
            lines = f"  %x = tensor.extract_slice %w{[0] * rest + [offset]} {list(self.shape)} {[1] * rest + [step]} : " \
                f"{whole} to {self.type}\n"
        return f"func.func @case({', '.join(arguments + params)}) -> {result} {{\n{lines}{body}  return %y : {result}\n}}\n"


def softmax_case(number, shape, dim, element, what, normalizer):
    case = Case(number, shape, element)
    rng = np.random.default_rng(number)
    held = case.hold(draw(shape, dim, what, element, rng))
    params, group = [], ""
    if normalizer == "sink":
        wide = "f64" if element == "f64" else "f32"
        # In f64 e0 = 1, which adds exactly: the reference sums in order, and has no more digits to be compared with.
        sink = -np.inf if what == "empty rows" else 0.0 if element == "f64" else 1.5
        case.arrays.append(to_storage(np.array(sink), wide))
        params, group = [f"%sink: tensor<{wide}>"], f"params(%sink : tensor<{wide}>) "
    sizes = "".join(f"  %c{d} = arith.constant {d} : index\n  %n{d} = tensor.dim %x, %c{d} : {case.type}\n"
                    for d in range(len(shape))) if case.dynamic else ""
    names = ", ".join(f"%n{d}" for d in range(len(shape))) if case.dynamic else ""
    scale = "#attn.none" if number % 3 else "#attn.constant<-0.75>"
    if what == "largest":
        factor = LARGEST_SCALES[number % len(LARGEST_SCALES)]
        if isinstance(factor, str):  # 5 over the largest number
            factor = (-5.0 if factor[0] == "-" else 5.0) / LARGEST["f64" if element == "f64" else "f32"]
        scale = f"#attn.constant<{factor:.17e}>"
    body = f"{sizes}  %e = tensor.empty({names}) : {case.type}\n" \
        f"  %y = attn.softmax scale({scale}) softmax(#attn.{normalizer}) dim({dim}) ins(%x : {case.type}) {group}" \
        f"outs(%e : {case.type}) -> {case.type}\n"
    return f"softmax {normalizer} {shape} {dim} {element} {what}", case, case.text(held, params, body, case.type)


def statistics_case(number, shape, first, element, what, measure):
    case = Case(number, shape, element)
    rng = np.random.default_rng(number)
    values = draw(shape, len(shape) - 1, what, element, rng)
    if what == "plain" and values.ndim > 1:
        values[::2] += 40.0  # the mean must be taken off before the powers
    held = case.hold(values)
    kept = shape[:first]
    wide = "f64" if element == "f64" else "f32"
    result = tensor(["?"] * len(kept) if case.dynamic else kept, wide)
    sizes = "".join(f"  %c{d} = arith.constant {d} : index\n  %n{d} = tensor.dim %x, %c{d} : {case.type}\n"
                    for d in range(first)) if case.dynamic else ""
    names = ", ".join(f"%n{d}" for d in range(first)) if case.dynamic else ""
    body = f"{sizes}  %e = tensor.empty({names}) : {result}\n" \
        f"  %y = attn.statistics {measure} axes {list(range(first, len(shape)))} ins(%x : {case.type}) " \
        f"outs(%e : {result}) -> {result}\n"
    return f"{measure} {shape} from {first} {element} {what}", case, case.text(held, [], body, result)


def all_cases():
    numbers = itertools.count()
    for (i, (shape, dim)), (j, what) in itertools.product(enumerate(SOFTMAX), enumerate(POKES)):
        for k in range(2):
            yield softmax_case(next(numbers), shape, dim, ELEMENTS[(i + j + 2 * k) % 4], what, NORMALIZERS[(i // 2 + j + k) % 4])
    for (i, (shape, first)), what in itertools.product(enumerate(STATISTICS), ["plain", "special"]):
        for element, measure in itertools.product(ELEMENTS, ["kurtosis", "infinity_norm"]):
            yield statistics_case(next(numbers), shape, first, element, what, measure)


#: Elements of a case that the simulator of a GPU is given at most.
MOST_SIMULATED = 100_000


def run(named, index, args):
    """Prints what fails; returns whether something did."""
    name, case, text = named
    stem = os.path.join(args.directory, f"rows-{case.number}")
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write(text)
    np.savez(stem + ".npz", **{f"arg{i}": array for i, array in enumerate(case.arrays)})
    command = [args.attn_run, stem + ".mlir", f"--inputs={stem}.npz", *target_flags(args, index)]
    command += ["--portable"] if args.portable else []
    bits = []
    for threads in (1,) if is_gpu(args) else (1, 3):  # the simulator has looked for other bits already
        output = f"{stem}.{threads}.npz"
        more = [f"--threads={threads}", f"--output={output}"] + (["--check"] if threads == 1 else [])
        done = subprocess.run(command + more, capture_output=True, text=True, check=False)
        if done.returncode != 0 or threads == 1 and "match" not in done.stdout:
            print(f"FAILED {name}\n  {' '.join(command + more)}\n{done.stdout}{done.stderr}")
            return True
        with open(output, "rb") as file:
            bits.append(file.read())
    if any(other != bits[0] for other in bits):
        print(f"FAILED {name}: the number of threads changes bits\n  {' '.join(command)}")
        return True
    return False


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--portable", action="store_true", help="take the portable path")
    parser.add_argument("--only", default="", help="what the case's name contains")
    args = parser.parse_args()
    cases = [case for case in all_cases() if args.only in case[0]]
    if is_gpu(args):
        cases = [case for case in cases if math.prod(case[1].shape) <= MOST_SIMULATED]
    mine, failures = run_shard(cases, run, args)
    print(f"{len(mine)} cases of {len(cases)}: {sum(failures)} failures")
    return any(failures)


if __name__ == "__main__":
    sys.exit(main())
