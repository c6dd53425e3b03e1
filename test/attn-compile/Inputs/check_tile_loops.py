"""Counts the instructions of the innermost loops of an AArch64 object's register tiles: those with 16 multiply-adds or
more, and no choice between lanes, as exponentials have, and the second pass over a tile that had a NaN.

usage: llvm-objdump -d --no-show-raw-insn OBJECT | check_tile_loops.py"""

import collections
import re
import sys

LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")


def read_code(text):
    """(address, instruction, operands) of every line."""
    matches = (LINE.match(line) for line in text.splitlines())
    return [(int(m[1], 16), m[2], m[3]) for m in matches if m]


def find_loops(code):
    """Instructions between the target of a branch backwards and the branch, where no other branch stands."""
    places = {address: i for i, (address, _, _) in enumerate(code)}
    for i, (address, name, operands) in enumerate(code):
        target = re.search(r"0x([0-9a-f]+)", operands) if re.match(r"b\.|cbn?z|tbn?z", name) else None
        if not target or int(target[1], 16) >= address or int(target[1], 16) not in places:
            continue
        body = code[places[int(target[1], 16)]:i]
        if not any(re.match(r"b$|b\.|bl|cbn?z|tbn?z|ret", other) for _, other, _ in body):
            yield body


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
    for body in find_loops(read_code(sys.stdin.read())):
        kinds = count(body)
        if kinds["fmla by element"] + kinds["other fmla"] >= 16 and not kinds["choices"]:
            shapes[", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))] += 1
    for shape, number in sorted(shapes.items()):
        print(f"{number} x {shape}")
    print("end")


main()
