#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds attention in narrow types to the error that PyTorch's has in bf16 on the same inputs.

Both are measured against f64, on outputs as they are stored. f16 has three bits
more, so that a fourth of that error is allowed. Products in parts of bf16 are held
to f32: six have at most its error, three at most 32 times that. PyTorch's
figures stand in Inputs/bf16-accuracy.json, which a Python with torch writes:

  VENV/bin/python test/Integration/bf16_accuracy.py --record
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

from attention_case import Case, to_mlir, to_storage

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = os.path.join(HERE, "Inputs", "bf16-accuracy.json")


@dataclass(frozen=True)
class Problem:
    d: int
    rows: int
    keys: int
    #: of the query
    factor: float = 1.0
    mask: str = ""
    heads: int = 4
    key_heads: int = 4


CASES = {
    "plain, d = 64": Problem(64, 512, 512),
    "plain, d = 128": Problem(128, 384, 384),
    "causal, d = 64": Problem(64, 512, 512, mask="#attn.causal"),
    "few keys dominate": Problem(64, 512, 512, factor=8.0),
    "odd sizes": Problem(59, 251, 251, factor=2.0),
    "grouped heads": Problem(80, 200, 333, heads=8, key_heads=2),
    "one row of grouped heads": Problem(128, 1, 2048, heads=16, key_heads=2),
}


def make_inputs(name, dtype="bf16"):
    """Query, key and value as they are stored. All numbers of bf16 that occur are numbers of f32."""
    problem = CASES[name]
    # A generator whose numbers are the same in all versions of numpy.
    random = np.random.RandomState(len(name))
    q = random.standard_normal((1, problem.heads, problem.rows, problem.d))
    k, v = (random.standard_normal((1, problem.key_heads, problem.keys, problem.d)) for _ in range(2))
    return [to_storage(x, dtype) for x in (q * problem.factor, k, v)]


def widen(stored):
    if stored.dtype == np.uint16:  # the bits of bf16
        stored = (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float64)


def reference(name, inputs):
    problem = CASES[name]
    q, k, v = (widen(x) for x in inputs)
    k, v = (np.repeat(x, problem.heads // problem.key_heads, axis=1) for x in (k, v))
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(problem.d)
    if problem.mask:
        scores = np.where(np.tril(np.ones((problem.rows, problem.keys), bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def measure(output, expected):
    error = np.abs(widen(output) - expected)
    return {"max": float(error.max()), "rms": float(np.sqrt((error ** 2).mean()))}


def record():
    """PyTorch's errors."""
    import torch  # pylint: disable=import-error,import-outside-toplevel
    figures = {}
    for name, problem in CASES.items():
        inputs = make_inputs(name)
        tensors = [torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) for x in inputs]
        with torch.no_grad():
            output = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=bool(problem.mask),
                                                                      enable_gqa=True)
        output = output.contiguous().view(torch.int16).numpy().view(np.uint16)
        figures[name] = measure(output, reference(name, inputs))
    with open(FIGURES, "w", encoding="utf-8") as file:
        peer = f"torch {torch.__version__}, scaled_dot_product_attention in bf16 on a CPU"
        json.dump({"peer": peer, "cases": figures}, file, indent=1)
        file.write("\n")


def run_case(name, args, dtype, products=""):
    problem = CASES[name]
    inputs = make_inputs(name, dtype)
    stem = os.path.join(args.directory, "bf16-accuracy")
    mask = problem.mask
    case = Case(dtype=dtype, products=products, B=1, Hq=problem.heads, Hkv=problem.key_heads, M=problem.rows,
                N=problem.keys, d=problem.d, dv=problem.d, masks=(mask,) if mask else (),
                align="top_left" if mask else "")
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write(to_mlir(case))
    np.savez(stem + ".npz", **{f"arg{i}": x for i, x in enumerate(inputs)})
    command = [args.attn_run, stem + ".mlir", f"--inputs={stem}.npz", f"--output={stem}.out.npz",
               f"--target={args.target}"]
    command += [f"--emulator={args.emulator}"] if args.emulator else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    output = np.load(stem + ".out.npz")["out0"]
    if dtype == "bf16":
        output = output.view(np.uint16)
    return measure(output, reference(name, inputs))


def find_limits(name, args, theirs):
    """What the error of a kernel may be, in the largest and in the mean square, and of what that is so many times."""
    dtype, _, products = args.path.partition(", ")
    if not products:
        # Which element is the worst is luck, and often one that both round the same way.
        share = 0.25 if dtype == "f16" else 1
        return theirs[name], {"max": 1.1 * share, "rms": share}, "torch in bf16"
    # Operands and weights of 16 bits, beside 24: but what adding loses, both lose.
    share = 1 if products == "bf16x6" else 32
    return run_case(name, args, "f32"), {"max": 1.5 * share, "rms": share}, "f32"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-run", default="attn-run")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--emulator", help="as attn-run takes it")
    parser.add_argument("--directory", default=".")
    parser.add_argument("--path", default="bf16", choices=["bf16", "f16", "f32, bf16x3", "f32, bf16x6"],
                        help="the type of what is stored, and how it is multiplied")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    if args.record:
        return record()
    with open(FIGURES, encoding="utf-8") as file:
        theirs = json.load(file)["cases"]
    os.makedirs(args.directory, exist_ok=True)
    failures = 0
    for name in CASES:
        ours = run_case(name, args, *args.path.split(", "))
        peer, factors, peer_name = find_limits(name, args, theirs)
        worse = [kind for kind, factor in factors.items() if ours[kind] > factor * peer[kind]]
        failures += bool(worse)
        print(f"{name}: " + ", ".join(f"{kind} {ours[kind]:.4g} ({peer_name} {peer[kind]:.4g})" for kind in ours)
              + (f": worse in {', '.join(worse)}" if worse else ""))
    print(f"{len(CASES)} cases, {failures} failures")
    return int(failures != 0)


if __name__ == "__main__":
    sys.exit(main())
