# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Natural loops of a graph of basic blocks, for the scripts that read machine code.

A graph is a list that has, for each block, the numbers of those that follow it; block 0 is the entry.
"""


def find_dominators(successors):
    count = len(successors)
    before = [[] for _ in range(count)]
    for number, after in enumerate(successors):
        for other in after:
            before[other].append(number)
    dominators = [{0}] + [set(range(count))] * (count - 1)
    changed = True
    while changed:
        changed = False
        for number in range(1, count):
            sets = [dominators[other] for other in before[number]]
            new = (set.intersection(*sets) if sets else set()) | {number}
            if new != dominators[number]:
                dominators[number], changed = new, True
    return before, dominators


def find_loops(successors):
    """Heads of natural loops with the blocks of each: what reaches the branch back without leaving through the head."""
    before, dominators = find_dominators(successors)
    loops = {}
    for number, after in enumerate(successors):
        for head in after:
            if head not in dominators[number]:
                continue
            body, open_blocks = loops.setdefault(head, {head}), [number]
            while open_blocks:
                block = open_blocks.pop()
                if block not in body:
                    body.add(block)
                    open_blocks += before[block]
    return loops
