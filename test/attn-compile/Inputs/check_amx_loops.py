"""What an x86-64 object does with tiles: a line for each kind of function that has them, and one for each kind of
innermost loop with products.

usage: llvm-objdump -dr --no-show-raw-insn OBJECT | check_amx_loops.py

Of a function: configurations, releases, and the calls between the two by name. Of a loop: products, loads of tiles, those that read
the stack by rsp or rbp, what writes tiles elsewhere than to a product's sum (zeros, stores: accumulators that do not
stay in tiles), vector instructions, and calls. Of a loop with loops of vectors in it, these are named and not counted."""

import collections
import re
import sys

SYMBOL = re.compile(r"^[0-9a-f]+ <(.+)>:$")
LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
RELOCATION = re.compile(r"^\s+[0-9a-f]+:\s+R_X86_64_(?:PLT|PC)32\s+(\S+?)-0x4$")
JUMP = re.compile(r"j[a-z]+$")


def read_functions(text):
    """The (address, instruction, operands) of each function."""
    functions = []
    for line in text.splitlines():
        if SYMBOL.match(line):
            functions.append([])
        elif match := RELOCATION.match(line):
            address, name, operands = functions[-1][-1]
            functions[-1][-1] = address, name, f"<{match[1]}>" if name.startswith("call") else operands
        elif functions and (match := LINE.match(line)) and not match[2].startswith("R_"):
            functions[-1].append((int(match[1], 16), match[2], match[3]))
    return functions


def find_loops(code):
    """Instructions between the target of a jump backwards and the jump, where no other one with products lies within, and
    whether loops stand there."""
    places, found = {address: i for i, (address, _, _) in enumerate(code)}, []
    for i, (address, name, operands) in enumerate(code):
        target = re.match(r"0x([0-9a-f]+)", operands) if JUMP.match(name) else None
        if not target or int(target[1], 16) >= address or int(target[1], 16) not in places:
            continue
        first = places[int(target[1], 16)]
        body = code[first:i]
        if not any(name.startswith("tdp") for _, name, _ in body):
            continue
        if not any(first <= begin and end <= i for begin, end in found):
            found.append((first, i))
            yield body, any(JUMP.match(other) for _, other, _ in body)


def count_loop(body, has_loops):
    kinds = collections.Counter({"with rows": 1} if has_loops else {})
    for _, name, operands in body:
        if name.startswith("tdp"):
            kinds["products"] += 1
        elif name.startswith("tileload"):
            kinds["loads"] += 1
            kinds["loads of the stack"] += bool(re.search(r"\(%r[sb]p", operands))
        elif name.startswith("tile") or name.endswith("tilecfg"):
            kinds["zeros, stores or configurations"] += 1
        elif name.startswith("call"):
            kinds["calls"] += 1
        elif not has_loops and re.search(r"%[xyz]mm", operands):
            kinds["vector instructions"] += 1
    return +kinds


def count_function(code):
    kinds = collections.Counter()
    is_configured = False
    for _, name, operands in code:
        if name == "ldtilecfg":
            kinds["configurations"] += 1
            is_configured = True
        elif name == "tilerelease":
            kinds["releases"] += 1
            is_configured = False
        elif name.startswith("call") and is_configured:
            callee = re.search(r"<([^+>]+)", operands)
            kinds[f"calls of {callee[1] if callee else operands}"] += 1
    return +kinds


def describe(kinds):
    return ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))


def main():
    functions, loops = collections.Counter(), collections.Counter()
    for code in read_functions(sys.stdin.read()):
        if not any(re.match(r"t(dp|ile)", name) for _, name, _ in code):
            continue
        functions[describe(count_function(code))] += 1
        for body, has_loops in find_loops(code):
            loops[describe(count_loop(body, has_loops))] += 1
    for title, shapes in (("functions", functions), ("loops", loops)):
        for shape, number in sorted(shapes.items()):
            print(f"{number} {title}: {shape}")
    print("end")


main()
