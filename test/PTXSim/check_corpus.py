#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the corpus under many schedules: right results, and not one finding.

  check_corpus.py --tool=attn-ptx-run [--seeds=20] [--shard=0/4] [--list] [NAME...]
"""

import argparse
import fnmatch
import sys
import tempfile
import time

from cases import all_cases
from corpus import Prepared


def choose(cases, options):
    cases = list(cases)
    if options.names:
        return [c for c in cases if any(fnmatch.fnmatch(c.name, n) for n in options.names)]
    index, count = map(int, options.shard.split("/"))
    return cases[index::count]


def check(case, options):
    with tempfile.TemporaryDirectory() as directory:
        prepared = Prepared(case, options.tool, directory)
        status, _, messages = prepared.run(f"--seeds={options.seeds}")
        if status != 0:
            return f"exit status {status}\n{messages}"
        wrong = prepared.wrong_outputs()
        return "\n".join(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    chosen = choose(all_cases(), options)
    if options.list:
        print("\n".join(case.name for case in chosen))
        return 0
    if not chosen:
        sys.exit("no such case")
    failed = 0
    for case in chosen:
        start = time.monotonic()
        problem = check(case, options)
        failed += bool(problem)
        if problem:
            print(f"FAILED {case.name}: {problem}", flush=True)
        elif options.verbose:
            print(f"good {case.name} ({time.monotonic() - start:.2f} s)", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} kernels right and without a finding under earliest, latest "
          f"and {options.seeds} seeds")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
