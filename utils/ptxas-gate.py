#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles attention kernels and products to machine code and counts what they spill, which must be nothing.

  utils/ptxas-gate.py                                    the whole table, for sm_80
  utils/ptxas-gate.py --sizes=64,256 --variants=plain    a part of it
  utils/ptxas-gate.py --loops                            also the instructions of main loops (needs nvdisasm)
  utils/ptxas-gate.py --arch=sm_90a --products           matrix products instead
  utils/ptxas-gate.py --ptxas=FOLDER,FOLDER              with several versions of ptxas, each in a folder

Every size of heads meets every variant and type. A kernel's two forms, for rows that are aligned and for
others, are both compiled. Spills, a stack, and products that ptxas does one after the other (its notes C7508
to C7519) fail. ptxas comes from PATH or from utils/cuda-tools.sh, which gets any version; the whole table
takes it and the compiler some minutes.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

from flow import find_loops
from sass.machine import find_pipe
from sass.reader import read_kernels

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZES = [16, 40, 64, 80, 96, 128, 192, 256]
TYPES = ["f16", "bf16"]
PLAIN = "scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)"

#: name: clauses, types of params, what there is beside the output, for each row
VARIANTS = {
    "plain": (PLAIN, [], 0),
    "causal": (PLAIN + " align(top_left) masks [#attn.causal]", [], 0),
    "window": (PLAIN + " align(top_left) masks [#attn.window<left = 100, right = 0>]", [], 0),
    "softmax1": ("scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)", [], 0),
    "sink": ("scale(#attn.inv_sqrt_dim) softmax(#attn.sink)", ["4xf32"], 0),
    "rows": ("scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax) align(top_left)", [], 0),
    "alibi": (PLAIN + " align(top_left) bias [#attn.alibi]", [], 0),
    "softcap": (PLAIN + " softcap(30.0)", [], 0),
    "bias": (PLAIN + " bias [#attn.dense_bias]", ["4x?x?xf32"], 0),
    "cosine": ("scale(#attn.inv_sqrt_dim) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)",
               [], 0),
    "lse": (PLAIN, [], 1),
    "probes": (PLAIN + " probes [#attn.probe<max_logit>, #attn.probe<entropy>]", [], 3),
    "decode": (PLAIN, [], 0),
}

#: name: clauses, what the epilogue is
PRODUCTS = {
    "in_out": ("", ""), "out_in": ("weight(out_in) ", ""),
    "gelu": ("", "epilogue {\n^bb0(%s: f32):\n  %g = attn.activation gelu %s : f32\n  attn.yield %g : f32\n} "),
}


def make_product(size, variant, element):
    """A function with one linear layer, as a module's text."""
    clauses, epilogue = PRODUCTS[variant]
    tensor = f"tensor<{size}x{size}x{element}>"
    return (f"func.func @f(%x: {tensor}, %w: {tensor}, %o: {tensor}) -> {tensor} {{\n"
            f"  %y = attn.linear {clauses}ins(%x, %w : {tensor}, {tensor}) outs(%o : {tensor}) {epilogue}-> {tensor}\n"
            f"  return %y : {tensor}\n}}\n")


def make_program(size, variant, element):
    """A function with one attention, as a module's text."""
    clauses, params, numbers = VARIANTS[variant]
    query = f"tensor<4x{'1' if variant == 'decode' else '?'}x{size}x{element}>"
    keys = f"tensor<4x?x{size}x{element}>"
    outs = [("%q", query)] + [(f"%l{i}", "tensor<4x?xf32>") for i in range(numbers)]
    arguments = [("%q", query), ("%k", keys), ("%v", keys)] + outs[1:]
    given = [(f"%p{i}", f"tensor<{kind}>") for i, kind in enumerate(params)]
    names, types = (", ".join(column) for column in zip(*outs))
    listed = f" params({', '.join(n for n, _ in given)} : {', '.join(t for _, t in given)})" if given else ""
    return (f"func.func @f({', '.join(f'{name}: {kind}' for name, kind in arguments + given)}) -> ({types}) {{\n"
            f"  %r:{len(outs)} = attn.attention {clauses}\n"
            f"      ins(%q, %k, %v : {query}, {keys}, {keys}){listed} outs({names} : {types}) -> {types}\n"
            f"  return {', '.join(f'%r#{i}' for i in range(len(outs)))} : {types}\n}}\n")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def count_loops(cubin):
    """Instructions of the smallest loop with matrix products, and how many products it has."""
    loops = []
    for kernel in read_kernels(cubin):
        for blocks in find_loops(kernel.successors).values():
            body = [instruction for number in blocks for instruction in kernel.blocks[number]]
            products = sum(find_pipe(instruction) == "tensor" for instruction in body)
            if products:
                loops.append((len(body), products))
    return min(loops, default=None)


def assemble(ptxas, arch, stem):
    """What ptxas says of a file: registers at most, bytes of spills and of stacks, and its notes of products in turn."""
    report = run([ptxas, "-v", f"--gpu-name={arch}", "-o", stem + ".cubin", stem + ".ptx"])

    def count(what):
        return [int(number) for number in re.findall(rf"(\d+) {what}", report)]

    return (max(count("registers")), sum(count("bytes spill stores") + count("bytes spill loads")),
            sum(count("bytes stack frame")), sorted(set(re.findall(r"C75(?:0[89]|1\d)", report))))


def check(case, options, folder):
    """A line on a case for each ptxas, and how many of them have something to say against it."""
    size, variant, element = case
    stem = os.path.join(folder, f"{variant}-{size}-{element}")
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write((make_product if options.products else make_program)(*case))
    run([options.attn_compile, stem + ".mlir", f"--target=nvptx:{options.arch}", "--emit=ptx", "-o", stem])
    of = "n" if options.products else "d"
    lines, failed = [], 0
    for version, ptxas in options.assemblers.items():
        registers, spills, stack, notes = assemble(ptxas, options.arch, stem)
        text = f"{variant} {of} = {size} {element}: {registers} registers, {spills} bytes of spills"
        text += f", {stack} bytes of stack" if stack else ""
        text += f", {', '.join(notes)}" if notes else ""
        if options.loops:
            loop = count_loops(stem + ".cubin")
            text += f", main loop {loop[0]} instructions with {loop[1]} products" if loop else ""
        lines.append(text + (f" (ptxas {version})" if len(options.assemblers) > 1 else ""))
        failed += spills + stack != 0 or bool(notes)
    return "\n".join(lines), failed


def find_assemblers(folders):
    """Programs by version."""
    programs = [os.path.join(folder, "ptxas") for folder in folders.split(",")] if folders else ["ptxas"]
    return {re.search(r", V([\d.]+)", run([program, "--version"]))[1]: program for program in programs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-compile", default=os.path.join(ROOT, "build/bin/attn-compile"))
    parser.add_argument("--arch", default="sm_80")
    parser.add_argument("--products", action="store_true", help="matrix products instead of attention")
    parser.add_argument("--sizes", help="of heads, or of products, separated by commas")
    parser.add_argument("--variants", help="all of them, if left out")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--ptxas", help="folders of the programs to use, separated by commas (default: PATH)")
    parser.add_argument("--loops", action="store_true", help="disassemble and count the main loop")
    options = parser.parse_args()
    options.assemblers = find_assemblers(options.ptxas)
    sizes = options.sizes.split(",") if options.sizes else [4096] if options.products else SIZES
    variants = options.variants.split(",") if options.variants else PRODUCTS if options.products else VARIANTS
    cases = [(int(size), variant, element) for size in sizes for variant in variants
             for element in options.types.split(",")]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failed = 0
        for text, count in pool.map(lambda case: check(case, options, folder), cases):
            print(text, flush=True)
            failed += count
    print(f"{len(cases) * len(options.assemblers)} kernels, {failed} with spills")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
