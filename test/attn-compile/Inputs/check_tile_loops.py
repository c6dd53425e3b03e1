"""Counts the instructions of the innermost loops of an object's register tiles, for AArch64 or x86: those with 8
multiply-adds or more, 16 on AArch64, that do nothing else: exponentials have other steps, and the second pass over a tile
that had a NaN chooses between lanes.

usage: llvm-objdump -d --no-show-raw-insn OBJECT | check_tile_loops.py"""

import collections
import re
import sys

LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
BRANCH = r"b\.|cbn?z|tbn?z|j(?!mp)"
LEAVES = r"b$|b\.|bl|cbn?z|tbn?z|ret|j|call"


def read_code(text):
    """(address, instruction, operands) of every line."""
    matches = (LINE.match(line.partition("#")[0].rstrip()) for line in text.splitlines())
    return [(int(m[1], 16), m[2], m[3]) for m in matches if m]


def find_loops(code):
    """Instructions between the target of a branch backwards and the branch, where no other branch stands."""
    places = {address: i for i, (address, _, _) in enumerate(code)}
    for i, (address, name, operands) in enumerate(code):
        target = re.search(r"0x([0-9a-f]+)", operands) if re.match(BRANCH, name) else None
        if not target or int(target[1], 16) >= address or int(target[1], 16) not in places:
            continue
        body = code[places[int(target[1], 16)]:i]
        if not any(re.match(LEAVES, other) for _, other, _ in body):
            yield body


def count_x86(body):
    """The last operand is written; that of a multiply-add may be in memory, one number of it for all lanes."""
    kinds = collections.Counter()
    for _, name, operands in body:
        is_memory, is_stored = "(" in operands, operands.endswith(")")
        if re.match("vfn?madd|vdpbf16ps", name):
            place = " of one number" if "{1to" in operands else " of memory" if is_memory else ""
            kinds["multiply-adds" + (" of pairs" if name.startswith("vdp") else "") + place] += 1
        elif name.startswith("vbroadcast") and is_memory:
            kinds["spread loads"] += 1
        elif name.startswith("v") and is_stored or "(%rsp)" in operands:  # scratch on the stack has an index, too
            kinds["stores or spills"] += 1
        elif name.startswith("vmov") and is_memory:
            kinds["vector loads"] += 1
        elif name.startswith("vcmp") or "{%k" in operands:
            kinds["choices"] += 1
        elif name.startswith("v"):
            kinds["others"] += 1
    return kinds


def count(body):
    kinds = collections.Counter()
    for _, name, operands in body:
        if name == "fmla":
            kinds["fmla by element" if re.search(r"\.s\[\d\]$", operands) else "other fmla"] += 1
        elif name in ("ldr", "ldur", "ldp") and operands[0] in "sq":
            kinds["scalar loads" if operands[0] == "s" else "vector loads"] += 2 if name == "ldp" else 1
        elif name == "ld1r":
            kinds["spread loads"] += 1
        elif name == "dup":
            kinds["broadcasts"] += 1
        elif name in ("bsl", "bit", "bif"):
            kinds["choices"] += 1
        if name.startswith("st") or "[sp" in operands:
            kinds["stores or spills"] += 1
    return kinds


def main():
    shapes = collections.Counter()
    text = sys.stdin.read()
    for body in find_loops(read_code(text)):
        kinds = count_x86(body) if "elf64-x86-64" in text else count(body)
        products = sum(number for kind, number in kinds.items() if "fmla" in kind or "multiply-adds" in kind)
        if products >= (8 if "elf64-x86-64" in text else 16) and not kinds["choices"] and not kinds["others"]:
            shapes[", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))] += 1
    for shape, number in sorted(shapes.items()):
        print(f"{number} x {shape}")
    print("end")


main()
