#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures norms against the copy bandwidth of the same run.

  benchmarks/run_norms.py norm --rounds=3 --json=out.json

attn-run takes samples of the kernel and of a copy in turn. A share is the median
of the kernel's useful bytes a second (each operand and result once) over the
median of the copy's. A case with a residual returns the sum and its norm: it reads
two tensors and writes two, and is measured against a loop that does just that.
A case with a `shape` normalises its `axes`, with statistics that are `given` or
`running` where it says so. One that has to read its tensor twice (`reads`: the
statistics of a batch that no cache holds) is measured against the time of a copy
and a half. `at_least` is the share a case promises. With --peer-python PyTorch does the same in
turn: F.rms_norm and F.layer_norm, compiled.
"""

import bench


def to_tiled_mlir(entry):
    """A norm over any dimensions, with gamma and beta where it is one of a batch."""
    shape, axes, element = entry["shape"], entry["axes"], entry["dtype"]
    whole = "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"
    kept = "tensor<" + "".join(f"{size}x" for dim, size in enumerate(shape) if dim not in axes) + "f32>"
    names, clauses, results = ["x"], [], [whole]
    if entry["kind"] == "batch":
        names += ["gamma", "beta"]
        clauses += [f"gamma(%gamma : {kept})", f"beta(%beta : {kept})"]
    form = entry.get("statistics", "")
    pair = f"(%mean, %variance : {kept}, {kept})"
    if form:
        names += ["mean", "variance"]
    if form == "given":
        clauses.append("statistics" + pair)
    clauses.append(f"outs(%init : {whole})")
    if form == "running":
        clauses.append(f"running{pair} momentum(0.1) unbiased")
        results += [kept, kept]
    arguments = ", ".join(f"%{name}: {whole if name == 'x' else kept}" for name in names)
    values = [f"%y#{i}" for i in range(3)] if form == "running" else ["%y"]
    many, types = ":3" if form == "running" else "", ", ".join(results)
    return f"func.func @norm({arguments}) -> ({types}) {{\n  %init = tensor.empty() : {whole}\n" \
        f"  %y{many} = attn.norm {entry['kind']} axes {axes} eps(1.0e-05) ins(%x : {whole}) {' '.join(clauses)} " \
        f"-> {types}\n  return {', '.join(values)} : {types}\n}}\n"


def to_mlir(entry):
    if "shape" in entry:
        return to_tiled_mlir(entry)
    bits = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}[entry["dtype"]]
    rows = int(entry["mib"] * 2**20 * 8 / bits / entry["columns"])
    whole = f"tensor<{rows}x{entry['columns']}x{entry['dtype']}>"
    row = f"tensor<{entry['columns']}xf32>"
    x, arguments, results = "%a", f"%a: {whole}, ", whole
    lines = []
    if entry["residual"] == "scaled":
        arguments += f"%b: {whole}, %alpha: tensor<f32>, "
        lines += ["  %f = tensor.extract %alpha[] : tensor<f32>", f"  %s = tensor.splat %f : {whole}",
                  f"  %p = arith.mulf %b, %s : {whole}", f"  %x = arith.addf %a, %p : {whole}"]
        x, results = "%x", f"{whole}, {whole}"
    elif entry["residual"]:
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
    return bench.run_bandwidth_case(args, to_mlir(entry), entry, beside, peer, directory, (1 + entry.get("reads", 1)) / 2)


if __name__ == "__main__":
    bench.run_suite(__doc__, run_case)
