#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the kernels of the corpus and checks that each mistake is reported at the right line.

  check_mutations.py --tool=attn-ptx-run [--seeds=3] [--shard=0/4] [NAME...]

A mistake counts as caught if earliest or latest reports it, or every seed.
"""

import argparse
import fnmatch
import re
import sys
import tempfile
import time

from cases import all_cases
from corpus import Prepared, read_ptx
from mutations import MUTATIONS, apply, matching_lines


def reports(run, mutation, lines):
    kinds = [kind.lower() for kind in mutation.kinds]
    return any(f["kind"].replace("-", "") in kinds and (f["line"] in lines or f["other_line"] in lines) for f in run["findings"])


def describe(report):
    seen = [(f["kind"], f["line"], f["other_line"]) for run in report.get("schedules", []) for f in run["findings"]]
    return ", ".join(f"{k}@{l}/{o}" for k, l, o in sorted(set(seen))[:6])


def check(mutation, case, options):
    """Empty if it is caught as it must be."""
    try:
        broken = apply(mutation, read_ptx(case.file), case.kernel)
    except ValueError as error:
        return str(error)
    lines = matching_lines(mutation, broken, case.kernel)
    with tempfile.TemporaryDirectory() as directory:
        prepared = Prepared(case, options.tool, directory)
        ptx = prepared.write("broken.ptx", broken)
        strict = ["--strict"] if mutation.strict else []
        status, report, messages = prepared.run(f"--seeds={options.seeds}", *strict, ptx=ptx)
    if status == 2 and "Refused" in mutation.kinds:
        refused = re.search(r"\.ptx:(\d+):", messages)
        return "" if refused and int(refused.group(1)) in lines else messages
    if status != 1:
        return f"exit status {status}: {messages[:300]}"
    runs = report["schedules"]
    extremes = [reports(run, mutation, lines) for run in runs if run["schedule"] in ("earliest", "latest")]
    seeded = [reports(run, mutation, lines) for run in runs if run["schedule"] not in ("earliest", "latest")]
    if any(extremes) or (seeded and all(seeded)):
        return ""
    return f"wanted {'/'.join(mutation.kinds)} at /{mutation.at}/, got {describe(report)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--without", default="", help="pattern of names to leave out")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    cases = {case.name: case for case in all_cases()}
    index, count = map(int, options.shard.split("/"))
    chosen = MUTATIONS[index::count]
    if options.names:
        chosen = [m for m in MUTATIONS if any(fnmatch.fnmatch(m.name, n) for n in options.names)]
    chosen = [m for m in chosen if not fnmatch.fnmatch(m.name, options.without)]
    missed = 0
    for mutation in chosen:
        start = time.monotonic()
        problem = check(mutation, cases[mutation.case], options)
        missed += bool(problem)
        if problem:
            print(f"MISSED {mutation.name} ({mutation.case}): {problem}", flush=True)
        elif options.verbose:
            print(f"caught {mutation.name} ({time.monotonic() - start:.2f} s)", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} mistakes reported at the right line")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
