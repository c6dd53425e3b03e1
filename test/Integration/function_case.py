# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions written by a generator, each compared with the f64 reference by attn-run --check.

What the generators of single cases share: types, the list of arguments, options
and the run. The reference makes the values of the arguments, from the case's number.
"""

import argparse
import os
import subprocess


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

    def argument(self, shape, element, unknown=()):
        """Adds one, whose type does not tell the sizes of the dimensions in `unknown`; returns its name."""
        number = len(self.arguments)
        self.arguments.append(tensor(["?" if i in unknown else size for i, size in enumerate(shape)], element))
        if unknown:
            self.options.append(f"--shape={number}:" + "x".join(map(str, shape)))
        return f"%a{number}"


def main(doc, stem, cases):
    """Runs the cases, (name, function, text), that the command line asks for; returns the exit code.

    A failing case prints the command that runs it again.
    """
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--attn-run", required=True)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--shard", default="0/1", help="I/N runs every N-th case, from the I-th on")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--portable", action="store_true")
    arguments = parser.parse_args()
    os.makedirs(arguments.directory, exist_ok=True)
    cases = list(cases)
    first, count = map(int, arguments.shard.split("/"))
    run = failures = 0
    for number in range(first, len(cases), count):
        name, function, text = cases[number]
        path = os.path.join(arguments.directory, f"{stem}-{number}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = [arguments.attn_run, path, "--check", f"--seed={number}", f"--target={arguments.target}"] + function.options
        if arguments.portable:
            command.append("--portable")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        run += 1
        if done.returncode != 0 or "match" not in done.stdout:
            failures += 1
            print(f"FAILED {name}\n  {' '.join(command)}\n{done.stdout}{done.stderr}")
    print(f"{run} cases of {len(cases)}: {failures} failures")
    return 1 if failures else 0
