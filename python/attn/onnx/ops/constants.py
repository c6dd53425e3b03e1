# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are made of a few numbers."""

from __future__ import annotations

import numpy as np

from ...build.sizes import Size
from ...build.tensors import Tensor
from ..registry import Op, op


@op("ConstantOfShape")
def import_constant_of_shape(op: Op):
    shape = tuple(n if isinstance(n, Size) else int(n) for n in op.numbers(0, "shape"))
    value = Tensor.of(np.asarray(op.attribute("value", np.zeros(1, np.float32))))
    return op.emitter.made(op.emitter.zeros(shape, value.element, value.elements.reshape(-1)[0]), shape)


@op("Range")
def import_range(op: Op):
    start, limit, step = (op.numbers(i, name)[0] for i, name in enumerate(("start", "limit", "delta")))
    element = op.input(0).element
    if isinstance(step, Size) or step != int(step):
        raise op.error(f"a step of {step}", "only whole numbers are known")
    count = (limit - start + (step - (1 if step > 0 else -1))) // step
    scalars = op.emitter.scalars
    first = op.emitter.size(start) if isinstance(start, Size) else None

    def body(i):
        at = scalars.mul(i, scalars.like(int(step), i))
        at = scalars.add(at, scalars.like(int(start), i) if first is None else first)
        return scalars.cast(at, element)
    return op.emitter.indexed((count if isinstance(count, Size) else max(int(count), 0),), element, body)


@op("Trilu")
def import_trilu(op: Op):
    x, emitter, scalars = op.input(0), op.emitter, op.emitter.scalars
    k = op.numbers(1, "k")[0] if op.optional(1) is not None else 0
    upper, shift = op.attribute("upper", 1), emitter.size(k)
    value = emitter.value(x)

    def body(*at):
        row, column = at[-2:]
        order = "ge" if upper else "le"
        inside = scalars.compare(order, column, scalars.add(row, shift))
        number = scalars.extract(value, at)
        return scalars.select(inside, number, scalars.like(0, number))
    return emitter.indexed(x.shape, x.element, body)


@op("Constant")
def import_constant(op: Op):
    raise op.error("its value is text or sparse")
