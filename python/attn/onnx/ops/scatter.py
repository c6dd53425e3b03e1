# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements written to places that are computed. One after the other: places may repeat."""

from __future__ import annotations

from typing import Callable

from ...build.layout import product, reshape
from ...build.sizes import Size
from ...build.tensors import Tensor
from ..registry import Op, op

#: What becomes of the element that is there.
_REDUCTIONS = {"none": None, "add": "add", "mul": "mul", "max": "max", "min": "min"}


def _scatter(op: Op, data: Tensor, updates: Tensor, find_place: Callable) -> Tensor:
    """find_place(number): the indices in data of an element of `updates`, which is flat."""
    emitter, scalars = op.emitter, op.emitter.scalars
    word = op.attribute("reduction", "none")
    if word not in _REDUCTIONS:
        raise op.error(f"reduction '{word}'", f"choose one of {', '.join(_REDUCTIONS)}")
    target, source = emitter.value(data), emitter.value(updates)
    first, step, last = emitter.number(0, "index"), emitter.number(1, "index"), emitter.size(updates.shape[0])
    loop = emitter.builder.add("scf.for", [first, last, step, target], [target.type], regions=1)
    with emitter.builder.region(loop, 0, ["index", target.type]) as (number, current):
        place = find_place(number)
        new = scalars.extract(source, [number])
        how = _REDUCTIONS[word]
        if how:
            new = scalars.binary(how, scalars.extract(current, place), new)
        made = emitter.builder.one("tensor.insert", [new, current, *place], target.type)
        emitter.builder.add("scf.yield", [made])
    return emitter.made(loop.results[0], data.shape)


def _wrapped(op: Op, index, size):
    """Numbers below 0 count from the end."""
    scalars = op.emitter.scalars
    index = scalars.cast(index, "index")
    below = scalars.compare("lt", index, scalars.like(0, index))
    return scalars.select(below, scalars.add(index, size), index)


def _split(op: Op, number, sizes) -> list:
    """The indices of an element that is counted in the order of the dimensions."""
    scalars, found = op.emitter.scalars, []
    for size in reversed(sizes[1:]):
        found.append(scalars.binary("rem", number, size))
        number = scalars.binary("div", number, size)
    return [number, *reversed(found)]


@op("ScatterElements", "Scatter")
def import_scatter_elements(op: Op):
    data, indices, updates = op.input(0), op.input(1), op.input(2)
    emitter, axis = op.emitter, op.axis(op.input(0).rank)
    count = product(updates.shape)
    places = emitter.value(reshape(emitter, indices, (count,)))
    size, sizes = emitter.size(data.shape[axis]), [emitter.size(n) for n in indices.shape]

    def find_place(number):
        at = _split(op, number, sizes)
        at[axis] = _wrapped(op, emitter.scalars.extract(places, [number]), size)
        return at
    return _scatter(op, data, reshape(emitter, updates, (count,)), find_place)


@op("ScatterND")
def import_scatter_nd(op: Op):
    """indices[..., :] are places in the first dimensions of data; updates has what goes there."""
    data, indices, updates = op.input(0), op.input(1), op.input(2)
    emitter, scalars, depth = op.emitter, op.emitter.scalars, op.input(1).shape[-1]
    if isinstance(depth, Size):
        raise op.error("the last dimension of its indices is not known", "make it static")
    rest = data.shape[depth:]
    places = emitter.value(reshape(emitter, indices, (product(indices.shape[:-1]), depth)))
    sizes = [emitter.size(n) for n in (*data.shape[:depth], *rest)]
    inner = emitter.size(product(rest))

    def find_place(number):
        row = scalars.binary("div", number, inner)
        front = [_wrapped(op, scalars.extract(places, [row, scalars.constant(i, "index")]), sizes[i])
                 for i in range(depth)]
        within = scalars.binary("rem", number, inner)
        return [*front, *(_split(op, within, sizes[depth:]) if rest else [])]
    return _scatter(op, data, reshape(emitter, updates, (product(updates.shape),)), find_place)
