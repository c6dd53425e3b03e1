#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures linear layers against the tile peak of the same run.

  benchmarks/run_linear.py linear --rounds=3 --json=out.json

attn-run takes samples of the kernel, of a register tile of fused multiply-adds and
of a loop that reads the arguments in turn. What is `frozen` has a constant as weight,
here and in PyTorch, which either packs ahead. A share is the median of the kernel over
that of the peak. A case may be measured `beside` another one, the two in turn in one
process (paired.py); the ratio is how many times as fast it is. `at_least` names what
a case promises. With --peer-python torch.compile does the same in turn.
"""

import os
import statistics

import numpy as np

import bench
import paired

# What follows the layer; extra arguments are of the output's type.
EPILOGUES = {
    "": [],
    "gelu": ["attn.activation gelu {v} : {t}"],
    "silu": ["attn.activation silu {v} : {t}"],
    "residual": ["arith.addf {r}, {v} : {t}"],
    "gelu residual": ["attn.activation gelu {v} : {t}", "arith.addf {r}, {v} : {t}"],
    "gate": ["arith.mulf {r}, {v} : {t}"],
}


def make_weight(sizes, element):
    """A constant of random numbers."""
    numbers = np.random.default_rng(0).standard_normal(sizes, np.float32) / 32
    if element == "bf16":
        numbers = (numbers.view(np.uint32) >> 16).astype(np.uint16)
    elif element != "f32":
        numbers = numbers.astype({"f16": np.float16, "f64": np.float64}[element])
    return f'arith.constant dense<"0x{numbers.tobytes().hex().upper()}">'


def to_mlir(entry):
    element, out_in = entry["dtype"], entry["weight"] == "out_in"
    x = f"tensor<{entry['rows']}x{entry['in']}x{element}>"
    sizes = (entry["out"], entry["in"]) if out_in else (entry["in"], entry["out"])
    w = f"tensor<{sizes[0]}x{sizes[1]}x{element}>"
    b, y = f"tensor<{entry['out']}x{element}>", f"tensor<{entry['rows']}x{entry['out']}x{element}>"
    steps = EPILOGUES[entry["epilogue"]]
    names, types = ["%x", "%w"], [x, w]
    if entry["bias"]:
        names, types = names + ["%b"], types + [b]
    frozen = ["%w"] if entry.get("frozen") else []
    arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, types) if name not in frozen)
    if any("{r}" in step for step in steps):
        arguments += f", %r: {y}"
    products = f" {{attn.products = #attn.products<{entry['products']}>}}" if "products" in entry else ""
    lines = [f"%w = {make_weight(sizes, element)} : {w}" for _ in frozen] + [
             f"%init = tensor.empty() : {y}",
             f"%v = attn.linear {'weight(out_in) ' if out_in else ''}ins({', '.join(names)} : {', '.join(types)}) "
             f"outs(%init : {y}){products} -> {y}"]
    value = "%v"
    for i, step in enumerate(steps):
        lines.append(f"%v{i} = {step.format(v=value, r='%r', t=y)}")
        value = f"%v{i}"
    lines.append(f"return {value} : {y}")
    return f"func.func @linear({arguments}) -> {y} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def find_unit_peak(report, dtype):
    """GFLOP/s of what multiplies numbers of a type at best; f16 has no loop of its own."""
    if dtype == "bf16":
        return report.get("amx_bf16_peak_gflops") or report.get("pairs_bf16_peak_gflops") or report["peak_gflops"]
    # The tile is one of f32; vectors have half as many numbers of f64.
    return report["peak_gflops"] * (0.5 if dtype == "f64" else 1.0)


def get_bound_share(report, entry):
    """The least time that reading the weights, and making the products at 85 % of the unit's peak, allow, over ours."""
    products = entry["in"] * entry["out"]
    reading = products * {"f64": 8, "f32": 4}.get(entry["dtype"], 2) / report["read_gbytes_per_second"]
    multiplying = 2.0 * entry["rows"] * products / (0.85 * find_unit_peak(report, entry["dtype"]))
    return max(reading, multiplying) * 1e-9 / report["median_seconds"]


def run_case(args, entry, peer, directory):
    beside = next((other for other in args.entries if other["name"] == entry.get("beside")), None)
    own, answers = [], []
    for _ in range(args.rounds):
        own.append(bench.measure(args, to_mlir(entry), entry, directory))
        if args.peer_python:
            answers.append(peer.measure(entry, args.seconds))
    seconds = statistics.median(run["median_seconds"] for run in own)
    flops = 2.0 * entry["rows"] * entry["in"] * entry["out"]
    # The tile is one of f32; vectors have half as many numbers of f64. Pairs of bf16 may go past it.
    scale = 0.5 if entry["dtype"] == "f64" else 1.0
    result = {"case": entry, "gflops": flops / seconds * 1e-9, "median_seconds": seconds,
              "compile_seconds": statistics.median(run["compile_seconds"] for run in own),
              "tile_peak_gflops": statistics.median(run["peak_gflops"] for run in own),
              "tile_peak_share": statistics.median(
                  flops / run["median_seconds"] * 1e-9 / (scale * run["peak_gflops"]) for run in own),
              "read_share": statistics.median(run["read_share"] for run in own)}
    text = f"{entry['name']:44} {result['gflops']:7.1f} GFLOP/s, {100 * result['tile_peak_share']:5.1f} % of the tile peak"
    if entry["rows"] < 16:
        text += f", {100 * result['read_share']:.1f} % of reading"
    # The loop that reads sees arguments alone.
    if not entry.get("frozen"):
        result["bound_share"] = statistics.median(get_bound_share(run, entry) for run in own)
        text += f", {100 * result['bound_share']:.1f} % of what reading and 85 % of the unit's peak allow"
    if beside:
        compiler = os.path.join(os.path.dirname(args.attn_run), "attn-compile")
        kernels = [paired.build_kernels(compiler, to_mlir(case), directory, "linear") for case in (entry, beside)]
        result["beside"] = paired.measure_ratio(*kernels, args.rounds * args.seconds)
        text += f", {result['beside']:.3f} times the speed of '{beside['name']}'"
    if answers:
        text += bench.beside_peer(result, [run["median_seconds"] for run in own], answers)
    for what, bound in entry.get("at_least", {}).items():
        result["kept"] = result.get("kept", True) and result[what] >= bound
        text += f"; promised {what} {bound}: {'kept' if result[what] >= bound else 'NOT KEPT'}"
    print(text, flush=True)
    return result


if __name__ == "__main__":
    bench.run_suite(__doc__, run_case)
