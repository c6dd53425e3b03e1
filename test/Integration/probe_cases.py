#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs generated attention cases with probes through attn-run and its f64 reference:
every pair of choices of the case generator, each case with some of the probes.
"""

import argparse
import dataclasses
import os
import random
import subprocess
import sys

import numpy as np

from attention_case import to_arrays, to_mlir
from generate_cases import FACTORS, pairwise_cases

PROBES = ["entropy", "sum_p", "sum_p2", "half_gradient_norm", "max_logit"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-run", default="attn-run", help="the tool to run")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--flags", default="", help="further options of attn-run")
    parser.add_argument("--directory", default=".", help="where case files are written")
    args = parser.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    rng = random.Random(args.seed)
    cases = rng.sample(pairwise_cases(rng, FACTORS, args.count, 0), args.count)
    failed = 0
    for i, case in enumerate(cases):
        probes = rng.sample(PROBES, rng.randint(1, len(PROBES)))
        case = dataclasses.replace(case, probes=tuple(probes))
        stem = os.path.join(args.directory, f"probes{i}")
        with open(stem + ".mlir", "w", encoding="utf-8") as file:
            file.write(to_mlir(case))
        np.savez(stem + ".npz", **to_arrays(case))
        command = [args.attn_run, stem + ".mlir", f"--inputs={stem}.npz", "--check", *args.flags.split()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            failed += 1
            print(f"FAIL {case}\n{' '.join(command)}\n{done.stdout}{done.stderr}")
    print(f"{len(cases)} cases, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
