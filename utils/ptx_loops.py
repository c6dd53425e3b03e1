#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of loops that hold matrix products, by class.

  utils/ptx_loops.py FILE.ptx                 a line for each such loop of each kernel
  utils/ptx_loops.py FILE.ptx --plain=NAME    what each function's smallest loop has more than that of NAME

A loop is a natural one: what reaches the branch back without leaving through its head. Those that lie inside
of it count once. The smallest loop of an attention kernel is that of full tiles: those at the edges mask.
"""

import argparse
import re
import sys
from collections import Counter

from flow import find_loops

#: class: what the opcodes begin with; the first that fits.
CLASSES = [
    ("mma", ("mma.", "wgmma.mma")),
    ("ldmatrix", ("ldmatrix", "stmatrix")),
    ("copy", ("cp.",)),
    ("global", ("ld.global", "st.global", "ld.param")),
    ("shared", ("ld.shared", "st.shared")),
    ("exp", ("ex2",)),
    ("fma", ("fma.",)),
    ("float", ("add.f", "sub.f", "mul.f", "add.rn", "sub.rn", "mul.rn", "neg.f", "abs.f", "add.ftz", "sub.ftz",
               "mul.ftz", "neg.ftz", "abs.ftz", "div.", "rcp.", "sqrt.", "rsqrt.", "lg2.", "tanh.")),
    ("max", ("max.f", "min.f", "max.ftz", "min.ftz")),
    ("predicate", ("setp", "selp", "and.pred", "or.pred", "not.pred", "xor.pred")),
    ("shuffle", ("shfl", "vote")),
    ("convert", ("cvt",)),
    ("barrier", ("bar", "mbarrier", "fence")),
    ("branch", ("bra", "ret", "exit")),
    ("move", ("mov",)),
]
PRODUCTS = ("mma.", "wgmma.mma")
#: What is moved where a register is set to 0. Machine code has one that is, so that this costs nothing; LLVM keeps it
#: in a loop or shares it with one in front, as it finds it.
ZERO = re.compile(r",\s*0(?:x0+|[fd]0+)?$")


def classify(opcode):
    return next((name for name, starts in CLASSES if opcode.startswith(starts)), "integer")


class Block:
    def __init__(self):
        self.opcodes, self.targets = [], []


def split_blocks(body):
    """The basic blocks of a kernel's text, with the blocks that follow each."""
    blocks, labels = [Block()], {}
    for line in body.splitlines():
        line = line.split("//")[0].strip()
        label = re.match(r"(\$\w+):", line)
        if label:
            if blocks[-1].opcodes or blocks[-1].targets:
                blocks.append(Block())
            labels.setdefault(label.group(1), len(blocks) - 1)
            continue
        found = re.match(r"(?:@(!?%\w+)\s+)?([a-z]\w*(?:[.:]+\w+)*)\b([^;]*);?$", line)
        if not found or line.startswith((".", "{", "}", ")")):
            continue
        guard, opcode, operands = found.groups()
        if opcode.startswith("mov.") and ZERO.search(operands):
            continue
        blocks[-1].opcodes.append(opcode)
        if opcode.startswith(("bra", "ret", "exit")):
            blocks[-1].targets = re.findall(r"\$\w+", operands)
            blocks[-1].falls = guard is not None
            blocks.append(Block())
    successors = []
    for number, block in enumerate(blocks):
        after = [labels[target] for target in block.targets if target in labels]
        if getattr(block, "falls", True) and number + 1 < len(blocks):
            after.append(number + 1)
        successors.append(after)
    return blocks, successors


def read_kernels(path):
    """(kernel, counts of one of its loops with products), in the order of the text."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = []
    for kernel in re.finditer(r"\.entry\s+(\w+).*?\n\{\n(.*?)\n\}\n", text, re.S):
        blocks, successors = split_blocks(kernel.group(2))
        for _, body in sorted(find_loops(successors).items()):
            opcodes = [opcode for number in sorted(body) for opcode in blocks[number].opcodes]
            if any(opcode.startswith(PRODUCTS) for opcode in opcodes):
                found.append((kernel.group(1), Counter(map(classify, opcodes))))
    if not found:
        sys.exit(f"{path}: no loop has matrix products")
    return found


def describe(counts):
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: -abs(item[1])) if count)


def find_smallest(loops):
    """By function, the counts of the smallest loop of its kernels."""
    smallest = {}
    for kernel, counts in loops:
        function = kernel.rsplit("__kernel", 1)[0]
        if function not in smallest or sum(counts.values()) < sum(smallest[function].values()):
            smallest[function] = counts
    return smallest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE.ptx")
    parser.add_argument("--plain", metavar="NAME", help="the function to compare with")
    options = parser.parse_args()
    loops = read_kernels(options.file)
    if not options.plain:
        for name, counts in loops:
            print(f"{name}: {sum(counts.values())} instructions: {describe(counts)}")
        return 0
    smallest = find_smallest(loops)
    if options.plain not in smallest:
        parser.error(f"no loop of {options.plain} has matrix products")
    plain = smallest[options.plain]
    for name, counts in smallest.items():
        more = Counter(counts)
        more.subtract(plain)
        print(f"{name}: {sum(more.values())} more than {sum(plain.values())}: {describe(more) or 'the same'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
