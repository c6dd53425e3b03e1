#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures rotary and sinusoidal positions and drawn weights against the copy bandwidth of the same run.

  benchmarks/run_positions.py positions --rounds=3 --json=out.json

attn-run takes samples of the kernel and of a copy in turn. A share is the median
of the kernel's useful bytes a second (operand and result once; sinusoidal positions
and weights have a result only) over the median of the copy's. `at_least` is the
share a case promises.
"""

import bench


def to_mlir(entry):
    sizes = "x".join(map(str, entry["shape"]))
    tensor = f"tensor<{sizes}x{entry['dtype']}>"
    text = {
        "rope": f"attn.rope pairs({entry['pairs']}) row_dim({entry['row_dim']}) ins(%x : {tensor}) ",
        "sinusoidal": f"attn.sinusoidal_positions pairs({entry['pairs']}) ",
        "init": f"attn.init {entry['distribution']} variance(lecun) seed(%x : i64) ",
    }[entry["op"]]
    argument = {"rope": f"%x: {tensor}", "sinusoidal": "", "init": "%x: i64"}[entry["op"]]
    return f"func.func @positions({argument}) -> {tensor} {{\n  %init = tensor.empty() : {tensor}\n" \
           f"  %y = {text}outs(%init : {tensor}) -> {tensor}\n  return %y : {tensor}\n}}\n"


def run_case(args, entry, peer, directory):
    return bench.run_bandwidth_case(args, to_mlir(entry), entry, "copy", peer, directory)


if __name__ == "__main__":
    bench.run_suite(__doc__, run_case)
