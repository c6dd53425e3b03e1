#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures softmax and statistics of large tensors against the memory bandwidth of the same run.

  benchmarks/run_rows.py softmax --rounds=3 --json=out.json

attn-run takes samples of the kernel and of a loop over memory in turn. A share is the
median of the kernel's useful bytes a second (operand and result once) over the median
of the loop's: of a copy for softmax, of reading for statistics, whose results are
small. `at_least` is the share a case promises. With --peer-python PyTorch does softmax
in turn.
"""

import bench


def to_mlir(entry):
    bits = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}[entry["dtype"]]
    rows = int(entry["mib"] * 2**20 * 8 / bits / entry["columns"])
    tensor = f"tensor<{rows}x{entry['columns']}x{entry['dtype']}>"
    if entry["op"] == "softmax":
        result = tensor
        op = f"attn.softmax scale(#attn.none) softmax(#attn.{entry['normalizer']}) dim({entry['dim']})"
    else:
        result = "tensor<f32>" if entry["axes"] == "all" else f"tensor<{rows}xf32>"
        op = f"attn.statistics {entry['op']}" + ("" if entry["axes"] == "all" else " axes [1]")
    return f"func.func @rows(%x: {tensor}) -> {result} {{\n" \
           f"  %init = tensor.empty() : {result}\n" \
           f"  %y = {op} ins(%x : {tensor}) outs(%init : {result}) -> {result}\n" \
           f"  return %y : {result}\n}}\n"


def run_case(args, entry, peer, directory):
    beside = "copy" if entry["op"] == "softmax" else "read"
    return bench.run_bandwidth_case(args, to_mlir(entry), entry, beside, peer, directory)


if __name__ == "__main__":
    bench.run_suite(__doc__, run_case)
