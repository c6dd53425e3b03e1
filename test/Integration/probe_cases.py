#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs generated attention cases with probes through attn-run and its f64 reference:
pairs of choices of the case generators, for tiles and for decoding, each case with
some of the probes. A case that leaves the fast path is a failure.
"""

import dataclasses
import os
import random
import subprocess
import sys

import generate_cases
import generate_decode
from attention_case import to_arrays, to_mlir
from case_runner import choose_factors, describe_failure, is_gpu, make_parser, remove_case, run_shard, write_case
from generate_cases import pairwise_cases

PROBES = ["entropy", "sum_p", "sum_p2", "half_gradient_norm", "max_logit", "kurtosis"]


def make_cases(rng, count, small=False, dtype=None):
    """Cases on tiles and, a third of them, decoding, each with a list of probes."""
    cost = generate_cases.find_cost if small else None
    tiles = pairwise_cases(rng, choose_factors(generate_cases.FACTORS, dtype), count, 0,
                           generate_cases.make_small_case if small else generate_cases.make_case, cost)
    decode = pairwise_cases(rng, choose_factors(generate_decode.FACTORS, dtype), count, 0,
                            generate_decode.make_small_decode_case if small else generate_decode.make_decode_case, cost)
    cases = rng.sample(tiles, count - count // 3) + rng.sample(decode, count // 3)
    return [dataclasses.replace(case, probes=tuple(rng.sample(PROBES, rng.randint(1, len(PROBES)))))
            for case in cases]


def run(case, index, args):
    """Runs one case; returns what failed, as text."""
    stem, flags = os.path.join(args.directory, f"probes{index}"), args.flags.split()
    command = write_case(stem, index, to_mlir(case), to_arrays(case), args) + ["--check", "--remarks", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    if done.returncode != 0:
        return describe_failure(index, case, f"exit code {done.returncode}", command, text)
    if "--portable" not in flags and "fast path" not in text:
        return describe_failure(index, case, "left the fast path", command, text)
    if not args.keep:
        remove_case(stem)
    return ""


def main():
    parser = make_parser(__doc__, count=60, seed=4)
    parser.add_argument("--flags", default="", help="further options of attn-run")
    args = parser.parse_args()
    mine, results = run_shard(make_cases(random.Random(args.seed), args.count, is_gpu(args), args.dtype), run, args)
    failed = [text for text in results if text]
    if failed:
        print("\n".join(failed))
    print(f"{len(mine)} cases, {len(failed)} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
