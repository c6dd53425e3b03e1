#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests and times the bundle in this folder on the first GPU of the machine.

  python3 suite.py --json=results.json

It needs numpy, and PyTorch for timings. Numeric tests compare with what the simulator gave; golden kernels compare
bits; timings stand beside PyTorch's own kernels. Each part runs in a process of its own, which is replaced when a kernel
does not end. The exit status is 1 where a test fails, 2 where there is no GPU.
"""

import argparse
import json
import os
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import golden  # noqa: E402
from program import DeviceError, Driver, Program, widen  # noqa: E402
from worker import Worker, do_all  # noqa: E402

LIBRARY = os.path.join(HERE, "driver.so")


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
    worst = float(np.abs(np.where(same, 0, a) - np.where(same, 0, b)).max())
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


def prepare_tests(driver):
    return lambda test: run_test(driver, test)


def run_tests(tests):
    answers = do_all(tests, LIBRARY, prepare_tests)
    return {"tests": len(tests), "same_bits": sum("same_bits" in found for found in answers),
            "worst_share": max((found.get("share", 0) for found in answers), default=0),
            "failures": [{"name": test["name"], "error": found["error"]}
                         for test, found in zip(tests, answers) if "error" in found]}


def run_golden():
    path = os.path.join(HERE, "golden.jsonl.gz")
    return golden.run_golden(LIBRARY, path) if os.path.exists(path) else {}


def prepare_timings(driver):
    import timing

    def program(item):
        return Program(driver, os.path.join(HERE, item["name"] + ".so"), item["entry"])
    return lambda item: timing.run_timing(driver, program, item)


def run_timings(timings, path):
    """Results so far are in the file `path`.part after each case."""
    try:
        import torch
    except ImportError as error:
        return {"skipped": str(error)}
    found = {"device": torch.cuda.get_device_name(0), "torch": torch.__version__, "results": []}
    worker = Worker(LIBRARY, prepare_timings, seconds=60)
    for item in timings:
        done = worker.do(item)
        found["results"].append({"case": item["case"]} | done)
        print(describe(found["results"][-1]), flush=True)
        if path:
            with open(path + ".part", "w", encoding="utf-8") as file:
                json.dump(found, file)
    worker.stop()
    if path and os.path.exists(path + ".part"):
        os.remove(path + ".part")
    return found


def describe(result):
    name = result["case"]["name"]
    if "error" in result:
        return f"{name:40} {result['error']}"
    text = f"{name:40} {1e6 * result['calls']['ours']['median']:9.1f} us"
    if "tflops" in result:
        text += f"  {result['tflops']['ours']:7.1f} TFLOP/s"
    else:
        text += f"  {result['gbytes_per_second']:7.0f} GB/s"
    text += "".join(f"  {ratio:.2f} x {peer}" for peer, ratio in result["over"].items())
    return text + "".join(f"  (off {peer} by {value:.1g})" for peer, value in result["distances"].items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="where to write the results")
    parser.add_argument("--only", default="tests,golden,timings", help="parts, separated by commas")
    args = parser.parse_args()
    with open(os.path.join(HERE, "bundle.json"), encoding="utf-8") as file:
        bundle = json.load(file)
    try:
        Driver(LIBRARY).close()
    except DeviceError as error:
        print(f"suite.py: {error}", file=sys.stderr)
        return 2
    results, failed = {"target": bundle["target"]}, 0
    for part, action in {"tests": lambda: run_tests(bundle["tests"]), "golden": run_golden,
                         "timings": lambda: run_timings(bundle["timings"], args.json)}.items():
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
