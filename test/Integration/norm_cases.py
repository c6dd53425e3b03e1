#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs generated cases of attn.norm through attn-run and its f64 reference.

Every pair of choices (kind, centring, axes, affine form, eps, dtype, ...) occurs
in some case; random ones fill up to the count asked for. Each case runs on the
fast path and, unless it states a schedule, on the portable path. A case that
leaves the fast path is a failure.
"""

import os
import random
import re
import subprocess
import sys

import numpy as np

from attention_case import DTYPES, to_storage
from case_runner import describe_failure, is_gpu, make_parser, remove_case, run_shard, write_case
from generate_cases import add_paths, pairwise_cases

#: Kinds whose statistics are not those of a row, so that no row that is loaded has them.
NOT_OF_ROW = [
    "instance", "batch",
    "group",
]
FACTORS = {
    "kind": [
        "layer", "rms", "l2", "instance", "batch", "given", "running",
        "group",
    ],
    "centred": ["", "", "centered", "uncentered"],
    # Letters of the input's dimensions; the normalised ones in capitals.
    "form": ["rC", "brC", "C", "bhrC", "bcHW", "brHW", "Bc", "BcHW", "bCr", "bhC", "Rw", "bRw", "BwH", "RHw", "bhRw"],
    "affine": ["", "gamma", "beta", "gamma beta"],
    "affine_axes": ["custom", "custom", "rows", "first"],
    "eps": ["1.0e-05", "1.0e-05", "1.0e-12", "max_norm 1.0e-06", "1.0", "max_norm 2.0", "0.0"],
    "dtype": ["f32", "f32", "f16", "bf16", "f64"],
    "out": ["same", "same", "f32", "f16"],
    "params": ["f32", "same"],
    "residual": ["", "", "x", "sum", "scaled", "scaled sum"],
    "dynamic": ["", "", "rows", "columns", "all"],
    # Tiles of a few elements, so that small tensors have several of them; rows that are written past the caches.
    "schedule": ["", "", "whole", "chunks", "rows"],
    "columns": [1, 2, 7, 8, 15, 16, 17, 63, 64, 65, 96, 127, 130, 257, 1024, 0],
    "rows": [1, 2, 3, 5, 33, 70, 0],
    "inputs": ["normal", "normal", "shifted", "zero", "equal", "large", "huge", "small", "denormal", "one zero row",
               "infinite"],
    # Where the elements of x lie: close together, or as a part of a larger tensor.
    "layout": ["dense", "dense", "dense", "rows apart", "columns apart"],
}


class Case:
    def __init__(self, choice, seed):
        self.__dict__.update(choice)
        self.seed = seed

        # Where the result lies, too.
        self.out_layout = ["dense", "rows apart", "dense", "columns apart"][seed // 3 % 4]
        if self.dynamic or 0 in self.shape():
            self.out_layout = "dense"

    def __repr__(self):
        return str({k: v for k, v in self.__dict__.items()})

    def size(self, letter):
        return {"b": 2, "h": 3, "r": self.rows, "c": 5, "w": self.columns}.get(letter.lower()) \
            if letter not in "CHB" else {"C": self.columns, "H": 3, "B": self.rows}[letter]

    def shape(self, dims=None):
        letters = self.form if dims is None else [self.form[d] for d in dims]
        return tuple(self.size(letter) for letter in letters)

    def type(self, dims, element):
        def text(letter):
            dynamic = self.dynamic == "all" or (self.dynamic == "rows" and letter in "rBR") or \
                (self.dynamic == "columns" and letter in "CWw")
            return "?" if dynamic else str(self.size(letter))
        letters = self.form if dims is None else [self.form[d] for d in dims]
        return "tensor<" + "".join(text(letter) + "x" for letter in letters) + element + ">"

    @property
    def axes(self):
        return [i for i, letter in enumerate(self.form) if letter.isupper()]

    @property
    def kept(self):
        return [i for i, letter in enumerate(self.form) if letter.islower()]

    @property
    def batch(self):
        return self.kind in ("batch", "given", "running")

    @property
    def is_centred(self):
        return self.centred == "centered" or (self.centred == "" and self.kind not in ("rms", "l2"))

    @property
    def affine_dims(self):
        custom = self.kept if self.batch else self.axes
        if self.kind == "group":  # the group, and the first of what it has
            custom = sorted([self.kept[-1], self.axes[0]])
        return {"custom": custom, "rows": self.kept, "first": [0]}[self.affine_axes]

    @property
    def held(self):
        """The shape of the tensor that x is a part of, and where x lies in its last dimension."""
        return self.larger(self.layout)

    def larger(self, layout):
        *rest, last = self.shape()
        offset, step = {"dense": (0, 1), "rows apart": (3, 1), "columns apart": (1, 2)}[layout]
        extent = last if layout == "dense" else last * step + offset + 2
        return (*rest, extent), offset, step

    @property
    def statistics(self):
        return "f64" if self.dtype == "f64" else "f32"

    @property
    def has_rows(self):
        return self.axes == list(range(len(self.form) - len(self.axes), len(self.form)))

    @property
    def schedule_clause(self):
        if not self.schedule:
            return ""
        lanes = 8 if self.statistics == "f64" else 16
        tiles = {"whole": ", panel = 32", "chunks": ", panel = 32, chunk = 3", "rows": ""}[self.schedule]
        rows = 8 if self.schedule == "rows" else 2
        return f" schedule(#attn.norm_schedule<rows = {rows}, lanes = {lanes}, unroll = 4, stream = 64{tiles}>)"


def make_case(choice, seed):
    """The case a choice of factors describes, or None when it is not legal."""
    case = Case(choice, seed)
    if case.kind == "instance" and case.affine_axes == "custom":
        return None
    if case.kind == "group" and not case.kept:
        return None
    if case.schedule and ((case.schedule == "rows") != case.has_rows or (case.kind == "given" and case.schedule == "whole")):
        return None
    # NaN statistics of nothing are no test.
    count = int(np.prod(case.shape(case.axes)))
    if case.kind == "running" and count < 2:
        return None
    # The root of a zero eps is that of squares, which underflow in any f32 run.
    if case.inputs in ("small", "denormal") and (case.eps == "0.0" or case.dtype == "f16"):
        return None
    # What flushes denormals to 0 must not multiply them by a million before that.
    if case.inputs == "denormal" and case.eps in ("1.0e-12", "max_norm 1.0e-06"):
        return None
    # Squares, or what given statistics leave of x, must be numbers.
    if case.inputs == "huge" and (case.kind == "given" or case.out == "f16" or (case.dtype == "f16" and case.kind == "l2")):
        return None
    # A part is taken at a known place of a tensor that is not empty.
    if case.layout != "dense" and (case.dynamic or 0 in case.shape()):
        return None
    # A single element minus its mean is nothing but rounding.
    if case.inputs in ("shifted", "large", "huge") and case.is_centred and count < 8 and not case.eps.startswith("1.0"):
        return None
    if case.eps == "0.0" and case.is_centred and (count < 8 or case.inputs == "equal"):
        return None
    if case.dtype == "f16" and case.inputs == "large" and case.kind == "l2":
        return None
    if "infinite" in case.inputs and case.residual:
        return None
    if case.kind == "given" and case.eps == "0.0":
        return None
    return case


def all_cases(count, seed):
    return pairwise_cases(random.Random(seed), FACTORS, count, 0, make_case)


def small_cases(count, seed):
    """Cases for the simulator of a GPU. The schedules are those of the CPU."""
    def make(choice, seed):
        case = make_case(choice, seed)
        return case if case and np.prod(case.shape()) <= 50_000 else None
    return pairwise_cases(random.Random(seed), dict(FACTORS, schedule=[""]), count, 0, make)


def part(case, layout, element):
    """A larger tensor's type and `[offsets] [sizes] [strides]` of its part with x's shape."""
    held, offset, step = case.larger(layout)
    rest = len(held) - 1
    return "tensor<" + "".join(f"{size}x" for size in held) + element + ">", \
        f"{[0] * rest + [offset]} {list(case.shape())} {[1] * rest + [step]}"


def to_mlir(case):
    names, types = ["x"], [case.type(None, case.dtype)]
    out = case.dtype if case.out == "same" or case.dtype == "f64" else case.out
    params = case.dtype if case.params == "same" else case.statistics
    results = [case.type(None, out)]

    def add(name, dims, element):
        names.append(name)
        types.append(case.type(dims, element))
        return f"%{name} : {types[-1]}"

    clause = [f"ins(%x : {types[0]})"]
    if case.residual:
        clause.append(f"residual({add('r', None, case.dtype)})")
    if "scaled" in case.residual:
        add("alpha", [], case.statistics)
        clause.append(f"factor(%factor : {case.statistics})")
    for name in case.affine.split():
        clause.append(f"{name}({add(name, case.affine_dims, params)})")
    pair = (["mean"] if case.is_centred else []) + ["variance"]
    if case.kind in ("given", "running"):
        for name in pair:
            add(name, case.kept, case.statistics)
        statistic = case.type(case.kept, case.statistics)
        both = f"({', '.join('%' + n for n in pair)} : {', '.join([statistic] * len(pair))})"
    if case.kind == "given":
        clause.append("statistics" + both)
    clause.append(f"outs(%init : {results[0]})")
    if "sum" in case.residual:
        results.append(types[0])
        clause.append(f"sum(%sum : {types[0]})")
    if case.kind == "running":
        clause.append(f"running{both} momentum(0.25)" + (" unbiased" if case.seed % 2 else ""))
        results += [statistic] * len(pair)
    affine = ""
    if case.affine and (case.affine_axes != "custom" or case.kind == "group"):
        affine = f" affine_axes {case.affine_dims}"
    dynamic = "".join(f"  %d{i} = tensor.dim %x, %c{i} : {types[0]}\n" for i in range(len(case.form)))
    sizes = ", ".join(f"%d{i}" for i, part in enumerate(results[0][7:-1].split("x")) if part == "?")
    lines = [f"func.func @norm({', '.join(f'%{n}: {t}' for n, t in zip(names, types))}) -> ({', '.join(results)}) {{"]
    lines += [f"  %c{i} = arith.constant {i} : index" for i in range(len(case.form))]
    if case.layout != "dense":
        text, where = part(case, case.layout, case.dtype)
        lines[0] = lines[0].replace(f"%x: {types[0]}", f"%held: {text}", 1)
        lines.append(f"  %x = tensor.extract_slice %held{where} : {text} to {types[0]}")
    lines.append(dynamic.rstrip("\n"))
    if case.out_layout == "dense":
        lines.append(f"  %init = tensor.empty({sizes}) : {results[0]}")
    else:
        larger, place = part(case, case.out_layout, out)
        lines.append(f"  %larger = arith.constant dense<0.5> : {larger}")
        lines.append(f"  %init = tensor.extract_slice %larger{place} : {larger} to {results[0]}")
    if "scaled" in case.residual:
        lines.append(f"  %factor = tensor.extract %alpha[] : tensor<{case.statistics}>")
    if "sum" in case.residual:
        lines.append(f"  %sum = tensor.empty({sizes}) : {types[0]}")
    kind = "batch" if case.batch else case.kind
    spelled = f" {case.centred}" if case.centred else ""
    many = f":{len(results)}" if len(results) > 1 else ""
    lines.append(f"  %y{many} = attn.norm {kind}{spelled} axes {case.axes} eps({case.eps}){affine}"
                 f"{case.schedule_clause} "
                 f"{' '.join(clause)} -> {', '.join(results)}")
    values = [f"%y#{i}" for i in range(len(results))] if many else ["%y"]
    if case.out_layout != "dense":
        lines.append(f"  %z = tensor.insert_slice {values[0]} into %larger{place} : {results[0]} into {larger}")
        lines[0] = lines[0].replace(f"-> ({results[0]}", f"-> ({larger}", 1)
        values[0], results[0] = "%z", larger
    lines += [f"  return {', '.join(values)} : {', '.join(results)}", "}"]
    return "\n".join(lines) + "\n"


def to_arrays(case):
    """arg0, arg1, ... of the function, with the values the case asks for."""
    rng = np.random.default_rng(case.seed)
    values = rng.standard_normal(case.shape())
    if case.inputs == "shifted":
        values += 100.0  # the variance must be taken around the mean
    elif case.inputs == "large":
        values *= 300.0
    elif case.inputs == "huge":
        values *= 1e4 if case.dtype == "f16" else 1e15
    elif case.inputs == "small":
        values *= 1e-12
    elif case.inputs == "denormal":
        values *= 1e-314 if case.dtype == "f64" else 5e-42
    elif case.inputs == "zero":
        values = np.where(values > 0, 0.0, -0.0)
    elif case.inputs == "equal":
        values[...] = 0.5
    elif case.inputs == "one zero row" and values.size:
        values[(0,) * len(case.kept)] = 0.0
    elif case.inputs == "infinite" and values.size:
        values.flat[0] = np.inf
        values.flat[-1] = np.nan
    if case.layout != "dense":
        held, offset, step = case.held
        part, values = values, rng.standard_normal(held)
        values[..., offset:offset + part.shape[-1] * step:step] = part
    arrays = [to_storage(values, case.dtype)]
    if case.residual:
        arrays.append(to_storage(rng.standard_normal(case.shape()), case.dtype))
    if "scaled" in case.residual:
        arrays.append(np.asarray(-0.7, DTYPES[case.statistics]))
    params = case.dtype if case.params == "same" else case.statistics
    for name in case.affine.split():
        shape = case.shape(case.affine_dims)
        base = np.atleast_1d(rng.standard_normal(shape))
        arrays.append(to_storage(1 + 0.3 * base if name == "gamma" else base, params).reshape(shape))
    if case.kind in ("given", "running"):
        real = DTYPES[case.statistics]
        if case.is_centred:
            arrays.append(rng.standard_normal(case.shape(case.kept)).astype(real))
        arrays.append((0.1 + rng.random(case.shape(case.kept))).astype(real))
    return {f"arg{i}": np.asarray(array) for i, array in enumerate(arrays)}


def run(case, index, args):
    """Runs one case; returns what failed, as text, and how many runs there were."""
    stem = os.path.join(args.directory, f"norm{index}")
    command = write_case(stem, index, to_mlir(case), to_arrays(case), args) + ["--check", "--remarks"]
    failures = []
    paths = ([[]] if args.fast else []) + ([] if case.schedule else [["--portable"]])
    for flags in paths:
        done = subprocess.run(command + flags, capture_output=True, text=True, check=False)
        text = done.stdout + done.stderr
        fast = re.search(r"remark: .*\bfast path: ", text) is not None
        reason = f"exit code {done.returncode}" if done.returncode else ""
        if not reason and not case.schedule and fast != (not flags):
            reason = "took the fast path" if fast else "did not take the fast path"
        if reason:
            failures.append(describe_failure(index, case, reason, command + flags, text))
    if not failures and not args.keep:
        remove_case(stem)
    return failures, len(paths)


def main():
    parser = make_parser(__doc__, 300, 5)
    add_paths(parser)
    args = parser.parse_args()
    cases = (small_cases if is_gpu(args) else all_cases)(args.count, args.seed)
    mine, results = run_shard(cases, run, args)
    failed = [text for texts, _ in results for text in texts]
    if failed:
        print("\n".join(failed))
    fast = len(mine) if args.fast else 0
    print(f"{len(mine)} cases of {len(cases)}: {fast} on the fast path, {sum(n for _, n in results) - fast} on the "
          f"portable path, {len(failed)} failures (seed {args.seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
