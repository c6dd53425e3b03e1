# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles exported models, compares them with what the framework gave, and counts what was raised.

    python3 run.py --bin=build/bin --directory=DIR (--cases=cases.tar.xz | --folder=EXPORTS) [--only=REGEX]

In f32 the result has to match the framework's f64 numbers by the rules of --check, and the reference. In bf16 it may
be off by 1.5 times what the framework's own bf16 result is off. There have to be as many ops as counts.py says; what
is otherwise stands in missing.json, by case, with the reason, and so does a result in bf16 that is off by more.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tarfile

import numpy as np

from counts import OPS, expected_counts
from values import stored

#: A result in bf16 may be so much farther from f64 than the framework's.
WORSE = 1.5


def write_inputs(path, case, kept):
    arrays = {f"arg{i}": kept[value["kept"]] if "kept" in value else stored(value)
              for i, value in enumerate(case["arguments"])}
    if not is_narrow(case):
        arrays["out0"] = kept["out0"]
    np.savez(path, **arrays)


def is_narrow(case):
    return any(value["type"] in ("bf16", "f16") for value in case["arguments"])


def count_ops(text):
    """How many ops of a kind there are, and how many exponentials are left outside of them."""
    found = collections.Counter(re.findall(r"\battn\.(" + "|".join(OPS) + r")\b(?! *<)", text))
    found["exp"] = len(re.findall(r"\bmath\.exp2?\b", text))
    return {name: found[name] for name in OPS}


def widen(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def compare_narrow(case, kept, output, worse):
    """What is wrong with a result in bf16, or nothing."""
    with np.load(output) as file:
        result = file[file.files[0]]
    result = widen(result) if result.dtype == np.uint16 else result.astype(np.float32)
    # Rows of nothing but padding may be NaN in the framework, whose sums in bf16 overflow.
    if (np.isnan(result) & ~np.isnan(kept["out0"])).any():
        return "NaN where the framework has numbers"
    off = float(np.nanmax(np.abs(result.astype(np.float64) - kept["out0"])))
    return "" if off <= worse * case["error"] else f"off by {off:.3g}, the framework by {case['error']:.3g}"


def run_case(name, args):
    """(name, what is wrong or nothing, counts)"""
    stem = os.path.join(args.folder, name)
    with open(stem + ".json", encoding="utf-8") as file:
        case = json.load(file)
    with np.load(os.path.join(args.folder, case["values"])) as file:
        kept = dict(file)
    work = os.path.join(args.directory, name)
    write_inputs(work + ".npz", case, kept)
    raised = subprocess.run([args.bin + "/attn-opt", "--attn-raise-pipeline", stem + ".mlir"],
                            capture_output=True, text=True, check=False)
    counts = count_ops(raised.stdout)
    command = [args.bin + "/attn-run", stem + ".mlir", f"--inputs={work}.npz", "--check", *args.flags.split()]
    command += [f"--output={work}.out.npz"] if is_narrow(case) else [f"--expect={work}.npz"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wrong = ""
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines()
        wrong = f"exit {done.returncode}: " + " | ".join(
            [line.strip() for line in lines if "error" in line or "MISMATCH" in line][:3] or lines[-1:])
    elif is_narrow(case):
        wrong = compare_narrow(case, kept, work + ".out.npz", args.known.get(name, {}).get("worse", WORSE))
    for ending in (".npz", ".out.npz"):
        if os.path.exists(work + ending) and not args.keep:
            os.remove(work + ending)
    return name, wrong, counts


def check_counts(name, counts, missing):
    """What is not raised as the model is, and not as the list of what is missing says."""
    wanted = {**expected_counts(name), **{op: n for op, n in missing.get(name, {}).items() if op in OPS}}
    return ", ".join(f"{op} {counts[op]} of {wanted[op]}" for op in OPS if counts[op] != wanted[op])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of the tools")
    parser.add_argument("--directory", required=True, help="where files are written")
    parser.add_argument("--cases", help="an archive of cases")
    parser.add_argument("--folder", help="a folder of cases")
    parser.add_argument("--only", default="", help="cases whose name has this")
    parser.add_argument("--shard", default="0/1", help="I/N: every N-th case from I")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--flags", default="", help="more for attn-run")
    parser.add_argument("--missing", help="what is known to be missing, a file")
    parser.add_argument("--keep", action="store_true", help="keep the inputs")
    args = parser.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    if args.cases:
        args.folder = os.path.join(args.directory, "cases")
        with tarfile.open(args.cases) as archive:
            archive.extractall(args.folder)
    names = sorted(name[:-5] for name in os.listdir(args.folder) if name.endswith(".json"))
    shard, shards = (int(part) for part in args.shard.split("/"))
    names = [name for name in names if re.search(args.only, name)][shard::shards]
    args.known = {}
    if args.missing:
        with open(args.missing, encoding="utf-8") as file:
            args.known = json.load(file)
    wrong = unlike = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, reason, counts in pool.map(lambda name: run_case(name, args), names):
            differs = check_counts(name, counts, args.known)
            wrong += bool(reason)
            unlike += bool(differs)
            if reason or differs:
                print(name, reason or "right", differs or "raised", sep="; ", flush=True)
    print(f"{len(names)} models: {wrong} wrong, {unlike} raised otherwise")
    return 1 if wrong or unlike else 0


if __name__ == "__main__":
    sys.exit(main())
