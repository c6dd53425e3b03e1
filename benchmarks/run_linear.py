#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the suite of linear layers: GFLOP/s, the share of the tile peak of the
same run, and the ratio to the case that it stands beside.

  benchmarks/run_linear.py --rounds=3 --json=out.json
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def to_mlir(case):
    element, out_in = case["dtype"], case.get("out_in", False)
    x = f"tensor<{case['rows']}x{case['in']}x{element}>"
    sizes = (case["out"], case["in"]) if out_in else (case["in"], case["out"])
    w = f"tensor<{sizes[0]}x{sizes[1]}x{element}>"
    b, y = f"tensor<{case['out']}x{element}>", f"tensor<{case['rows']}x{case['out']}x{element}>"
    bias = case.get("bias", False)
    return f"""func.func @linear(%x: {x}, %w: {w}{f', %b: {b}' if bias else ''}) -> {y} {{
  %init = tensor.empty() : {y}
  %y = attn.linear {'weight(out_in) ' if out_in else ''}ins(%x, %w{', %b' if bias else ''} : {x}, {w}{f', {b}' if bias else ''})
      outs(%init : {y}) -> {y}
  return %y : {y}
}}
"""


def measure(args, case, threads, directory):
    path, report = os.path.join(directory, "case.mlir"), os.path.join(directory, "report.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(to_mlir(case))
    command = [args.attn_run, path, f"--bench={args.seconds}", f"--json={report}", f"--threads={threads}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attn-run", default=os.path.join(HERE, os.pardir, "build", "bin", "attn-run"))
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json")
    args = parser.parse_args()
    with open(os.path.join(HERE, "suites", "linear.json"), encoding="utf-8") as file:
        suite = json.load(file)
    runs = {case["name"]: [] for case in suite["cases"]}
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(args.rounds):
            for case in suite["cases"]:
                runs[case["name"]].append(measure(args, case, suite["threads"], directory))
    results = []
    for case in suite["cases"]:
        mine = runs[case["name"]]
        seconds = statistics.median(run["median_seconds"] for run in mine)
        result = {"name": case["name"], "gflops": 2e-9 * case["rows"] * case["in"] * case["out"] / seconds,
                  "tile_peak_share": statistics.median(run["peak_share"] for run in mine)}
        if "beside" in case:
            result["beside"] = statistics.median(
                other["median_seconds"] / run["median_seconds"] for run, other in zip(mine, runs[case["beside"]]))
        kept = all(result[key] >= bound for key, bound in case.get("at_least", {}).items())
        results.append(result)
        line = f"{case['name']:40} {result['gflops']:7.1f} GFLOP/s {100 * result['tile_peak_share']:5.1f} % of the tile peak"
        print(line + (f", {result['beside']:.3f} beside" if "beside" in result else "") +
              ("" if "at_least" not in case else ", kept" if kept else ", NOT kept"))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"suite": suite["description"], "results": results}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
