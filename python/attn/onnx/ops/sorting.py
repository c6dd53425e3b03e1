# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The largest elements of a dimension."""

from __future__ import annotations

from ...build.sizes import Size
from ...build.tensors import Tensor
from ..registry import Op, op


def _ranks(op: Op, x: Tensor, axis: int, order: str) -> Tensor:
    """How many elements go before each: those that are larger, or equal and further in front."""
    emitter, scalars = op.emitter, op.emitter.scalars
    value, other = emitter.value(x), x.rank

    def body(mine, theirs, total):
        place, their_place = (scalars.index(loop) for loop in (axis, other))
        front = scalars.binary("min", scalars.compare("eq", theirs, mine), scalars.compare("lt", their_place, place))
        before = scalars.binary("max", scalars.compare(order, theirs, mine), front)
        return scalars.add(total, scalars.cast(before, "i64"))
    loops = list(range(x.rank))
    theirs = [other if i == axis else i for i in loops]
    result = emitter.generic([value, value], [loops, theirs], emitter.zeros(x.shape, "i64"), loops, x.rank + 1,
                             [other], body)
    return emitter.made(result, x.shape)


@op("TopK")
def import_top_k(op: Op):
    """By comparing each element with each other of its line: for lines as routers have them, not for vocabularies."""
    x, count = op.input(0), op.numbers(1, "K")[0]
    axis = op.axis(x.rank, op.attribute("axis", -1))
    op.attribute("sorted", 1)
    if isinstance(count, Size):
        raise op.error("its K is a size that is not known", "make it a constant")
    emitter, scalars = op.emitter, op.emitter.scalars
    ranks = emitter.value(_ranks(op, x, axis, "gt" if op.attribute("largest", 1) else "lt"))
    shape = (*x.shape[:axis], int(count), *x.shape[axis + 1:])
    # The place in the result is a loop of its own, beside those of the input.
    loops, wanted = list(range(x.rank)), x.rank
    out = [wanted if i == axis else i for i in loops]

    def pick(inputs, element, choose):
        def body(*numbers):
            *values, rank, total = numbers
            found = scalars.compare("eq", scalars.cast(rank, "index"), scalars.index(wanted))
            return scalars.select(found, choose(*values), total)
        result = emitter.generic([*inputs, ranks], [loops] * (len(inputs) + 1), emitter.zeros(shape, element), out,
                                 x.rank + 1, [axis], body)
        return emitter.made(result, shape)
    values = pick([emitter.value(x)], x.element, lambda v: v)
    return [values, pick([], "i64", lambda: scalars.cast(scalars.index(axis), "i64"))]
