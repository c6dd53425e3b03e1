#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the Python package beside PyTorch: whole layers by `attn.compile` and by `torch.compile(backend="attn")`, and
what a call costs where the kernel has next to nothing to do.

  VENV/bin/python benchmarks/run_package.py package --json=out.json

The Python is one with torch and torch-mlir (`utils/frameworks.sh` makes one); the package is this tree's. Rounds take each
way and each peer in turn. A case of a call is `over` the time that it may take, in microseconds.
"""

import os
import statistics
import sys

import bench

ROOT = os.path.join(bench.HERE, os.pardir)
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "examples", "python"), os.path.join(bench.HERE, "peers")]
os.environ.setdefault("ATTN_LIBRARY", os.path.join(ROOT, "build", "lib", "libattn.so"))

import torch  # noqa: E402

import attn  # noqa: E402
from gpt2_block import Block  # noqa: E402
from protocol import measure  # noqa: E402

ADD = """func.func @f(%x: tensor<{0}x8xf32>, %y: tensor<{0}x8xf32>) -> tensor<{0}x8xf32> {{
  %z = arith.addf %x, %y : tensor<{0}x8xf32>
  return %z : tensor<{0}x8xf32>
}}"""


def make_model(entry):
    width, heads = entry["sizes"]
    if entry["model"] == "encoder":
        return torch.nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True).eval()
    return Block(width, heads).eval()


def layer_calls(entry):
    """Ways to call the layer, ours first; each has been compared with the layer as it is."""
    torch.manual_seed(0)
    model, x = make_model(entry), torch.randn(entry["batch"], entry["length"], entry["sizes"][0])
    compiled = attn.compile(model, (x,), cache=False) if entry["by"] == "compile" else torch.compile(model, backend="attn")
    torch.testing.assert_close(compiled(x), model(x), atol=1e-4, rtol=1e-4)
    ways = {"torch-eager": model, "torch-compile": torch.compile(model)}
    return {"ours": lambda: compiled(x)} | {peer: lambda f=ways[peer]: f(x) for peer in entry["peers"]}


def tiny_calls(entry):
    x = torch.ones(4, 8) if entry["arrays"] == "torch" else torch.ones(4, 8).numpy()
    add = attn.compile(ADD.format("?" if entry["dynamic"] else 4), cache=False)
    add.threads = 1

    def thousand():
        for _ in range(1000):
            add(x, x)
    return {"ours": thousand}


def run_case(args, entry, *_):
    torch.set_num_threads(entry["threads"])
    torch._dynamo.reset()
    with torch.no_grad():
        calls = layer_calls(entry) if "model" in entry else tiny_calls(entry)
        rounds = [{way: measure(call, args.seconds) for way, call in calls.items()} for _ in range(args.rounds)]
    scale = 1 if "model" in entry else 1e-3
    ours = [scale * samples["ours"]["median"] for samples in rounds]
    result = {"case": entry, "median_seconds": statistics.median(ours), "best_seconds": min(scale * s["ours"]["best"] for s in rounds), "over": {}}
    for peer in entry["peers"]:
        bound = [1e-6 * float(peer.split()[0])] * len(rounds) if "model" not in entry else [s[peer]["median"] for s in rounds]
        result["over"][peer] = statistics.median(b / o for b, o in zip(bound, ours))
    result["kept"] = all(result["over"][peer] >= least for peer, least in entry["at_least"].items())
    ratios = ", ".join(f"{ratio:.2f} times {peer}" for peer, ratio in result["over"].items())
    print(f"{entry['name']:28} {1e6 * result['median_seconds']:9.1f} us: {ratios}{'' if result['kept'] else ': NOT KEPT'}", flush=True)
    return result


if __name__ == "__main__":
    bench.run_suite(__doc__, run_case, lambda *_: None)
