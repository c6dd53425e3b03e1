# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with right sizes, whose numbers are compared, and with wrong ones, which have to be refused."""

import ctypes
import functools
import itertools
import os
import random
import re

import numpy as np

import outcome
from guard_pages import ASSERTION, OK, OUT_OF_MEMORY, SHAPE, call_all, run_call
from outcome import Outcome, of_breach, run_tool
from random_tensors import make_program
from size_case import compile_module
from size_sweep import wrong_calls

#: Clones, and what of the processor each needs.
TARGETS = {"cpu": "", "cpu:x86-64": "", "cpu:x86-64-v3": "avx2", "cpu:x86-64-v4": "avx512bw", "cpu:x86-64-v4-bf16": "avx512_bf16"}
#: Tiles in software, which run in attn-run's own process; the rest of the code is AVX-512.
TILES = ["--target=cpu:x86-64-v4-amx", "--emulator=amx"]
LAYOUTS = ["compact", "rows", "columns", "reversed"]
#: sizes that no memory stands behind; a tensor of them has a stride of 0
HUGE = [2**31 - 1, 2**31, 2**32 + 1, 2**62, 2**63 - 1, -1, -2**31, -2**63]
NUMBERS = itertools.count()
#: what two paths may differ by, in units of the largest number of a result
SLACK = {"f64": 1e-6, "f32": 2e-3, "f16": 6e-2, "bf16": 2e-1}


@functools.cache
def features():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return set(file.read().split()) | {""}


@functools.cache
def targets():
    """The clones that this processor runs; its own code, which is the default, is drawn more often than each of them."""
    own = [target for target, feature in TARGETS.items() if feature in features()]
    return ["cpu"] * (len(own) // 2) + own


def choose_flags(rng):
    return [f"--target={rng.choice(targets())}"] + (["--portable"] if rng.random() < 0.3 else [])


def choose_run_flags(rng, seed):
    flags = choose_flags(rng)
    return TILES if "avx512_bf16" in features() and random.Random(f"{seed} tiles").random() < 0.2 else flags


def as_numbers(array):
    array = np.atleast_1d(array)
    return (array.astype(np.uint32) << 16).view(np.float32) if array.dtype == np.uint16 else array.astype(np.float64)


def differs(element, want, got):
    want, got = as_numbers(want), as_numbers(got)
    if want.shape != got.shape:
        return f"shape {got.shape} instead of {want.shape}"
    if not want.size or not np.isfinite(want).all():
        return ""
    worst = np.abs(want - got).max()
    return "" if worst <= SLACK.get(element, 0) * max(np.abs(want).max(), 1) else f"off by {worst:.3g}"


def load(tools, case, flags):
    """The case as a shared library, or what the compiler said. A library is known by its file's name, so each has its own."""
    stem = os.path.join(tools.directory, f"library-{os.getpid()}-{next(NUMBERS)}")
    path, text = compile_module(tools.path("attn-compile"), [case], stem, flags)
    library = ctypes.CDLL(path) if path else None
    for ending in (".mlir", ".so"):
        if os.path.exists(stem + ending):
            os.remove(stem + ending)
    return library, Outcome("refused" if "exit code 2" in text else "crash", text)


class IRMode:
    """Right sizes: attn-run --check, then the shared library with the same tensors in other layouts and on other targets."""

    def __init__(self, tools):
        self.tools = tools

    def run(self, seed):
        rng = random.Random(seed)
        program = make_program(rng)
        found = self.check(program, seed)
        return found, program

    def check(self, program, seed):
        rng, case = random.Random(f"{seed} flags"), program.case()
        stem = os.path.join(self.tools.directory, "ir")
        inputs, _ = case.tensors(case.shapes(), np.random.default_rng(1))
        np.savez(stem + ".npz", **{f"arg{i}": tensor.values for i, tensor in enumerate(inputs)})
        with open(stem + ".mlir", "w", encoding="utf-8") as file:
            file.write(case.text())
        if os.path.exists(stem + "-out.npz"):
            os.remove(stem + "-out.npz")
        command = [self.tools.path("attn-run"), stem + ".mlir", f"--inputs={stem}.npz", "--check", f"--threads={rng.choice([1, 1, 2, 3])}",
                   f"--output={stem}-out.npz"] + choose_run_flags(rng, seed)
        found, _ = run_tool(command, self.tools.seconds)
        margins = re.findall(r"MISMATCH.* margin ([\d.]+)", found.text)
        if found.kind == "wrong" and margins and max(map(float, margins)) < 2:
            return Outcome("near", found.text)
        if found.kind != "ok":
            found.text += "\n" + " ".join(command[3:])
            return found
        with np.load(stem + "-out.npz") as file:
            wanted = [file[f"out{i}"] for i in range(len(program.results))]
        flags = choose_flags(rng)
        library, refusal = load(self.tools, case, flags)
        return self.call(program, case, library, wanted, rng, flags) if library else refusal

    def call(self, program, case, library, wanted, rng, flags):
        def work(layout, at_end, threads):
            inputs, outputs = case.tensors(case.shapes(), np.random.default_rng(1), layout)
            return run_call(library, "f", inputs, outputs, at_end, threads)
        plan = [("compact", True, 1), (rng.choice(LAYOUTS), False, 2), (rng.choice(LAYOUTS), True, 1)]
        for how, result in zip(plan, call_all([functools.partial(work, *how) for how in plan], self.tools.seconds)):
            how = f"layout {how[0]}, {'end' if how[1] else 'begin'} at the page, threads {how[2]}, {' '.join(flags)}"
            if result.fault:
                return Outcome("hang" if "no end" in result.fault else "crash", f"{result.fault}: {how}")
            if result.outside:
                return Outcome("crash", f"bytes outside written: {result.outside}: {how}")
            if result.status:
                return Outcome("wrong", f"right sizes refused: {result.message}: {how}")
            for i, (value, want, got) in enumerate(zip(program.results, wanted, result.outputs)):
                text = differs(value.element, want, got)
                if text:
                    return Outcome("wrong", f"result {i} {text}: {how}")
        return Outcome("ok")


class SizesMode:
    """Wrong sizes and wrong indices: refused with a text, and nothing outside is read or written."""

    def __init__(self, tools):
        self.tools = tools

    def run(self, seed):
        program = make_program(random.Random(seed), 5)
        return self.check(program, seed), program

    def plan(self, program, case, rng):
        """Calls with something wrong: what, shapes, spread dimensions, values, statuses that are right."""
        calls = [(what, shapes, spread, {}) for what, shapes, spread in wrong_calls(case)]
        own = case.shapes()
        for i, argument in enumerate(case.inputs + case.outputs):
            for d in range(len(argument.dims)):
                size = rng.choice(HUGE)
                shapes = own[:i] + [own[i][:d] + (size,) + own[i][d + 1:]] + own[i + 1:]
                calls.append((f"dimension {d} of {argument.name} is {size}", shapes, {(i, d)}, {}))
        calls = rng.sample(calls, min(len(calls), 24))
        # What nothing reads may have any size.
        unread = [i for i, argument in enumerate(case.inputs) if not re.search(rf"%{argument.name}\b", case.body)]
        for what, shapes, spread, given in calls:
            if any(shapes[i] != own[i] for i in unread):
                continue
            fits, holds = case.agree(shapes)
            fits = fits and min(size for shape in shapes for size in (*shape, 0)) >= 0
            if fits and holds and spread and max(max(s, default=0) for s in shapes) > 10**5:
                continue
            yield what, shapes, spread, given, self.wanted(program, fits, holds)
        for name, values in program.wrong.items():
            if any(argument.name == name and case.shapes()[i][0] for i, argument in enumerate(case.inputs)):
                # Where a loop is empty, nothing is read.
                wanted = {ASSERTION, OK} if any(0 in shape for shape in own) else {ASSERTION}
                for value in values:
                    yield f"{name} = {value}", own, (), {name: value}, wanted

    @staticmethod
    def wanted(program, fits, holds):
        """The statuses that are right. A loop over rows needs no more of its tensors than it reads."""
        wanted = {OK} if fits and holds else {SHAPE, OUT_OF_MEMORY} if holds else {SHAPE, ASSERTION, OUT_OF_MEMORY}
        return wanted | {OK, ASSERTION} if any("scf.for" in op.text for op in program.ops) and wanted != {OK} else wanted

    def check(self, program, seed):
        rng, case = random.Random(f"{seed} sizes"), program.case()
        # Then a line of the file does not tell which op a check belongs to.
        if rng.random() < 0.3:
            case.body = " ".join(case.body.split("\n"))
        flags = choose_flags(rng)
        library, refusal = load(self.tools, case, flags)
        if not library:
            return refusal

        def work(shapes, spread, given, layout, at_end, threads):
            inputs, outputs = case.tensors(shapes, np.random.default_rng(1), layout, spread, given)
            result = run_call(library, "f", inputs, outputs, at_end, threads)
            result.outputs = []
            return result
        plan = list(self.plan(program, case, rng))
        works = [functools.partial(work, shapes, spread, given, rng.choice(LAYOUTS), rng.random() < 0.5, rng.choice([1, 1, 2]))
                 for _, shapes, spread, given, _ in plan]
        worst = Outcome("ok")
        for (what, *_, wanted), result in zip(plan, call_all(works, self.tools.seconds)):
            found = None
            breach = result.breach()
            if breach:
                found = of_breach(*breach, what)
            elif result.status not in wanted:
                found = Outcome("wrong", f"status {result.status} instead of {wanted}: {what}: {result.message}")
            if found and (worst.kind == "ok" or (found.kind == "crash") > (worst.kind == "crash")):
                found.text += "\n" + " ".join(flags)
                worst = found
        return worst if worst.kind in outcome.FINDINGS else Outcome("refused" if plan else "ok")
