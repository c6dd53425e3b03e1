# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions written by a generator, each compared with the f64 reference by attn-run --check.

What the generators of single cases share: types, the list of arguments, options
and the run. The reference makes the values of the arguments, from the case's number.
"""

import math
import os
import subprocess

from case_runner import is_gpu, make_parser, run_shard, target_flags


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def part(type, layout):
    """The type of a larger tensor and `[offsets] [sizes] [strides]` of its part of this type, whose rows or columns
    lie apart as `layout` says; None where there is none."""
    *sizes, element = type[len("tensor<"):-1].split("x")
    if not sizes or "?" in sizes or "0" in sizes:
        return None
    offset, step = (3, 1) if "rows" in layout else (1, 2)
    held = tensor([*sizes[:-1], int(sizes[-1]) * step + offset + 2], element)
    rest = len(sizes) - 1
    return held, f"{[0] * rest + [offset]} [{', '.join(sizes)}] {[1] * rest + [step]}"


class Function:
    """The arguments of a function with one op, and what attn-run needs to run it."""

    def __init__(self):
        self.arguments, self.options = [], []
        self.elements = 0  # of the largest argument

    def argument(self, shape, element, unknown=()):
        """Adds one, whose type does not tell the sizes of the dimensions in `unknown`; returns its name."""
        number = len(self.arguments)
        self.elements = max(self.elements, math.prod(shape))
        self.arguments.append(tensor(["?" if i in unknown else size for i, size in enumerate(shape)], element))
        if unknown:
            self.options.append(f"--shape={number}:" + "x".join(map(str, shape)))
        return f"%a{number}"


#: Elements of an argument that a simulated GPU is given at most.
MOST_SIMULATED = 200_000


def main(doc, stem, cases):
    """Runs the cases, (name, function, text), that the command line asks for; returns the exit code.

    A failing case prints the command that runs it again.
    """
    parser = make_parser(doc)
    parser.add_argument("--portable", action="store_true")

    def run(case, number, args):
        name, function, text = case
        path = os.path.join(args.directory, f"{stem}-{number}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = [args.attn_run, path, "--check", f"--seed={number}", *target_flags(args, number)] + function.options
        if args.portable:
            command.append("--portable")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0 and "match" in done.stdout:
            return ""
        return f"FAILED {name}\n  {' '.join(command)}\n{done.stdout}{done.stderr}"

    args, cases = parser.parse_args(), list(cases)
    if is_gpu(args):  # others keep their numbers, which are their seeds
        cases = [case if case[1].elements <= MOST_SIMULATED else None for case in cases]
    mine, results = run_shard(cases, run, args)
    failures = [text for text in results if text]
    for text in failures:
        print(text)
    print(f"{len(mine)} cases of {len(cases)}: {len(failures)} failures")
    return 1 if failures else 0
