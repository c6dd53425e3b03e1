#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures norms against the copy bandwidth of the same run.

  benchmarks/run_norms.py norm --rounds=3 --json=out.json

attn-run takes samples of the kernel and of a copy in turn. A share is the median
of the kernel's useful bytes a second (each operand and result once) over the
median of the copy's. A case with a residual returns the sum and its norm: it reads
two tensors and writes two, and is measured against a loop that does just that.
`at_least` is the share a case promises. With --peer-python PyTorch does the same in
turn: F.rms_norm and F.layer_norm, compiled.
"""

import bench


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


def run_case(args, entry, peer, directory):
    # What is returned beside its norm is written past the caches, like the stream.
    beside = "stream" if entry["residual"] else "copy"
    return bench.run_bandwidth_case(args, to_mlir(entry), entry, beside, peer, directory)


if __name__ == "__main__":
    bench.run_suite(__doc__, run_case)
