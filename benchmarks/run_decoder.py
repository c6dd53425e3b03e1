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


def example(case):
    """The example's layer, which is written in f32, in the case's type."""
    with open(os.path.join(HERE, os.pardir, "examples", case["example"]), encoding="utf-8") as file:
        return file.read().replace("xf32>", f"x{case['dtype']}>")


def linear(case, layer):
    dtype = case["dtype"]
    x, w = (f"tensor<1x{case['rows']}x{layer['in']}x{dtype}>", f"tensor<{layer['in']}x{layer['out']}x{dtype}>")
    y = f"tensor<1x{case['rows']}x{layer['out']}x{dtype}>"
    return f"""func.func @part(%x: {x}, %w: {w}) -> {y} {{
  %init = tensor.empty() : {y}
  %y = attn.linear ins(%x, %w : {x}, {w}) outs(%init : {y}) -> {y}
  return %y : {y}
}}
"""


def attention(case):
    """In the layout that the projections give."""
    q, k = (f"tensor<1x{case['rows']}x{case[heads]}x{case['head_dim']}x{case['dtype']}>" for heads in ("heads", "kv_heads"))
    group = case["heads"] // case["kv_heads"]
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
    keys = ("rows", "width", "heads", "kv_heads", "head_dim", "hidden", "threads", "dtype")
    answer = peer.measure({key: case[key] for key in keys} | {"peer": "torch-compile"}, args.seconds)
    if "error" in answer:
        sys.exit(f"torch-compile: {answer['error']}")
    return answer["median"]


def measure_rounds(args, case, peer, directory):
    texts = {"layer": example(case), "attention": attention(case)} | {each["name"]: linear(case, each) for each in case["linear"]}
    paths = {name: os.path.join(directory, f"{name}.mlir") for name in texts}
    for name, text in texts.items():
        with open(paths[name], "w", encoding="utf-8") as file:
            file.write(text)
    rounds = []
    for _ in range(args.rounds):
        layer = run(args, paths["layer"], case["entry"], case["threads"], directory)
        times = {name: run(args, paths[name], "part", case["threads"], directory)["median_seconds"]
                 for name in paths if name != "layer"}
        rounds.append({"layer": layer["median_seconds"], "compile_seconds": layer["compile_seconds"], "parts": times,
                       "torch": measure_torch(args, peer, case), "remarks": layer["remarks"]})
    return rounds


def summarize(case, rounds):
    result = {"layer": case["name"], "layer_seconds": statistics.median(r["layer"] for r in rounds),
              "parts_seconds": {name: statistics.median(r["parts"][name] for r in rounds) for name in rounds[0]["parts"]},
              "over_products": statistics.median(r["layer"] / sum(r["parts"].values()) for r in rounds),
              "compile_seconds": statistics.median(r["compile_seconds"] for r in rounds)}
    if rounds[0]["torch"] is not None:
        result["torch_seconds"] = statistics.median(r["torch"] for r in rounds)
        result["over_torch"] = statistics.median(r["torch"] / r["layer"] for r in rounds)
    return result


def print_result(case, result):
    print(f"{case['name']}:")
    for name, seconds in result["parts_seconds"].items():
        print(f"    {name:12} {1e3 * seconds:8.2f} ms")
    print(f"    {'sum':12} {1e3 * sum(result['parts_seconds'].values()):8.2f} ms")
    print(f"    {'layer':12} {1e3 * result['layer_seconds']:8.2f} ms")
    if "torch_seconds" in result:
        print(f"    {'torch':12} {1e3 * result['torch_seconds']:8.2f} ms")
    for kind, word in (("at_most", "at most"), ("at_least", "at least")):
        for key, limit in case[kind].items():
            if key in result:
                kept = result[key] <= limit if kind == "at_most" else result[key] >= limit
                print(f"    {key} {result[key]:.3f}, {word} {limit}: {'kept' if kept else 'NOT kept'}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attn-run", default=os.path.join(HERE, os.pardir, "build", "bin", "attn-run"))
    parser.add_argument("--peer-python", help="a Python with torch")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--remarks", action="store_true", help="list what was fused, and what was not")
    parser.add_argument("--json")
    args = parser.parse_args()
    with open(os.path.join(HERE, "suites", "decoder.json"), encoding="utf-8") as file:
        suite = json.load(file)
    peer, results = bench.Peer(args.peer_python, "torch_decoder.py"), []
    with tempfile.TemporaryDirectory() as directory:
        for case in (suite["defaults"] | case for case in suite["cases"]):
            if args.only not in case["name"]:
                continue
            rounds = measure_rounds(args, case, peer, directory)
            results.append(summarize(case, rounds))
            print_result(case, results[-1])
            if args.remarks:
                for remark in rounds[0]["remarks"]:
                    print(remark)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"suite": "decoder", "rounds": args.rounds, "seconds": args.seconds, "results": results}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
