#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs generated attention cases with probes through attn-run and its f64 reference:
pairs of choices of the case generators, for tiles and for decoding, each case with
some of the probes. A case that leaves the fast path is a failure.
"""

import argparse
import dataclasses
import os
import random
import subprocess
import sys

import numpy as np

import generate_cases
import generate_decode
from attention_case import to_arrays, to_mlir
from generate_cases import pairwise_cases

PROBES = ["entropy", "sum_p", "sum_p2", "half_gradient_norm", "max_logit"]


def make_cases(rng, count):
    """Cases on tiles and, a third of them, decoding, each with a list of probes."""
    tiles = pairwise_cases(rng, generate_cases.FACTORS, count, 0)
    decode = pairwise_cases(rng, generate_decode.FACTORS, count, 0, generate_decode.make_decode_case)
    cases = rng.sample(tiles, count - count // 3) + rng.sample(decode, count // 3)
    return [dataclasses.replace(case, probes=tuple(rng.sample(PROBES, rng.randint(1, len(PROBES)))))
            for case in cases]


def run(case, stem, attn_run, flags):
    """Runs one case; returns what failed, as text."""
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write(to_mlir(case))
    np.savez(stem + ".npz", **to_arrays(case))
    command = [attn_run, stem + ".mlir", f"--inputs={stem}.npz", "--check", "--remarks", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    if done.returncode != 0:
        return f"FAIL {case}\n{' '.join(command)}\n{text}"
    if "--portable" not in flags and "fast path" not in text:
        return f"FAIL left the fast path: {case}\n{text}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-run", default="attn-run", help="the tool to run")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--flags", default="", help="further options of attn-run")
    parser.add_argument("--directory", default=".", help="where case files are written")
    args = parser.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    cases = make_cases(random.Random(args.seed), args.count)
    failed = 0
    for i, case in enumerate(cases):
        text = run(case, os.path.join(args.directory, f"probes{i}"), args.attn_run, args.flags.split())
        if text:
            failed += 1
            print(text)
    print(f"{len(cases)} cases, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
