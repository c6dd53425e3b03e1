#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the decoder layer of the examples: its time over the sum of its parts
(each linear layer and the attention alone, compiled by us, in the same rounds), the
time to compile it, and torch.compile on the same layer.

  benchmarks/run_decoder.py --rounds=3 --peer-python=peers/bin/python --json=out.json
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import bench

HERE = os.path.dirname(os.path.abspath(__file__))


def linear(suite, layer):
    x, w = (f"tensor<1x{suite['rows']}x{layer['in']}xf32>", f"tensor<{layer['in']}x{layer['out']}xf32>")
    y = f"tensor<1x{suite['rows']}x{layer['out']}xf32>"
    return f"""func.func @part(%x: {x}, %w: {w}) -> {y} {{
  %init = tensor.empty() : {y}
  %y = attn.linear ins(%x, %w : {x}, {w}) outs(%init : {y}) -> {y}
  return %y : {y}
}}
"""


def attention(suite):
    """In the layout that the projections give."""
    q, k = (f"tensor<1x{suite['rows']}x{suite[heads]}x{suite['head_dim']}xf32>" for heads in ("heads", "kv_heads"))
    group = suite["heads"] // suite["kv_heads"]
    dims = "(b, h, m, n, d, e)"
    maps = ", ".join(f"affine_map<{dims} -> {to}>" for to in (
        "(b, m, h, d)", f"(b, n, h floordiv {group}, d)", f"(b, n, h floordiv {group}, e)", "(b, m, h, e)"))
    return f"""func.func @part(%q: {q}, %k: {k}, %v: {k}) -> {q} {{
  %init = tensor.empty() : {q}
  %y = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal]
      indexing_maps [{maps}] ins(%q, %k, %v : {q}, {k}, {k}) outs(%init : {q}) -> {q}
  return %y : {q}
}}
"""


def run(args, path, entry, threads, directory, extra=()):
    report = os.path.join(directory, "report.json")
    command = [args.attn_run, path, f"--entry={entry}", f"--bench={args.seconds}", f"--json={report}",
               f"--threads={threads}", *extra]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def measure_torch(args, peer, case):
    if not args.peer_python:
        return None
    answer = peer.measure(case | {"peer": "torch-compile"}, args.seconds)
    if "error" in answer:
        sys.exit(f"torch-compile: {answer['error']}")
    return answer["median"]


def measure_rounds(args, suite, directory):
    parts = {layer["name"]: linear(suite, layer) for layer in suite["linear"]} | {"attention": attention(suite)}
    for name, text in parts.items():
        with open(os.path.join(directory, f"{name}.mlir"), "w", encoding="utf-8") as file:
            file.write(text)
    example = os.path.join(HERE, os.pardir, "examples", suite["example"])
    peer = bench.Peer(args.peer_python, "torch_decoder.py")
    case = {key: suite[key] for key in ("rows", "width", "heads", "kv_heads", "head_dim", "hidden", "threads")}
    rounds = []
    for _ in range(args.rounds):
        layer = run(args, example, suite["entry"], suite["threads"], directory)
        times = {name: run(args, os.path.join(directory, f"{name}.mlir"), "part", suite["threads"], directory)["median_seconds"]
                 for name in parts}
        rounds.append({"layer": layer["median_seconds"], "compile_seconds": layer["compile_seconds"], "parts": times,
                       "torch": measure_torch(args, peer, case), "remarks": layer["remarks"]})
    return rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attn-run", default=os.path.join(HERE, os.pardir, "build", "bin", "attn-run"))
    parser.add_argument("--peer-python", help="a Python with torch")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--remarks", action="store_true", help="list what was fused, and what was not")
    parser.add_argument("--json")
    args = parser.parse_args()
    with open(os.path.join(HERE, "suites", "decoder.json"), encoding="utf-8") as file:
        suite = json.load(file)
    with tempfile.TemporaryDirectory() as directory:
        rounds = measure_rounds(args, suite, directory)
    result = {"layer_seconds": statistics.median(r["layer"] for r in rounds),
              "parts_seconds": {name: statistics.median(r["parts"][name] for r in rounds) for name in rounds[0]["parts"]},
              "over_products": statistics.median(r["layer"] / sum(r["parts"].values()) for r in rounds),
              "compile_seconds": statistics.median(r["compile_seconds"] for r in rounds)}
    if args.peer_python:
        result["torch_seconds"] = statistics.median(r["torch"] for r in rounds)
        result["over_torch"] = statistics.median(r["torch"] / r["layer"] for r in rounds)
    for name, seconds in result["parts_seconds"].items():
        print(f"{name:12} {1e3 * seconds:8.2f} ms")
    print(f"{'sum':12} {1e3 * sum(result['parts_seconds'].values()):8.2f} ms")
    print(f"{'layer':12} {1e3 * result['layer_seconds']:8.2f} ms")
    if args.peer_python:
        print(f"{'torch':12} {1e3 * result['torch_seconds']:8.2f} ms")
    for key, limits in ((key, suite[kind]) for kind in ("at_most", "at_least") for key in suite[kind]):
        if key in result:
            kept = result[key] <= limits[key] if limits is suite["at_most"] else result[key] >= limits[key]
            print(f"{key} {result[key]:.3f}, {'at most' if limits is suite['at_most'] else 'at least'} {limits[key]}: "
                  f"{'kept' if kept else 'NOT kept'}")
    if args.remarks:
        for remark in rounds[0]["remarks"]:
            print(remark)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"suite": "decoder", "rounds": args.rounds, "seconds": args.seconds, "result": result}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
