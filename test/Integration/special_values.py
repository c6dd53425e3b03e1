#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values at the ends of each element type, in places that rows do see, on the fast
path: subnormal values of f16 must survive although kernels flush denormals of f32,
NaN and infinity must reach exactly the rows that see them, and scores may be huge.
"""

import argparse
import os
import subprocess
import sys

import numpy as np

from attention_case import Case, to_mlir, to_storage


def poke(what, arrays, dtype):
    query, key, value = arrays
    if what == "subnormal":  # of f16: below 6.1e-5
        value *= 3e-6
    elif what == "smallest":  # a few units of the smallest f16
        value *= 1e-7
    elif what == "infinite value":
        value[0, 0, 3, 5] = np.inf
    elif what == "NaN query":
        query[0, 1, 7, 2] = np.nan
    elif what == "NaN keys":
        key[0, 1, 60, 2] = key[0, 0, 20, 0] = np.nan
    elif what == "infinite query":
        query[0, 1, 7, 2] = np.inf
    elif what == "huge scores":
        query *= 3e3 if dtype == "f16" else 1e15
        key *= 3e3 if dtype == "f16" else 1e15


WHAT = ["subnormal", "smallest", "infinite value", "NaN query", "NaN keys", "infinite query", "huge scores"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-run", default="attn-run", help="the tool to run")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--directory", default=".", help="where case files are written")
    args = parser.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    failed = count = 0
    for dtype in ("f16", "bf16", "f64"):
        case = Case(dtype=dtype, M=50, N=70, d=40, dv=24, lse=True, masks=("#attn.causal",), align="top_left")
        path = os.path.join(args.directory, f"{dtype}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(to_mlir(case))
        for what in WHAT:
            rng = np.random.default_rng(3)
            arrays = [rng.standard_normal((1, 2, rows, dim)) for rows, dim in ((50, 40), (70, 40), (70, 24))]
            poke(what, arrays, dtype)
            inputs = path + ".npz"
            np.savez(inputs, **{f"arg{i}": to_storage(a, dtype) for i, a in enumerate(arrays)})
            done = subprocess.run(
                [args.attn_run, path, f"--inputs={inputs}", "--check", "--remarks", f"--target={args.target}"],
                capture_output=True, text=True, check=False)
            count += 1
            if done.returncode != 0 or "fast path" not in done.stdout + done.stderr:
                failed += 1
                print(f"FAIL {dtype}, {what}\n{done.stdout}{done.stderr}")
    print(f"{count} cases, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
