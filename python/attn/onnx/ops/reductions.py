# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and their like over dimensions, and running sums."""

from __future__ import annotations

from ...build.layout import product, reshape
from ..registry import Op, op
from ...build.sizes import Size
from ...build.tensors import Tensor, is_float
from .shapes import numbers_or_attribute


def _axes(op: Op, rank: int):
    """All, where none are named and that does not mean that nothing is reduced."""
    given, keeps_all = numbers_or_attribute(op, 1, "axes"), op.attribute("noop_with_empty_axes", 0)
    if given is None or len(given) == 0:
        return [] if keeps_all else list(range(rank))
    return sorted(int(n) + rank if n < 0 else int(n) for n in given)


def _finish(op: Op, x: Tensor, axes, total: Tensor) -> Tensor:
    total = op.emitter.cast(total, x.element)
    if not op.attribute("keepdims", 1):
        return total
    return reshape(op.emitter, total, [1 if i in axes else n for i, n in enumerate(x.shape)])


def _wide(element: str) -> str:
    """What sums are kept in."""
    return {"f16": "f32", "bf16": "f32"}.get(element, element)


#: What is added up, and what is made of the sum.
_SUMS = {"ReduceSum": (None, None), "ReduceMean": (None, "mean"), "ReduceSumSquare": ("square", None),
         "ReduceL1": ("abs", None), "ReduceL2": ("square", "math.sqrt"), "ReduceLogSum": (None, "math.log")}


@op(*_SUMS)
def import_sum(op: Op):
    x, emitter, scalars = op.input(0), op.emitter, op.emitter.scalars
    axes = _axes(op, x.rank)
    before, after = _SUMS[op.node.op_type]
    if not axes and before is None and after is None:
        return x

    def body(v, total):
        v = scalars.cast(v, _wide(x.element))
        v = scalars.mul(v, v) if before == "square" else v
        if before == "abs":
            v = scalars.op("math.absf" if is_float(v.type) else "math.absi", v)
        return scalars.add(total, v)
    total = emitter.reduce(x, axes, 0, body, _wide(x.element))
    if after == "mean":
        total = _divide(op, total, product(x.shape[i] for i in axes))
    elif after:
        total = emitter.unary(after, total)
    return _finish(op, x, axes, total)


def _divide(op: Op, total: Tensor, count) -> Tensor:
    scalars = op.emitter.scalars
    size = op.emitter.size(count) if isinstance(count, Size) else None

    def body(v):
        by = scalars.like(count, v) if size is None else scalars.cast(size, v.type)
        return scalars.div(v, by)
    return op.emitter.elementwise([total], total.element, body)



@op("ReduceMax", "ReduceMin")
def import_extreme(op: Op):
    x, scalars = op.input(0), op.emitter.scalars
    axes, is_max = _axes(op, x.rank), op.node.op_type == "ReduceMax"
    if is_float(x.element):
        start = float("-inf") if is_max else float("inf")
    elif x.element == "i1":
        start = not is_max
    else:
        edge = 1 << (int(x.element[1:]) - 1)
        start = -edge if is_max else edge - 1
    name = "max" if is_max else "min"
    total = op.emitter.reduce(x, axes, start, lambda v, t: scalars.binary(name, v, t))
    return _finish(op, x, axes, total)


@op("ReduceProd")
def import_product(op: Op):
    x, scalars = op.input(0), op.emitter.scalars
    axes, wide = _axes(op, x.rank), _wide(x.element)
    total = op.emitter.reduce(x, axes, 1, lambda v, t: scalars.mul(t, scalars.cast(v, wide)), wide)
    return _finish(op, x, axes, total)


@op("ReduceLogSumExp")
def import_log_sum_exp(op: Op):
    x, emitter, scalars = op.input(0), op.emitter, op.emitter.scalars
    axes, wide = _axes(op, x.rank), _wide(x.element)
    kept = [1 if i in axes else n for i, n in enumerate(x.shape)]
    top = emitter.reduce(x, axes, float("-inf"), lambda v, t: scalars.binary("max", v, t))
    shifted = emitter.binary("sub", x, reshape(emitter, top, kept))
    power = lambda v: scalars.op("math.exp", scalars.cast(v, wide))
    total = emitter.reduce(shifted, axes, 0, lambda v, t: scalars.add(t, power(v)), wide)
    log = emitter.cast(emitter.unary("math.log", total), x.element)
    return _finish(op, x, axes, emitter.binary("add", log, top))


@op("CumSum")
def import_cumulative_sum(op: Op):
    """Each place sums what stands before it: a product with a triangle."""
    x, emitter, scalars = op.input(0), op.emitter, op.emitter.scalars
    axis = op.axis(x.rank, op.numbers(1, "axis")[0])
    exclusive, backwards = op.attribute("exclusive", 0), op.attribute("reverse", 0)
    size, wide = x.shape[axis], _wide(x.element)
    order = {(0, 0): "le", (1, 0): "lt", (0, 1): "ge", (1, 1): "gt"}[exclusive, backwards]
    seen = emitter.indexed((size, size), "i1", lambda i, j: scalars.compare(order, j, i))
    # The dimension summed over comes behind the others.
    source = [x.rank if i == axis else i for i in range(x.rank)]
    body = lambda v, s, t: scalars.add(t, scalars.select(s, scalars.cast(v, wide), scalars.like(0, t)))
    value = emitter.generic([emitter.value(x), emitter.value(seen)], [source, [axis, x.rank]],
                            emitter.zeros(x.shape, wide), range(x.rank), x.rank + 1, [x.rank], body)
    return emitter.cast(emitter.made(value, x.shape), x.element)
