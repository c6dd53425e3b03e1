#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests and times the bundle in this folder on the first GPU of the machine.

  python3 suite.py --json=results.json

It needs numpy, and PyTorch for timings. Numeric tests compare with what the simulator gave; golden kernels compare
bits; timings stand beside PyTorch's own kernels. The exit status is 1 where a test fails, 2 where there is no GPU.
"""

import argparse
import json
import os
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from golden import run_golden  # noqa: E402
from program import DeviceError, Driver, Program, widen  # noqa: E402


def compare(result, expected, dtype, allowed):
    """How far a result is from what is expected, as a share of what is allowed, and whether it is too far."""
    if result.shape != expected.shape:
        return {"error": f"shape {result.shape} where {expected.shape} is expected"}
    a, b = widen(result, dtype), widen(expected, dtype)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return {"same_bits": True}
    if not np.array_equal(np.isfinite(a), np.isfinite(b)) or not (same | np.isfinite(a)).all():
        return {"error": "not the same numbers are finite"}
    worst = float(np.abs(np.where(same, 0, a - b)).max())
    if allowed is None or worst > allowed:
        return {"error": f"off by {worst:.3g} where {allowed if allowed is None else format(allowed, '.3g')} is allowed"}
    return {"difference": worst, "share": worst / allowed}


def run_test(driver, test):
    entry = test["entry"]
    with np.load(os.path.join(HERE, test["name"] + ".npz")) as arrays:
        arguments = [arrays[f"arg{i}"] for i in range(len(entry["inputs"]))]
        expected = [arrays[f"out{i}"] for i in range(len(entry["outputs"]))]
    program = Program(driver, os.path.join(HERE, test["name"] + ".so"), entry)
    results = program.run([as_stored(array) for array in arguments], [array.shape for array in expected])
    for result, array, described in zip(results, expected, entry["outputs"]):
        found = compare(result, as_stored(array), described["dtype"], test["allowed"])
        if "error" in found:
            return found
    return found if results else {}


def as_stored(array):
    """Types that numpy has no name for lie in files as plain bytes."""
    return array.view(np.uint16) if array.dtype.kind == "V" else array


def run_tests(driver, tests):
    failures, shares, same = [], [], 0
    for test in tests:
        try:
            found = run_test(driver, test)
        except DeviceError as error:
            found = {"error": str(error)}
        if "error" in found:
            failures.append({"name": test["name"], "error": found["error"]})
        same += "same_bits" in found
        shares.append(found.get("share", 0))
    return {"tests": len(tests), "same_bits": same, "worst_share": max(shares, default=0), "failures": failures}


def run_timings(driver, timings):
    try:
        import timing
    except ImportError as error:
        return {"skipped": str(error)}
    results = []
    for item in timings:
        program = Program(driver, os.path.join(HERE, item["name"] + ".so"), item["entry"])
        try:
            results.append(timing.run_timing(driver, program, item))
        except (DeviceError, RuntimeError) as error:
            results.append({"case": item["case"], "error": str(error)})
        print(describe(results[-1]), flush=True)
    return {"device": timing.torch.cuda.get_device_name(0), "torch": timing.torch.__version__, "results": results}


def describe(result):
    name = result["case"]["name"]
    if "error" in result:
        return f"{name:40} {result['error']}"
    text = f"{name:40} {1e6 * result['calls']['ours']['median']:9.1f} us"
    if "tflops" in result:
        text += f"  {result['tflops']['ours']:7.1f} TFLOP/s"
    else:
        text += f"  {result['gbytes_per_second']:7.0f} GB/s"
    return text + "".join(f"  {ratio:.2f} x {peer}" for peer, ratio in result["over"].items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="where to write the results")
    parser.add_argument("--only", default="tests,golden,timings", help="parts, separated by commas")
    args = parser.parse_args()
    with open(os.path.join(HERE, "bundle.json"), encoding="utf-8") as file:
        bundle = json.load(file)
    try:
        driver = Driver(os.path.join(HERE, "driver.so"))
    except DeviceError as error:
        print(f"suite.py: {error}", file=sys.stderr)
        return 2
    results, failed, golden = {"target": bundle["target"]}, 0, os.path.join(HERE, "golden.jsonl.gz")
    for part, action in {"tests": lambda: run_tests(driver, bundle["tests"]),
                         "golden": lambda: run_golden(driver, golden) if os.path.exists(golden) else {},
                         "timings": lambda: run_timings(driver, bundle["timings"])}.items():
        if part not in args.only.split(","):
            continue
        start = time.monotonic()
        results[part] = action() | {"seconds": round(time.monotonic() - start, 1)}
        failures = results[part].get("failures", [])
        failed += len(failures)
        counts = {key: value for key, value in results[part].items() if isinstance(value, (int, float, str))}
        print(f"{part}: {counts}, {len(failures)} failures", flush=True)
        for failure in failures[:20]:
            print(f"  {failure.get('name', failure.get('line'))}: {failure['error']}")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
