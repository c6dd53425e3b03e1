#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random input for the compiler, its kernels and its tools; the parts are in test/fuzz.

  ir      random programs of right sizes, compared with the f64 reference, and between pages that may not be touched
  sizes   the same with wrong sizes, sizes like 2^62 and wrong indices: all refused
  npz     broken .npy and .npz files for attn-run
  parse   broken programs, as text and as bytecode: taken or refused; faults of LLVM's parser end as a report
  cli     random command lines of all tools but the language server
  abi     random calls of the C ABI: null pointers, ranks, types, strides, overlaps
  raise   random spellings of attention: what they are raised to computes the same in the f64 reference, and with
          --compiled in kernels; says of how many of each feature an attention was raised

A run is a function of its number and the seed: `--seed=S --first=N --runs=1 MODE` runs it again. A crash (a signal, or
status 3), a hang (more than --seconds) and a wrong answer are findings; a failing program is made smaller and printed as
a test, which --regressions=test/Regression adds to the suite. Exit code 1 on any finding.
"""

import argparse
import collections
import importlib.util
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# The python3 that is called may lack numpy; the build has found one that has it.
if not importlib.util.find_spec("numpy"):
    with open(os.path.join(ROOT, "build", "CMakeCache.txt"), encoding="utf-8") as cache:
        python = re.search(r"^ATTN_PYTHON:\w+=(.*)$", cache.read(), re.M).group(1)
    os.execv(python, [python, *sys.argv])
sys.path[:0] = [os.path.join(ROOT, "test", "fuzz"), os.path.join(ROOT, "test", "Integration")]

from abi_mode import AbiMode  # pylint: disable=wrong-import-position
from cli_mode import CliMode  # pylint: disable=wrong-import-position
from npz_mode import NpzMode  # pylint: disable=wrong-import-position
from outcome import FINDINGS, Tools  # pylint: disable=wrong-import-position
from parse_mode import ParseMode  # pylint: disable=wrong-import-position
from program_modes import IRMode, SizesMode  # pylint: disable=wrong-import-position
from raise_mode import RaiseMode  # pylint: disable=wrong-import-position
from reduce_program import as_test, reduce_program  # pylint: disable=wrong-import-position

MODES = {"ir": IRMode, "sizes": SizesMode, "npz": NpzMode, "parse": ParseMode, "cli": CliMode, "abi": AbiMode,
         "raise": RaiseMode}


def describe(mode, tools, seed, found, program, reduce):
    """The text of a finding, and the test of a program, which becomes smaller first."""
    runner = MODES[mode](tools)
    if program and reduce:
        def fails(smaller):
            again = runner.check(smaller, seed)
            return again.kind == found.kind and again.signature.split("N")[0][:24] == found.signature.split("N")[0][:24]
        program = reduce_program(program, fails)
        smaller = runner.check(program, seed)
        found = smaller if smaller.kind == found.kind else found
    if not program:
        return found.text, ""
    flags = [word for word in found.text.split() if word.startswith(("--target", "--portable", "--emulator"))]
    return found.text, as_test(program, found, flags)


def work(job):
    """Runs of one mode by one process until the time is over; returns counts and findings."""
    mode, number, args = job
    os.makedirs(args.directory or ".", exist_ok=True)
    directory = tempfile.mkdtemp(prefix=f"fuzz-{mode}-{number}-", dir=args.directory)
    tools = Tools(os.path.abspath(args.binaries), directory, args.seconds, args.compiled)
    runner, findings, end = MODES[mode](tools), [], time.monotonic() + 60 * args.minutes
    counts, seen = collections.Counter(), collections.Counter()
    i = args.first + number
    while time.monotonic() < end and (not args.runs or i < args.first + args.runs):
        seed = f"{args.seed}-{mode}-{i}"
        found, program = runner.run(seed)
        counts["runs"] += 1
        counts[found.kind] += 1
        if found.kind != "ok":
            seen[found.signature] += 1
        # Of programs that compute something else, each is of interest.
        if found.kind in FINDINGS and (seen[found.signature] == 1 or (mode, found.kind) == ("raise", "wrong")):
            text, test = describe(mode, tools, seed, found, program, not args.no_reduction)
            text = f"{mode} run {i}: {found.kind}: {text}\n{test}"
            findings.append((f"{i} {found.signature}", text))
            keep(args.keep, f"{mode}-{args.seed}-{i}", {"txt": text.encode(), **found.files})
            if test:
                keep(args.regressions, f"{mode}-{args.seed}-{i}", {"mlir": test.encode()})
        elif args.runs == 1:  # the same program again
            keep(args.keep, f"{mode}-{args.seed}-{i}", found.files)
        i += args.jobs
    shutil.rmtree(directory, ignore_errors=True)
    return mode, counts, seen, findings, getattr(runner, "made", counts), getattr(runner, "raised", None)


def keep(folder, name, files):
    for extension, data in files.items() if folder else ():
        with open(os.path.join(folder, f"{name}.{extension}"), "wb") as file:
            file.write(data)


def print_features(made, raised):
    """How many programs have each feature, and of how many the attention was raised."""
    for feature in sorted(made):
        print(f"  {feature}: {raised[feature]} of {made[feature]} raised")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modes", nargs="*", metavar="MODE", help="; ".join(MODES) + "; all without it")
    parser.add_argument("--minutes", type=float, default=1, help="for each mode")
    parser.add_argument("--runs", type=int, default=0, help="at most so many of each mode")
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=60, help="a run that takes longer hangs")
    parser.add_argument("--keep", metavar="DIR", help="writes findings there")
    parser.add_argument("--regressions", metavar="DIR", help="writes tests of programs that fail there")
    parser.add_argument("--binaries", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--directory", help="for files while it runs")
    parser.add_argument("--compiled", action="store_true", help="in the mode raise, runs the kernels as well")
    parser.add_argument("--no-reduction", action="store_true", help="prints failing programs as they are")
    parser.add_argument("--refusals", action="store_true", help="prints what was refused, and how often")
    args = parser.parse_args()
    for mode in args.modes:
        if mode not in MODES:
            parser.error(f"unknown mode '{mode}'")
    for folder in filter(None, (args.keep, args.regressions)):
        os.makedirs(folder, exist_ok=True)
    failed = False
    for mode in args.modes or MODES:
        with multiprocessing.get_context("fork").Pool(args.jobs) as pool:
            results = pool.map(work, [(mode, number, args) for number in range(args.jobs)], 1)
        counts, seen, findings = collections.Counter(), collections.Counter(), {}
        made, raised = collections.Counter(), collections.Counter()
        for _, more, signatures, found, features, with_attention in results:
            if with_attention is not None:
                made.update(features)
                raised.update(with_attention)
            counts.update(more)
            seen.update(signatures)
            findings.update(found)
        for text in findings.values():
            print(text.rstrip("\n") + "\n")
        if args.refusals:
            for signature, count in seen.most_common():
                print(f"{count:6} {signature}")
        failed |= bool(findings)
        print_features(made, raised)
        print(f"{mode}: {counts['runs']} runs: " + ", ".join(f"{kind} {counts[kind]}" for kind in ("ok", "refused", *FINDINGS)) +
              "".join(f", {kind} {counts[kind]}" for kind in ("near", "upstream") if counts[kind]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
