# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans, scatters, sorts and top-k of several sizes against numpy: run_tm_tensor.py ATTN_RUN DIRECTORY"""

import os
import subprocess
import sys

import numpy as np

TEXT = """func.func @main({arguments}) -> ({types}) {{
  {results} = {op} {{
  ^bb0({numbers}):
    %r = {body}
    tm_tensor.yield %r : {given}
  }} -> {types}
  return {returned} : {types}
}}
"""


def tensor(array):
    kind = {"float32": "f32", "int64": "i64"}[str(array.dtype)]
    return "tensor<" + "".join(f"{size}x" for size in array.shape) + kind + ">"


def write(op, arrays, outputs, numbers, body, given):
    kinds = [tensor(array) for array in arrays]
    out = [kinds[i] for i in outputs]
    names = [f"%y#{i}" for i in range(len(out))] if len(out) > 1 else ["%y"]
    return TEXT.format(arguments=", ".join(f"%a{i}: {kind}" for i, kind in enumerate(kinds)), types=", ".join(out),
                       results=f"%y:{len(out)}" if len(out) > 1 else "%y", op=op, numbers=numbers, body=body,
                       given=given, returned=", ".join(names))


def operands(arrays, which):
    return ", ".join(f"%a{i}" for i in which) + " : " + ", ".join(tensor(arrays[i]) for i in which)


def scan(rng, shape, dim, inclusive):
    x = rng.integers(-4, 5, shape)
    first = rng.integers(-4, 5, np.delete(shape, dim))
    sums = np.cumsum(x, dim)
    if not inclusive:
        before = np.take(sums, range(shape[dim] - 1), dim)
        sums = np.expand_dims(first, dim) + np.concatenate([np.zeros_like(np.take(x, [0], dim)), before], dim)
    arrays = [x, np.zeros_like(x), first]
    op = f"tm_tensor.scan dimension({dim}) inclusive({str(inclusive).lower()}) ins({operands(arrays, [0])}) " \
        f"outs({operands(arrays, [1, 2])})"
    return write(op, arrays, [1, 2], "%b: i64, %e: i64", "arith.addi %b, %e : i64", "i64"), arrays, \
        [sums, np.take(sums, -1, dim)]


def scatter(rng, count, outside=False):
    x, at = rng.standard_normal((7, 3, 5)).astype(np.float32), rng.integers(0, [5, 7], (count, 2))
    updates = rng.standard_normal((count, 3, 1)).astype(np.float32)
    sums = x.copy()
    for row, (last, first) in zip(updates, at):
        sums[first, :, last] += row[:, 0]
    if outside:
        at[count // 2, 1] = 7
    arrays = [updates, at, x]
    op = f"tm_tensor.scatter {{dimension_map = array<i64: 2, 0>}} unique_indices(false) " \
        f"ins({operands(arrays, [0, 1])}) outs({operands(arrays, [2])})"
    return write(op, arrays, [2], "%u: f32, %p: f32", "arith.addf %p, %u : f32", "f32"), arrays, [sums]


def sort(rng, shape, dim):
    x = rng.integers(-3, 4, shape).astype(np.float32)  # many are equal: the order of those is kept
    order = np.argsort(x, dim, kind="stable")
    numbers = np.broadcast_to(np.expand_dims(np.arange(shape[dim]), [d for d in range(len(shape)) if d != dim]), shape)
    arrays = [x, np.ascontiguousarray(numbers)]
    op = f"tm_tensor.sort dimension({dim}) outs({operands(arrays, [0, 1])})"
    return write(op, arrays, [0, 1], "%a: f32, %b: f32, %i: i64, %j: i64", "arith.cmpf ole, %a, %b : f32", "i1"), \
        arrays, [np.take_along_axis(x, order, dim), order]


def topk(rng, shape, dim, count):
    x = rng.integers(-9, 10, shape).astype(np.float32)
    order = np.take(np.argsort(-x, dim, kind="stable"), range(count), dim)
    kept = np.take_along_axis(x, order, dim)
    arrays = [x, np.full_like(kept, -np.inf), np.zeros_like(order)]
    op = f"tm_tensor.topk dimension({dim}) ins({operands(arrays, [0])}) outs({operands(arrays, [1, 2])})"
    return write(op, arrays, [1, 2], "%e: f32, %k: f32", "arith.cmpf ogt, %e, %k : f32", "i1"), arrays, [kept, order]


def cases(rng):
    for shape, dim in [((17,), 0), ((3, 9), 1), ((9, 3), 0), ((2, 5, 3), 1), ((4, 1), 1)]:
        yield f"scan {shape} {dim}", scan(rng, shape, dim, True), 0
        yield f"scan before {shape} {dim}", scan(rng, shape, dim, False), 0
        yield f"sort {shape} {dim}", sort(rng, shape, dim), 0
        yield f"topk {shape} {dim}", topk(rng, shape, dim, min(2, shape[dim])), 0
    for size in [2, 3, 31, 32, 33, 200]:
        yield f"sort {size}", sort(rng, (size,), 0), 0
    for count in [0, 1, 6, 40]:
        yield f"scatter {count}", scatter(rng, count), 0
    yield "scatter outside", scatter(rng, 6, True), 2


def main(attn_run, directory):
    os.makedirs(directory, exist_ok=True)
    rng = np.random.default_rng(3)
    failures = count = 0
    for name, (text, arrays, results), code in cases(rng):
        count += 1
        stem = os.path.join(directory, "case")
        with open(stem + ".mlir", "w", encoding="utf-8") as file:
            file.write(text)
        np.savez(stem + ".npz", **{f"arg{i}": a for i, a in enumerate(arrays)},
                 **{f"out{i}": a for i, a in enumerate(results)})
        # The reference would see a position outside before the kernel does.
        checks = [] if code else [f"--expect={stem}.npz", "--check"]
        done = subprocess.run([attn_run, stem + ".mlir", f"--inputs={stem}.npz", *checks],
                              capture_output=True, text=True, check=False)
        if done.returncode != code:
            failures += 1
            print(f"FAILED {name}: exit {done.returncode}\n{text}{done.stdout}{done.stderr}")
        elif code:
            print(done.stderr.strip().splitlines()[-1])
    print(f"{count} cases: {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
