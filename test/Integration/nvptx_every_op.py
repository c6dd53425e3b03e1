# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a few of the generated programs on a simulated GPU, in which all of the dialect occurs.

What all of it is, the TableGen files say: each op with each element type, and each
value of each of its arguments. Each program is compared with the f64 reference,
and where ptxas is in PATH it has to take the program's PTX.
An op, an attribute or an enumerator that no program has is a failure. With --like, what
is compiled to the same code for that target is left to the run for it. With --part, only
programs in which that part of it occurs are run.
"""

import argparse
import concurrent.futures
import glob
import itertools
import os
import shutil
import subprocess
import sys

import numpy as np

import dialect_choices
from coverage_exceptions import INNER_OPS
from dialect_coverage import ELEMENTS, find_choices, find_exception, required
from generated_programs import programs


def list_required(operations):
    """(op, what, value) of all that has to occur."""
    for operation in operations.values():
        if operation.name not in INNER_OPS:
            yield from ((operation.name, "element", element) for element in ELEMENTS)
            yield from ((operation.name, what, value) for what, value in required(operation)
                        if not find_exception(operation.name, what, value))


def list_choices(ops):
    """What of the dialect occurs in a program with these ops."""
    return {choice[:3] for op in ops for choice in op} | {(choice[0], "element", choice[3]) for op in ops for choice in op}


def choose(costs, choices, needed, part):
    """Numbers of programs in which `part` of `needed` occurs."""
    chosen, missing = [], set(needed)
    while len(missing) > (1 - part) * len(needed):
        _, number = max((len(some & missing) / cost, -i) for i, (some, cost) in enumerate(zip(choices, costs)))
        chosen.append(-number)
        missing -= choices[-number]
    return sorted(chosen)


def compile_code(stem, program, target, args):
    """The program's instructions for a target, without the lines that name it; None where it does not compile alone."""
    done = subprocess.run([args.attn_compile, stem + ".mlir", "--emit=ptx", "--name=program", f"--target={target}", "-o", stem,
                           *(option for option in program.options if not option.startswith("--seed"))],
                          capture_output=True, check=False)
    if done.returncode:
        return None
    with open(stem + ".ptx", encoding="utf-8") as file:
        return [line for line in file if not line.startswith((".target", ".version"))]


def run(number, program, args):
    """Runs a program for each target, and has its PTX assembled; returns for each what failed, as text. None: its code is
    that of another target."""
    stem = os.path.join(args.directory, f"program{number}")
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write(program.text)
    known = compile_code(stem, program, args.like, args) if args.like else None
    return [None if known and known == compile_code(stem, program, target, args) else run_on(target, stem, program, args)
            for target in args.target]


def run_on(target, stem, program, args):
    dump = f"{stem}-{target.split(':')[1]}"
    command = [args.attn_run, stem + ".mlir", f"--target={target}", "--simulate=0", "--check", f"--dump-dir={dump}",
               *program.options]
    arrays = program.arrays()
    if arrays:
        np.savez(stem + ".npz", **arrays)
        command.append(f"--inputs={stem}.npz")
    for step in itertools.chain([command], list_assemblies(dump, target, args)):
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"FAILED: {' '.join(step)}\n{done.stdout}{done.stderr}"
    return ""


def list_assemblies(dump, target, args):
    """A command for each file of PTX, when they are there."""
    for ptx in glob.glob(dump + "/*.ptx") if args.ptxas else []:
        yield [args.ptxas, f"--gpu-name={target.split(':')[1]}", "--output-file=/dev/null", ptx]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-run", required=True)
    parser.add_argument("--attn-opt", required=True)
    parser.add_argument("--attn-compile", default="attn-compile")
    parser.add_argument("--tblgen", required=True, help="llvm-tblgen")
    parser.add_argument("--source", required=True, help="the project's root")
    parser.add_argument("--mlir-include", required=True)
    parser.add_argument("--target", type=lambda text: text.split(","), default=["nvptx:sm_80"], help="one or several")
    parser.add_argument("--like", help="leave out what is compiled to the same code for this target")
    parser.add_argument("--part", type=float, default=1, help="how much has to occur in what is run")
    parser.add_argument("--directory", default=".", help="where files are written")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    args.ptxas = shutil.which("ptxas")
    os.makedirs(args.directory, exist_ok=True)
    operations, _ = dialect_choices.read(args.tblgen, args.source, args.mlir_include)
    everything = list(programs(small=True))
    found = find_choices([program.text for program in everything], operations, args.attn_opt)
    needed = set(list_required(operations))
    choices = [list_choices(ops) for ops in found]
    missing = needed.difference(*choices)
    # What a program costs grows with its ops, as each is a kernel to compile.
    chosen = choose([2 + len(ops) for ops in found], choices, needed - missing, args.part)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = sum(pool.map(lambda number: run(number, everything[number], args), chosen), [])
    failures = [text for text in results if text]
    print("\n".join(failures + [f"no program has {' '.join(choice)}" for choice in sorted(missing)]))
    if args.like:
        print(f"{results.count(None)} programs have the code of {args.like}, {len(results) - results.count(None)} their own")
    print(f"{len(needed)} choices in {len(chosen)} programs, {'assembled' if args.ptxas else 'no ptxas'}: "
          f"{len(missing)} missing, {len(failures)} failures")
    return bool(missing or failures)


if __name__ == "__main__":
    sys.exit(main())
