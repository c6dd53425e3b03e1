# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main loop of a kernel, and one way through it.

Of several ways through a loop the one is taken that has the most products, and of those the one with the fewest
instructions: what a test skips in most steps (a rescaling, a wait that has to be repeated) is left out.
"""

from dataclasses import dataclass

from flow import find_loops

from .machine import count_products


@dataclass
class MainLoop:
    body: list
    prologue: list
    epilogue: list
    #: Bodies of the kernel's other loops with products: over tiles that a mask crosses.
    others: list

    @property
    def products(self):
        return sum(map(count_products, self.body))


def find_way(kernel, start, ends, inside):
    """Blocks from `start` to one of `ends`, over forward edges in `inside`; None where there is no way."""
    best = {}

    def visit(number, open_blocks):
        if number in best:
            return best[number]
        weight = (sum(map(count_products, kernel.blocks[number])), -len(kernel.blocks[number]))
        if number in ends:
            best[number] = (weight, [number])
            return best[number]
        found = None
        for after in kernel.successors[number]:
            if after not in inside or after in open_blocks:
                continue
            rest = visit(after, open_blocks | {after})
            if rest and (found is None or rest[0] > found[0]):
                found = rest
        best[number] = found and (tuple(a + b for a, b in zip(weight, found[0])), [number, *found[1]])
        return best[number]

    way = visit(start, {start})
    return way and [instruction for number in way[1] for instruction in kernel.blocks[number]]


def find_main_loop(kernel):
    """The loop with the fewest instructions a product, with what lies in front of it and behind; None if none has any."""
    loops = []
    for head, blocks in sorted(find_loops(kernel.successors).items()):
        ends = {number for number in blocks if head in kernel.successors[number]}
        body = find_way(kernel, head, ends, blocks)
        products = body and sum(map(count_products, body))
        if products:
            loops.append((len(body) / products, head, blocks, body))
    if not loops:
        return None
    (_, head, blocks, body), *others = sorted(loops, key=lambda loop: loop[0])
    outside = set(range(len(kernel.blocks))) - blocks
    before = find_way(kernel, 0, {head}, outside | {head}) or []
    exits = sorted({after for number in blocks for after in kernel.successors[number]} - blocks)
    last = {number for number in outside if kernel.blocks[number] and kernel.blocks[number][-1].base == "EXIT"}
    behind = [way for way in (find_way(kernel, number, last, outside) for number in exits) if way]
    return MainLoop(body, before[: len(before) - len(kernel.blocks[head])], max(behind, key=len, default=[]),
                    [other for *_, other in others])
