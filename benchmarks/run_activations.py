#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures activations of large tensors against the copy bandwidth of the same run.

  benchmarks/run_activations.py activation --rounds=3 --json=out.json

attn-run takes samples of the kernel and of a copy in turn. A share is the median
of the kernel's useful bytes a second (operand and result once) over the median of
the copy's. `at_least` is the share a case promises. With --peer-python PyTorch does
the same in turn, compiled.
"""

import bench


def to_mlir(entry):
    bits = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}[entry["dtype"]]
    rows = int(entry["mib"] * 2**20 * 8 / bits / entry["columns"])
    tensor = f"tensor<{rows}x{entry['columns']}x{entry['dtype']}>"
    return f"func.func @activation(%x: {tensor}) -> {tensor} {{\n" \
           f"  %y = attn.activation {entry['function']} %x : {tensor}\n" \
           f"  return %y : {tensor}\n}}\n"


def run_case(args, entry, peer, directory):
    return bench.run_bandwidth_case(args, to_mlir(entry), entry, "copy", peer, directory)


if __name__ == "__main__":
    bench.run_suite(__doc__, run_case)
