# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing random program smaller while it fails in the same way, and writes it as a test."""

import re

from random_program import Value


def without_unused(program):
    """Drops ops that no result needs, arguments that no op takes, and names that no argument has."""
    needed = {value.name for value in program.results}
    for op in reversed(program.ops):
        if op.result.name in needed:
            needed.update(op.operands)
    program.ops = [op for op in program.ops if op.result.name in needed]
    program.arguments = [argument for argument in program.arguments if argument.name in needed]
    known = {dim for argument in program.arguments for dim in argument.dims if dim.isidentifier()}
    if any(name not in known for argument in program.arguments for dim in argument.dims for name in re.findall(r"[a-z]\w*", dim)):
        return None
    for text in [*program.where, *(dim for value in program.results for dim in value.dims)]:
        if any(name not in known and name != "and" and name != "or" for name in re.findall(r"[a-z]\w*", text)):
            return None
    return program


def cut(program, i):
    """The program with an argument in the place of what op i computes."""
    smaller = program.copy()
    gone = smaller.ops.pop(i).result
    smaller.arguments.append(Value(gone.name, gone.dims, gone.element))
    return smaller


def candidates(program):
    """Programs that are a little smaller."""
    for keep in range(len(program.results) if len(program.results) > 1 else 0):
        smaller = program.copy()
        smaller.results = [smaller.results[keep]]
        yield smaller
    for i in range(len(program.ops) - 1, -1, -1):
        # What the op takes becomes the result: the end of the program goes.
        smaller = program.copy()
        names = {op.result.name for op in smaller.ops[:i]} & set(program.ops[i].operands)
        smaller.results = [value for value in smaller.values() if value.name in names]
        smaller.ops = smaller.ops[:i]
        if smaller.results:
            yield smaller
    for i in range(len(program.ops)):
        yield cut(program, i)
    for name, size in program.sizes.items():
        for less in sorted({0, 1, 2, size // 2, size - 1}):
            if 0 <= less < size:
                smaller = program.copy()
                smaller.sizes[name] = less
                yield smaller


def is_legal(program):
    try:
        return bool(program.ops and program.results) and all(program.case().agree(program.case().shapes()))
    except (NameError, KeyError, ZeroDivisionError):
        return False


def reduce_program(program, fails, tries=150):
    """The smallest program that `fails` too; at most so many are tried."""
    smaller = True
    while smaller and tries > 0:
        smaller = None
        for candidate in candidates(program):
            candidate = without_unused(candidate)
            if candidate is None or not is_legal(candidate):
                continue
            tries -= 1
            if fails(candidate):
                program = smaller = candidate
                break
            if tries <= 0:
                break
    return program


def array_of(case, argument, shape, found):
    """Python text for the values of an argument."""
    value = re.search(rf"\b{argument.name} = (-?\d+)", found.text)
    if value or argument.name in case.data:
        numbers = value.group(1) if value else repr(list(map(int, case.data[argument.name])))
        return f"np.resize({numbers}, {shape}).astype('{argument.element.replace('i', 'int')}')"
    draw = f"rng.standard_normal({shape}).astype"
    return {"f64": f"{draw}('f8')", "f32": f"{draw}('f4')", "f16": f"{draw}('f2')", "i1": f"{draw}('f4') > 0",
            "bf16": f"(rng.standard_normal({(1, *shape)}).astype('f4').view('u4') >> 16).astype('u2')[0]"}.get(
                argument.element, f"np.zeros({shape}, '{argument.element.replace('i', 'int')}')")


#: lit's features and the part of a target's name that asks for them
FEATURES = {"x86": "x86-64", "avx2": "x86-64-v3", "avx512": "x86-64-v4", "avx512bf16": "-bf16", "amx": "-amx"}


def as_test(program, found, flags):
    """A file for test/Regression: what was seen, the command, and the function. Huge sizes stay out of its arguments."""
    case, lines = program.case(), [line for line in found.text.splitlines() if line.strip()]
    shapes, names = case.shapes(), [argument.name for argument in case.inputs]
    wrong = re.search(r"dimension (\d+) of (\w+) is (-?\d+)", found.text)
    if wrong and wrong.group(2) in names:
        i, d = names.index(wrong.group(2)), int(wrong.group(1))
        shapes[i] = shapes[i][:d] + (min(max(int(wrong.group(3)), 0), 100000),) + shapes[i][d + 1:]
    arrays = ", ".join(f"arg{i}={array_of(case, argument, shape, found)}" for i, (argument, shape) in enumerate(zip(case.inputs, shapes)))
    make = f"// RUN: %python -c \"import numpy as np; rng = np.random.default_rng(1); np.savez('%t.npz', {arrays})\"\n"
    flags = "".join(" " + flag for flag in flags if flag != "--target=cpu")
    refused = wrong or re.search(r": a\d+ = -?\d+", found.text)
    # A machine that lacks the target's instructions says that the test is left out.
    needs = [name for name, part in FEATURES.items() if any(flag.startswith("--target=cpu:") and part in flag for flag in flags.split())]
    needs = f"// REQUIRES: {', '.join(needs)}\n" if needs and "--emulator" not in flags else ""
    command = f"attn-run %s --inputs=%t.npz{flags}"
    run = f"// RUN: {command} --check | FileCheck %s\n// CHECK: match\n"
    if refused:
        run = f"// RUN: %python %S/../attn-run/Inputs/exit_code.py 2 {command} 2>&1 | FileCheck %s\n// CHECK: {{{{dimension|range}}}}\n"
    return "".join(f"// {line[:110]}\n" for line in lines[:2]) + needs + make + run + case.text()
