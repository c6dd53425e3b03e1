#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs generated decoding cases (few rows, grouped heads) against the f64 reference.

Every pair of choices occurs in some case. Every case must take the schedule that
splits keys; some run on two threads as well, which must not change a bit.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import random
import subprocess
import sys

import numpy as np

import generate_cases
from attention_case import to_arrays, to_mlir
from generate_cases import make_case, pairwise_cases

FACTORS = dict(
    generate_cases.FACTORS,
    policy=["inv_sqrt_dim", "constant<-0.2>", "operand", "entropy_invariant<", "log_length<base = 512.0",
            "gradient_max_fit<scores = cosine"],
    length=["keys", "position", "position_operand", "visible", "constant(100)"],
    masks=[(), ("causal",), ("window<left = 5, right = 2>",), ("window<left = 700, right = 0>",), ("kv_lengths",),
           ("causal", "kv_lengths"), ("causal", "segment_ids"), ("dense_mask",), ("additive_mask",)],
    change=["", "", "softcap", "dense_bias", "alibi", "region"],
    layout=["bhmd", "bmhd", "hmd"],
    dynamic=["", "n", "b"],
    # Keys per range are at least 512, and ranges are whole vectors.
    keys=[0, 1, 15, 16, 17, 64, 65, 513, 1021, 1531],
    heads=[(1, 1), (2, 2), (4, 2), (10, 2), (3, 1)],
    rows=[1, 1, 1, 2, 3, 4],
    dims=[(64, 64), (16, 80), (1, 1), (40, 59), (59, 40), (111, 33)],
)


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
    if large:  # many rows, none of which decides alone; see make_case
        case = dataclasses.replace(case, inputs="large", B=12, Hq=9 * case.Hkv, M=2,
                                   Hkv=case.Hkv, N=min(case.N, 101))
    return case


def run(case, index, args):
    """Runs one case; returns what failed, as text."""
    stem = os.path.join(args.directory, f"decode{index}")
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write(to_mlir(case))
    np.savez(stem + ".npz", **to_arrays(case))
    base = [args.attn_run, stem + ".mlir", f"--inputs={stem}.npz"]
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
        return [f"FAIL case {index}: {reason}\n  {case}\n  {' '.join(command)}\n"
                + "\n".join("  " + line for line in text.splitlines()[-6:])]
    if not args.keep:
        for ending in [".mlir", ".npz"] + ([".1.npz", ".2.npz"] if threads else []):
            os.remove(stem + ending)
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-run", default="attn-run", help="the tool to run")
    parser.add_argument("--count", type=int, default=100, help="at least so many cases")
    parser.add_argument("--seed", type=int, default=4, help="seed of the generator")
    parser.add_argument("--shard", default="0/1", help="I/N: run every N-th case from I")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--directory", default=".", help="where case files are written")
    parser.add_argument("--keep", action="store_true", help="keep the files of passing cases")
    args = parser.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    shard, shards = (int(part) for part in args.shard.split("/"))
    cases = pairwise_cases(random.Random(args.seed), FACTORS, args.count, 0, make_decode_case)
    mine = [(i, case) for i, case in enumerate(cases) if i % shards == shard]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(lambda item: run(item[1], item[0], args), mine))
    failed = [text for result in results for text in result]
    for text in failed:
        print(text)
    print(f"{len(mine)} cases of {len(cases)}: {len(failed)} failures (seed {args.seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
