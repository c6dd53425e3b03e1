#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles examples and benchmark cases with two builds and says which objects differ.

A change of structure must not change kernels: where the bytes are the same, so is the speed. What differs is named, and
has to be measured and wanted. With --measure both kernels are called in turn, in this process and on one thread; sizes that
are not known are 512, integers 255. Without --verbose only the sums and the differences are shown.

  benchmarks/compare_kernels.py --old=OTHER/build/bin
  benchmarks/compare_kernels.py --old=OTHER/build/bin --filter=softmax --keep=/tmp/objects more.mlir
  benchmarks/compare_kernels.py --old=OTHER/build/bin --targets=cpu --measure=2
  benchmarks/compare_kernels.py --old=build/bin --old-flags=--no-checks --targets=cpu --measure=2      # what checks cost
"""

import argparse
import glob
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

import bench  # noqa: E402  (beside this file)
import paired  # noqa: E402
import run  # noqa: E402
import run_activations  # noqa: E402
import run_linear  # noqa: E402
import run_norms  # noqa: E402
import run_positions  # noqa: E402
import run_rows  # noqa: E402

#: How the cases of a suite become text; run.py's way where nothing stands here.
WRITERS = {"activation": run_activations.to_mlir, "linear": run_linear.to_mlir, "norm": run_norms.to_mlir,
           "positions": run_positions.to_mlir, "softmax": run_rows.to_mlir}
#: Suites whose cases are no modules of their own.
SKIPPED = {"decoder", "gpu", "gpu_schedules", "models", "package", "quick"}


def list_programs(files):
    """(name, text) of each program, without those that were there before."""
    for path in sorted(glob.glob(os.path.join(ROOT, "examples", "*.mlir"))) + files:
        with open(path, encoding="utf-8") as file:
            yield os.path.basename(path), file.read()
    seen = set()
    for path in sorted(glob.glob(os.path.join(HERE, "suites", "*.json"))):
        suite = os.path.splitext(os.path.basename(path))[0]
        for entry in [] if suite in SKIPPED else bench.read_suite(suite):
            text = WRITERS.get(suite, run.to_module)(entry)
            if text not in seen:
                seen.add(text)
                yield f"{suite}: {entry['name']} {re.sub(r'[^0-9a-z]+', ' ', str(entry))[:60]}", text


def compile_program(binaries, flags, source, target, prefix):
    """(object or None, seconds). What is refused has no object."""
    start = time.monotonic()
    command = [os.path.join(binaries, "attn-compile"), source, "-o", prefix, "--emit=obj", f"--target={target}", *flags]
    done = subprocess.run(command, capture_output=True, check=False)
    seconds = time.monotonic() - start
    if done.returncode not in (0, 2):
        sys.exit(f"{binaries}: status {done.returncode} for {source}:\n{done.stderr.decode()}")
    if done.returncode == 2:
        return None, seconds
    with open(prefix + ".o", "rb") as file:
        return file.read(), seconds


def compare(name, text, target, args, directory, times):
    """'same', 'refused', 'refused now', 'taken now' or 'differs'."""
    source = os.path.join(directory, "program.mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    objects = []
    for side in ("old", "new"):
        data, seconds = compile_program(getattr(args, side), getattr(args, side + "_flags"), source, target,
                                        os.path.join(directory, side))
        objects.append(data)
        times[side].append(seconds)
    old, new = objects
    if old == new:
        return "same" if old is not None else "refused"
    if args.keep and old is not None and new is not None:
        stem = os.path.join(args.keep, re.sub(r"\W+", "-", f"{name} {target}"))
        os.makedirs(args.keep, exist_ok=True)
        for side, data in (("old", old), ("new", new)):
            with open(f"{stem}.{side}.o", "wb") as file:
                file.write(data)
        with open(stem + ".mlir", "w", encoding="utf-8") as file:
            file.write(text)
    return "differs" if old is not None and new is not None else "taken now" if new is not None else "refused now"


def measure(name, text, args, directory):
    """How many times as fast the kernel of the new build is, or None."""
    kernels = []
    for side in ("new", "old"):
        builds = paired.build_kernels(os.path.join(getattr(args, side), "attn-compile"), text, directory,
                                      flags=getattr(args, side + "_flags"))
        tensors = builds[0].description["inputs"] + builds[0].description["outputs"]
        if any(tensor["dtype"] not in paired.TYPES for tensor in tensors):
            return None
        kernels.append(builds)
    try:
        ratio = paired.measure_ratio(*kernels, args.measure)
    except paired.Refused as error:
        print(f"  not measured: {name}: {error}")
        return None
    print(f"  {ratio:.3f} times as fast: {name}", flush=True)
    return ratio


def print_ratios(ratios):
    """Of each suite, and of all: the mean of the new speeds over the old ones, and the slowest."""
    suites = {"all": sum(ratios.values(), []), **ratios}
    for suite in sorted(suites) if suites["all"] else []:
        print(f"{suite}: {len(suites[suite])} measured, {statistics.geometric_mean(suites[suite]):.3f} times as fast, "
              f"worst {min(suites[suite]):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", required=True, help="folder of the other build's programs")
    parser.add_argument("--new", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--targets", type=lambda text: text.split(","), default=["cpu:x86-64-v3", "cpu:x86-64-v4"])
    parser.add_argument("--old-flags", type=str.split, default=[], help="flags of attn-compile for the other build")
    parser.add_argument("--new-flags", type=str.split, default=[])
    parser.add_argument("--filter", default="", help="a pattern that the names of programs match")
    parser.add_argument("--keep", help="writes the programs and objects that differ there")
    parser.add_argument("--measure", type=float, metavar="SECONDS", help="measures the kernels that differ, that long")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("files", nargs="*", help="more programs")
    args = parser.parse_args()
    counts, times, speeds = {}, {"old": [], "new": []}, {}
    with tempfile.TemporaryDirectory() as directory:
        for name, text in list_programs(args.files):
            if not re.search(args.filter, name):
                continue
            for target in args.targets:
                result = compare(name, text, target, args, directory, times)
                counts[result] = counts.get(result, 0) + 1
                if args.verbose or result not in ("same", "refused"):
                    print(f"{result}: {name} ({target})", flush=True)
                if args.measure and result == "differs":
                    speed = measure(name, text, args, directory)
                    speeds.setdefault(name.split(":")[0] if ": " in name else "examples", []).extend([speed] if speed else [])
    print_ratios({suite: found for suite, found in speeds.items() if found})
    ratios = sorted(new / old for old, new in zip(times["old"], times["new"]))
    print(", ".join(f"{count} {result}" for result, count in sorted(counts.items())))
    if ratios:
        print(f"compile time: {sum(times['old']):.1f} s before, {sum(times['new']):.1f} s now, median ratio "
              f"{ratios[len(ratios) // 2]:.2f}")
    return 1 if set(counts) - {"same", "refused"} else 0


if __name__ == "__main__":
    sys.exit(main())
