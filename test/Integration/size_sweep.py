#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls each op with each size of each tensor wrong, between pages that may not be touched.

Every dimension of every argument and output is in turn one more, one less, none, and a
thousand times what it should be. A call succeeds exactly when the sizes agree by the meaning
of the op, and then computes what numpy computes; else it returns ATTN_ERROR_SHAPE and a text
that names the tensor and the dimension and has both numbers. Indices that are read from data
and lie outside give ATTN_ERROR_ASSERTION. Nothing ever ends with a signal, writes to an input
or touches a byte between or around the elements.
"""

import argparse
import collections
import ctypes
import functools
import os
import re
import subprocess
import sys
import warnings

import numpy as np

from emulated_tiles import EmulatedTiles
from guard_pages import ASSERTION, OK, SHAPE, call_all, run_call
from size_case import compile_module, compile_sanitized
from size_cases_attn import attn_cases
from size_cases_blocks import block_cases
from size_cases_linalg import linalg_cases
from size_cases_tensor import tensor_cases
from size_cases_tiles import tile_cases

HUGE = 1000
#: functions in one module: compiling is what takes time
TOGETHER = 8
#: findings of one kind and function that are printed
SHOWN = 2


def right_calls(case):
    """Sizes that agree: the case's own, with each name 0, 1 and another number, in several layouts."""
    own = case.shapes()
    names = sorted({dim for a in case.inputs + case.outputs for dim in a.dims if dim.isidentifier()})
    for layout in ("compact", "rows", "columns", "reversed"):
        yield f"right sizes, {layout}", own, layout
    for name in names:
        for size in (0, 1, case.sizes[name] + 4, 65):
            try:
                shapes = case.shapes({name: size})
            except ZeroDivisionError:
                continue
            if all(s >= 0 for shape in shapes for s in shape) and all(case.agree(shapes)):
                yield f"{name} = {size}", shapes, "compact" if size % 2 else "rows"


def wrong_calls(case):
    """One dimension of one tensor at a time; what is much too large takes no memory where it is an input."""
    own = case.shapes()
    for i, shape in enumerate(own):
        argument = (case.inputs + case.outputs)[i]
        for d, size in enumerate(shape):
            for wrong in sorted({size + 1, max(size - 1, 0), 0, size * HUGE} - {size}):
                shapes = own[:i] + [shape[:d] + (wrong,) + shape[d + 1:]] + own[i + 1:]
                large = wrong > 10 * size and i < len(case.inputs) and not argument.is_inout
                if large or np.prod([float(s) for s in shapes[i]]) < 1e8:
                    yield f"dimension {d} of {argument.name} is {wrong} instead of {size}", shapes, {(i, d)} if large else set()


def judge_message(text, status):
    """A text says which size of what, or which index, and has both numbers."""
    if status == SHAPE and not re.search(r"dimension \d+|size|number of elements|rank|ndim", text):
        return "the text names no dimension or size"
    if not re.search(r"\b(input|output|argument|operand) \d+|result|slice|shape|index|offset|element|past|padding", text):
        return "the text does not say of what"
    return None if re.search(r"\(-?\d+ against -?\d+\)", text) else "the text has no two numbers"


def judge_numbers(case, inputs, outcome):
    """What differs from numpy, or None."""
    if not case.numbers or not outcome.outputs:
        return None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = case.numbers(*[np.broadcast_to(tensor.values, tensor.shape) for tensor in inputs])
    for i, (want, got) in enumerate(zip(expected, outcome.outputs)):
        if np.shape(want) != got.shape:
            return f"result {i} has the shape {got.shape} instead of {np.shape(want)}"
        if not np.allclose(want, got, case.tolerance, case.tolerance, equal_nan=True):
            where = np.unravel_index(np.argmax(~np.isclose(want, got, case.tolerance, case.tolerance, equal_nan=True)), got.shape)
            return f"result {i} at {list(map(int, where))} is {got[where]!r} instead of {np.asarray(want)[where]!r}"
    return None


def judge_layout(first, outputs):
    """Where the values lie in memory changes nothing but the order of sums."""
    for i, (want, got) in enumerate(zip(first, outputs)):
        slack = 1e-4 if want.dtype.itemsize > 2 else 2e-2
        want, got = ((x.astype(np.uint32) << 16).view(np.float32) if x.dtype == np.uint16 else x for x in (want, got))
        if not np.allclose(want, got, slack, 1e-4, equal_nan=True):
            return f"result {i} depends on the layout"
    return None


def every_case():
    return attn_cases() + tile_cases() + block_cases() + linalg_cases() + tensor_cases()


class Sweep:
    def __init__(self, args):
        self.args, self.calls, self.findings = args, collections.Counter(), collections.defaultdict(list)

    def report(self, kind, case, what, text):
        self.findings[kind, case.name].append(f"{kind}: {case.name}, {what}: {text}")

    def print(self, functions):
        """The first findings of each kind and function, and the counts; returns how many findings there are."""
        kinds = collections.Counter()
        for (kind, name), lines in self.findings.items():
            kinds[kind] += len(lines)
            print("\n".join(lines if self.args.all else lines[:SHOWN]))
            if len(lines) > SHOWN and not self.args.all:
                print(f"{kind}: {name}: {len(lines) - SHOWN} more (--all)")
        products = self.calls.pop("products of tiles", 0)
        print(f"{sum(self.calls.values())} calls of {functions} functions: {self.calls['ok']} succeeded, {self.calls['refused']} refused; "
              f"{sum(kinds.values())} findings" + "".join(f", {kind} {count}" for kind, count in sorted(kinds.items())))
        if self.args.tiles:
            print(f"products of tiles: {products}")
        return sum(kinds.values())

    def judge(self, case, what, wanted, outcome, differs):
        """`wanted` are the statuses that are right; the text of a refusal is looked at too."""
        self.calls["refused" if outcome.status else "signal" if outcome.fault else "ok"] += 1
        breach = outcome.breach()
        if breach:
            self.report(breach[0], case, what, breach[1])
        if outcome.fault:
            return None
        if outcome.status not in wanted:
            kind = "accepted" if outcome.status == OK else "refused" if wanted == {OK} else "status"
            return self.report(kind, case, what, f"status {outcome.status} instead of {wanted}: {outcome.message}")
        found = judge_message(outcome.message, outcome.status) if outcome.status else differs
        if found:
            self.report("message" if outcome.status else "numbers", case, what, f"{found}: {outcome.message}")

    def plan(self, case, threads):
        """The calls of a case: what is special, shapes, statuses that are right, whether tensors end at the page, the rest."""
        for what, shapes, layout in right_calls(case):
            yield what, shapes, {OK}, layout != "reversed", {"layout": layout}
        yield "right sizes", case.shapes(), {OK}, False, {}
        if threads > 1:  # what is wrong is found before there are threads
            return
        for what, shapes, spread in wrong_calls(case):
            fits, holds = case.agree(shapes)
            wanted = {OK} if fits and holds else {SHAPE} if holds else {SHAPE, ASSERTION}
            yield what, shapes, wanted, True, {"spread": spread}
            if not self.args.quick and not spread:
                yield what + ", from the front", shapes, wanted, False, {}
        for values, wanted in ((case.wrong, {ASSERTION}), (case.safe, {OK, ASSERTION})):
            for name, value in ((name, value) for name, list_ in values.items() for value in list_):
                for at_end in (True, False):
                    what = f"{name} = {value}" + ("" if at_end else ", from the front")
                    yield what, case.shapes(), wanted, at_end, {"given": {name: value}}

    def run(self, case, library, threads):
        seen = {}

        def work(shapes, wanted, at_end, more):
            inputs, outputs = case.tensors(shapes, np.random.default_rng(len(case.name)), **more)
            call = functools.partial(run_call, library, case.name, inputs, outputs, at_end, threads)
            outcome = self.args.tiles.watch(call) if self.args.tiles else call()
            differs = None
            if outcome.status == OK and wanted == {OK}:
                first = seen.setdefault(str(shapes), outcome.outputs)
                differs = judge_numbers(case, inputs, outcome) or judge_layout(first, outcome.outputs)
                if outcome.dims != (0, [size for tensor in outputs for size in tensor.shape]):
                    differs = f"__shapes gives {outcome.dims}"
            outcome.outputs = []
            outcome.differs = differs
            return outcome

        plan = list(self.plan(case, threads))
        works = [functools.partial(work, *rest) for _, *rest in plan]
        for (what, _, wanted, *_), outcome in zip(plan, call_all(works, self.args.seconds)):
            self.calls["products of tiles"] += getattr(outcome, "products", 0)
            self.judge(case, what, wanted, outcome, getattr(outcome, "differs", None))

    def run_module(self, cases, number, flags):
        """Compiles the cases, one by one if they do not compile together, and calls each."""
        stem = os.path.join(self.args.directory, f"sizes-{number}")
        compile_all = compile_sanitized if self.args.sanitize else compile_module
        path, text = compile_all(self.args.attn_compile, cases, stem, flags)
        if not path and len(cases) > 1:
            for i, case in enumerate(cases):
                self.run_module([case], f"{number}-{i}", flags)
            return
        if not path:
            return self.report("compile", cases[0], " ".join(flags) or "default", text)
        library = ctypes.CDLL(path)
        if self.args.tiles:
            library = self.args.tiles.choose_clones(library, self.args.target)
        for case in cases:
            for threads in self.args.threads:
                self.run(case, library, threads)


def require_sanitizer():
    """Starts this program again with the sanitizer's library before all others, which it has to be."""
    if "libclang_rt.asan" not in os.environ.get("LD_PRELOAD", ""):
        library = subprocess.run(["clang-22", "-print-file-name=libclang_rt.asan-x86_64.so"], capture_output=True, text=True, check=True)
        os.environ.update(LD_PRELOAD=library.stdout.strip(), ASAN_OPTIONS="detect_leaks=0:handle_segv=0")
        os.execv(sys.executable, [sys.executable, *sys.argv])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-compile", required=True)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--only", default="", help="a regular expression for names of cases")
    parser.add_argument("--shard", default="0/1", help="I/N: run every N-th case from I")
    parser.add_argument("--quick", action="store_true", help="serial, and tensors end at the page only")
    parser.add_argument("--path", choices=["fast", "portable"], help="one of the two paths; both are run without it")
    parser.add_argument("--all", action="store_true", help="print every finding")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--sanitize", action="store_true", help="kernels with the address sanitizer in them")
    parser.add_argument("--tiles", type=EmulatedTiles, metavar="LIBRARY",
                        help="emulate the tiles of --target with this library (libattn-tiles.so)")
    parser.add_argument("--seconds", type=int, default=60, help="a call that takes longer hangs")
    args = parser.parse_args()
    if args.sanitize:
        require_sanitizer()
    args.threads = [1] if args.quick else [1, 2]
    os.makedirs(args.directory, exist_ok=True)
    first, step = map(int, args.shard.split("/"))
    cases = [case for case in every_case() if re.search(args.only, case.name)][first::step]
    sweep = Sweep(args)
    for flags in {"fast": [[]], "portable": [["--portable"]], None: [[], ["--portable"]]}[args.path]:
        for start in range(0, len(cases), TOGETHER):
            sweep.run_module(cases[start:start + TOGETHER], start, [f"--target={args.target}", *flags])
    return 1 if sweep.print(len(cases)) else 0


if __name__ == "__main__":
    sys.exit(main())
