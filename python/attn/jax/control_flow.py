# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and branches of StableHLO as those of MLIR's scf: the passes inside of jaxlib leave them.

lax.scan, while_loop, fori_loop, cond and switch become scf.while and scf.index_switch.
"""

from jaxlib.mlir import ir


def extract(tensor):
    """The number in a tensor without dimensions."""
    element = ir.RankedTensorType(tensor.type).element_type
    return ir.Operation.create("tensor.extract", results=[element], operands=[tensor]).result


def move_block(source, target):
    source.blocks[0].append_to(target)
    block = target.blocks[0]
    return block, block.operations[len(block.operations) - 1]


def lower_while(op):
    loop = ir.Operation.create("scf.while", results=[r.type for r in op.results], operands=list(op.operands), regions=2)
    block, end = move_block(op.regions[0], loop.regions[0])
    with ir.InsertionPoint(end):
        ir.Operation.create("scf.condition", operands=[extract(end.operands[0]), *block.arguments])
    end.erase()
    _, end = move_block(op.regions[1], loop.regions[1])
    with ir.InsertionPoint(end):
        ir.Operation.create("scf.yield", operands=list(end.operands))
    end.erase()
    return loop


def lower_case(op):
    """The last branch is that of all other numbers, in both."""
    index = ir.Operation.create("arith.index_cast", results=[ir.IndexType.get()], operands=[extract(op.operands[0])])
    count = len(op.regions)
    numbers = ir.DenseI64ArrayAttr.get(list(range(count - 1)))
    choice = ir.Operation.create("scf.index_switch", results=[r.type for r in op.results], operands=[index.result],
                                 attributes={"cases": numbers}, regions=count)
    for target, source in zip([1 + i for i in range(count - 1)] + [0], range(count)):
        _, end = move_block(op.regions[source], choice.regions[target])
        with ir.InsertionPoint(end):
            ir.Operation.create("scf.yield", operands=list(end.operands))
        end.erase()
    return choice


LOWERINGS = {"stablehlo.while": lower_while, "stablehlo.case": lower_case}


def lower_control_flow(operation):
    """Inner ops first, so that what moves is lowered."""
    for region in operation.regions:
        for block in region.blocks:
            for op in list(block.operations):
                lower_control_flow(op.operation)
                if op.operation.name not in LOWERINGS:
                    continue
                with ir.InsertionPoint(op), op.location:
                    lowered = LOWERINGS[op.operation.name](op.operation)
                for old, new in zip(op.operation.results, lowered.results):
                    old.replace_all_uses_with(new)
                op.operation.erase()
