#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures norms against the copy bandwidth of the same run.

  benchmarks/run_norms.py norm --rounds=3 --json=out.json

attn-run takes samples of the kernel and of a copy in turn. A share is the median
of the kernel's useful bytes a second (each operand and result once) over the
median of the copy's. A case with a residual returns the sum and its norm: it reads
two tensors and writes two. `at_least` is the share a case promises.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def to_mlir(entry):
    bits = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}[entry["dtype"]]
    rows = int(entry["mib"] * 2**20 * 8 / bits / entry["columns"])
    whole = f"tensor<{rows}x{entry['columns']}x{entry['dtype']}>"
    row = f"tensor<{entry['columns']}xf32>"
    x, arguments, results = "%a", f"%a: {whole}, ", whole
    lines = []
    if entry["residual"]:
        arguments += f"%b: {whole}, "
        lines.append(f"  %x = arith.addf %a, %b : {whole}")
        x, results = "%x", f"{whole}, {whole}"
    layer = entry["kind"] == "layer"
    beta = f" beta(%beta : {row})" if layer else ""
    arguments += f"%gamma: {row}" + (f", %beta: {row}" if layer else "")
    lines.append(f"  %init = tensor.empty() : {whole}")
    lines.append(f"  %y = attn.norm {entry['kind']} axes [1] eps(1.0e-05) ins({x} : {whole}) gamma(%gamma : {row}){beta} "
                 f"outs(%init : {whole}) -> {whole}")
    lines.append(f"  return %y{', %x' if entry['residual'] else ''} : {results}")
    return f"func.func @norm({arguments}) -> ({results}) {{\n" + "\n".join(lines) + "\n}\n"


def measure(args, entry, directory):
    path, report = os.path.join(directory, "case.mlir"), os.path.join(directory, "report.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(to_mlir(entry))
    command = [args.attn_run, path, f"--bench={args.seconds}", f"--json={report}", f"--threads={entry['threads']}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def run_case(args, entry, directory):
    reports = [measure(args, entry, directory) for _ in range(args.rounds)]
    own = [r["gbytes_per_second"] for r in reports]
    copy = [r["copy_gbytes_per_second"] for r in reports]
    share = statistics.median(a / b for a, b in zip(own, copy))
    result = {"case": entry, "gbytes_per_second": statistics.median(own),
              "copy_gbytes_per_second": statistics.median(copy), "copy_share": share}
    text = f"{entry['name']:20} {result['gbytes_per_second']:6.2f} GB/s  {100 * share:5.1f} % of a copy's " \
           f"{result['copy_gbytes_per_second']:.2f}"
    if "at_least" in entry:
        result["kept"] = share >= entry["at_least"]
        text += f"; promised {100 * entry['at_least']:.0f} %: {'kept' if result['kept'] else 'NOT KEPT'}"
    print(text, flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", help="name of a file in benchmarks/suites, or a path")
    parser.add_argument("--attn-run", default=os.path.join(HERE, os.pardir, "build", "bin", "attn-run"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="per kernel and round")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--json", default="", help="where to write the results")
    args = parser.parse_args()
    path = args.suite if os.path.exists(args.suite) else os.path.join(HERE, "suites", args.suite + ".json")
    with open(path, encoding="utf-8") as file:
        suite = json.load(file)
    entries = [{"threads": suite["threads"]} | suite["defaults"] | case for case in suite["cases"]]
    with tempfile.TemporaryDirectory() as directory:
        results = [run_case(args, entry, directory) for entry in entries if args.only in entry["name"]]
    promises = [result["kept"] for result in results if "kept" in result]
    print(f"{sum(promises)} of {len(promises)} promises kept")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"suite": args.suite, "rounds": args.rounds, "results": results}, file, indent=1)


if __name__ == "__main__":
    main()
