# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors in another shape or order, parts of them, and several as one."""

from __future__ import annotations

import numpy as np

from .. import ir
from .emitter import Emitter
from .sizes import Size, same
from .tensors import Tensor


def product(sizes):
    total = 1
    for n in sizes:
        total = n * total
    return total


def _next_group(source, target):
    """How many dimensions of each, from the left, have the same product; the fewest. None where that is not known."""
    for total in range(2, len(source) + len(target) + 1):
        for i in range(max(1, total - len(target)), min(len(source), total - 1) + 1):
            if same(product(source[:i]), product(target[:total - i])):
                return i, total - i
    return None


def group_dimensions(source, target):
    """Pairs of ranges of dimensions that hold the same elements. What is not provable is one group."""
    groups, i, j = [], 0, 0
    while i < len(source) and j < len(target):
        counts = _next_group(source[i:], target[j:]) or (len(source) - i, len(target) - j)
        groups.append((list(range(i, i + counts[0])), list(range(j, j + counts[1]))))
        i, j = i + counts[0], j + counts[1]
    # What is left are dimensions of one element.
    if groups:
        groups[-1][0].extend(range(i, len(source)))
        groups[-1][1].extend(range(j, len(target)))
    return groups


def _regrouped(emitter: Emitter, name, value, shape, groups, attributes=None, operands=()) -> ir.Value:
    type = Tensor(tuple(shape), value.type.element).type
    reassociation = ir.array(ir.array(f"{d} : i64" for d in group) for group in groups)
    return emitter.builder.one(name, [value, *operands], type, {"reassociation": reassociation, **(attributes or {})})


def reshape(emitter: Emitter, tensor: Tensor, shape) -> Tensor:
    """To a shape of as many elements."""
    shape = tuple(shape)
    if len(shape) == tensor.rank and all(map(same, shape, tensor.shape)):
        return tensor
    if tensor.known is not None:
        return Tensor.of(tensor.known.reshape(shape))
    value = emitter.value(tensor)
    if any(not isinstance(n, Size) and n == 0 for n in shape):
        return emitter.made(emitter.empty(shape, tensor.element), shape)
    groups = group_dimensions(tensor.shape, shape)
    middle = [product(tensor.shape[d] if len(g) == 1 else shape[d] for d in (g if len(g) == 1 else h))
              for g, h in groups]
    if len(middle) < tensor.rank:
        value = _regrouped(emitter, "tensor.collapse_shape", value, middle, [g for g, _ in groups])
    if len(middle) < len(shape):
        static, operands = emitter.split(shape)
        value = _regrouped(emitter, "tensor.expand_shape", value, shape, [h for _, h in groups],
                           {"static_output_shape": ir.i64s(static)}, operands)
    return emitter.made(value, shape)


def transpose(emitter: Emitter, tensor: Tensor, order) -> Tensor:
    order = [int(d) for d in order]
    if order == sorted(order):
        return tensor
    if tensor.known is not None:
        return Tensor.of(tensor.known.transpose(order))
    shape = tuple(tensor.shape[d] for d in order)
    empty = emitter.empty(shape, tensor.element)
    op = emitter.builder.add("linalg.transpose", [emitter.value(tensor), empty], [empty.type],
                             {"permutation": ir.i64s(order)}, regions=1)
    with emitter.builder.region(op, 0, [tensor.element, tensor.element]) as (new, _):
        emitter.builder.add("linalg.yield", [new])
    return emitter.made(op.results[0], shape)


def expand(emitter: Emitter, tensor: Tensor, shape) -> Tensor:
    """Broadcast to a shape, of which it has the last dimensions or ones."""
    if len(shape) == tensor.rank and all(map(same, shape, tensor.shape)):
        return tensor
    return emitter.elementwise([tensor], tensor.element, lambda x: x, tuple(shape))


def slice_(emitter: Emitter, tensor: Tensor, offsets, sizes, strides=None) -> Tensor:
    """A part with strides above 0. `sizes` are those of the result."""
    strides = list(strides or [1] * tensor.rank)
    if all(map(same, sizes, tensor.shape)) and all(same(n, 0) for n in offsets):
        return tensor
    shape = tuple(sizes)
    if any(same(n, 0) for n in shape):
        return emitter.made(emitter.empty(shape, tensor.element), shape)
    static, operands = zip(*[emitter.split(numbers) for numbers in (offsets, sizes, strides)])
    value = emitter.builder.one(
        "tensor.extract_slice", [emitter.value(tensor), *operands[0], *operands[1], *operands[2]],
        Tensor(shape, tensor.element).type,
        {"static_offsets": ir.i64s(static[0]), "static_sizes": ir.i64s(static[1]), "static_strides": ir.i64s(static[2]),
         "operandSegmentSizes": ir.segments(1, *map(len, operands))})
    return emitter.made(value, shape)


def part(emitter: Emitter, tensor: Tensor, axis: int, start, size) -> Tensor:
    """`size` places along one dimension, from `start` on."""
    offsets = [start if i == axis else 0 for i in range(tensor.rank)]
    sizes = [size if i == axis else n for i, n in enumerate(tensor.shape)]
    return slice_(emitter, tensor, offsets, sizes)


def concat(emitter: Emitter, tensors, axis: int) -> Tensor:
    tensors = [t for t in tensors if not same(t.shape[axis], 0)] or tensors[:1]
    if len(tensors) == 1:
        return tensors[0]
    first = tensors[0]
    total = sum((t.shape[axis] for t in tensors[1:]), first.shape[axis])
    # A static size is the better one of two that have to be equal.
    shape = [min((t.shape[i] for t in tensors), key=lambda n: isinstance(n, Size)) for i in range(first.rank)]
    shape[axis] = total
    value = emitter.builder.one("tensor.concat", [emitter.value(t) for t in tensors],
                                Tensor(tuple(shape), first.element).type, {"dim": ir.i64(axis)})
    return emitter.made(value, shape)


def gather(emitter: Emitter, tensor: Tensor, indices: Tensor, axis: int) -> Tensor:
    """tensor[..., indices, ...]; an index below 0 counts from the end."""
    shape = (*tensor.shape[:axis], *indices.shape, *tensor.shape[axis + 1:])
    source, places, size = emitter.value(tensor), emitter.value(indices), emitter.size(tensor.shape[axis])
    scalars = emitter.scalars

    def body(*at):
        place = scalars.extract(places, at[axis:axis + indices.rank])
        index = scalars.cast(place, "index")
        if not (indices.is_number and np.all(indices.known >= 0)):
            below = scalars.compare("lt", index, scalars.like(0, index))
            index = scalars.select(below, scalars.add(index, size), index)
        return scalars.extract(source, [*at[:axis], index, *at[axis + indices.rank:]])
    return emitter.indexed(shape, tensor.element, body)
