#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs generated decoding cases (few rows, grouped heads) against the f64 reference.

Every pair of choices occurs in some case. Every case must take the schedule that
splits keys; some run on two threads as well, which must not change a bit. On a GPU
every fifth runs on the portable path, too.
"""

import dataclasses
import os
import random
import subprocess
import sys

import numpy as np

import generate_cases
import policies
from attention_case import to_arrays, to_mlir
from case_runner import choose_factors, describe_failure, is_gpu, make_parser, remove_case, run_shard, write_case
from generate_cases import add_paths, find_cost, is_small, make_case, pairwise_cases, why_portable

FACTORS = dict(
    generate_cases.FACTORS,
    policy=["inv_sqrt_dim", "constant<-0.2>", "operand", "entropy_invariant<", "log_length<base = 512.0",
            "gradient_max_fit<scores = cosine"],
    length=["keys", "position", "position_operand", "visible", "seen", "constant(100)"],
    masks=policies.lists(decode=True),
    change=["", "", "softcap", "dense_bias", "alibi", "region"],
    layout=["bhmd", "bmhd", "hmd"],
    dynamic=["", "n", "b"],
    # Keys per range are at least 512, and ranges are whole vectors.
    keys=[0, 1, 15, 16, 17, 64, 65, 513, 1021, 1531],
    heads=[(1, 1), (2, 2), (4, 2), (10, 2), (3, 1)],
    rows=[1, 1, 1, 2, 3, 4],
    dims=[(64, 64), (16, 80), (1, 1), (40, 59), (59, 40), (111, 33)],
)


# Keys that a GPU has no use in splitting: a range is four tiles at least.
MOST_WHOLE_KEYS = 256


def make_decode_case(choice, seed):
    choice = dict(choice)
    large = choice["inputs"] == "large"
    if large and choice["layout"] == "hmd":
        return None
    case = make_case(dict(choice, inputs="normal") if large else choice, seed)
    if case is None:
        return None
    if "#attn.segment_ids" in case.masks and "n = position" in case.scale:
        return None
    few = case.B * case.Hq * case.M * case.dv < 32
    if few and case.dtype in ("bf16", "f16") and case.B and case.layout != "hmd":  # the worst of two errors is luck
        case = dataclasses.replace(case, B=16)
    if large:  # many rows, none of which decides alone; see make_case
        case = dataclasses.replace(case, inputs="large", B=12, Hq=9 * case.Hkv, M=2,
                                   Hkv=case.Hkv, N=min(case.N, 101))
    return case


def make_small_decode_case(choice, seed):
    case = make_decode_case(choice, seed)
    return case if case and is_small(case) else None


def run_on_gpu(case, index, args):
    """Runs one case on the paths of a simulated GPU; returns what failed, as text."""
    stem, failures = os.path.join(args.directory, f"decode{index}"), []
    base = write_case(stem, index, to_mlir(case), to_arrays(case), args) + ["--check", "--remarks"]
    for flags in ([[]] if args.fast else []) + ([["--portable"]] if index % 5 == 0 or not args.fast else []):
        done = subprocess.run(base + flags, capture_output=True, text=True, check=False)
        text = done.stdout + done.stderr
        reason = f"exit code {done.returncode}" if done.returncode else ""
        if not reason and not flags and why_portable(text):
            reason = f"did not take the fast path: {why_portable(text)}"
        if not reason and not flags and case.N > MOST_WHOLE_KEYS and "splitKeys" not in text:
            reason = "was not split"
        if reason:
            failures.append(describe_failure(index, case, reason, base + flags, text))
    if not failures and not args.keep:
        remove_case(stem)
    return failures


def run(case, index, args):
    """Runs one case; returns what failed, as text."""
    stem = os.path.join(args.directory, f"decode{index}")
    base = write_case(stem, index, to_mlir(case), to_arrays(case), args)
    threads = index % 8 == 0
    command = base + ["--check", "--remarks"] + ([f"--output={stem}.1.npz"] if threads else [])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text, reason = done.stdout + done.stderr, ""
    if done.returncode != 0:
        reason = f"exit code {done.returncode}"
    elif "splitKeys" not in text:
        reason = "was not split"
    elif threads:
        subprocess.run(base + ["--threads=2", f"--output={stem}.2.npz"], capture_output=True, check=False)
        one, two = np.load(stem + ".1.npz"), np.load(stem + ".2.npz")
        if any(one[name].tobytes() != two[name].tobytes() for name in one.files):
            reason = "two threads compute other bits than one"
    if reason:
        return [describe_failure(index, case, reason, command, text)]
    if not args.keep:
        remove_case(stem, *([".1.npz", ".2.npz"] if threads else []))
    return []


def main():
    parser = make_parser(__doc__, 100, 4)
    add_paths(parser)
    args = parser.parse_args()
    if not args.fast and not is_gpu(args):
        parser.error("--no-fast: on a CPU this is about the schedule that splits keys")
    make = make_small_decode_case if is_gpu(args) else make_decode_case
    cases = pairwise_cases(random.Random(args.seed), choose_factors(FACTORS, args.dtype), args.count, 0, make,
                           find_cost if is_gpu(args) else None)
    mine, results = run_shard(cases, run_on_gpu if is_gpu(args) else run, args)
    failed = [text for result in results for text in result]
    for text in failed:
        print(text)
    print(f"{len(mine)} cases of {len(cases)}: {len(failed)} failures (seed {args.seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
