# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that give elements another place."""

from __future__ import annotations

import numpy as np

from ...build import layout
from ...build.emitter import broadcast_shapes
from ...build.sizes import Size, same
from ...build.tensors import Tensor
from ..registry import Op, op


def numbers_or_attribute(op: Op, index: int, name: str):
    """A list that is an input, or in older opsets an attribute; None where it is left out."""
    return op.numbers(index, name) if op.optional(index) is not None else op.attribute(name)


def _axes(op: Op, index: int, rank: int, name: str = "axes"):
    given = numbers_or_attribute(op, index, name)
    return None if given is None else [int(n) + rank if n < 0 else int(n) for n in given]


@op("Reshape")
def import_reshape(op: Op):
    x, wanted = op.input(0), numbers_or_attribute(op, 1, "shape")
    keep_zero = op.attribute("allowzero", 0)
    shape = [x.shape[i] if not isinstance(n, Size) and n == 0 and not keep_zero else n for i, n in enumerate(wanted)]
    for i, n in enumerate(shape):
        if not isinstance(n, Size) and n == -1:
            rest = layout.product(shape[:i] + shape[i + 1:])
            shape[i] = 0 if same(rest, 0) else layout.product(x.shape) // rest
    return layout.reshape(op.emitter, x, [n if isinstance(n, Size) else int(n) for n in shape])


@op("Flatten")
def import_flatten(op: Op):
    x = op.input(0)
    axis = op.axis(x.rank, op.attribute("axis", 1))
    return layout.reshape(op.emitter, x, (layout.product(x.shape[:axis]), layout.product(x.shape[axis:])))


@op("Squeeze")
def import_squeeze(op: Op):
    x = op.input(0)
    axes = _axes(op, 1, x.rank)
    axes = [i for i, n in enumerate(x.shape) if same(n, 1)] if axes is None else axes
    return layout.reshape(op.emitter, x, [n for i, n in enumerate(x.shape) if i not in axes])


@op("Unsqueeze")
def import_unsqueeze(op: Op):
    x = op.input(0)
    given = numbers_or_attribute(op, 1, "axes")
    rank = x.rank + len(given)
    axes = {int(n) % rank for n in given}
    rest = iter(x.shape)
    return layout.reshape(op.emitter, x, [1 if i in axes else next(rest) for i in range(rank)])


@op("Transpose")
def import_transpose(op: Op):
    x = op.input(0)
    return layout.transpose(op.emitter, x, op.attribute("perm", range(x.rank)[::-1]))


@op("Expand")
def import_expand(op: Op):
    x = op.input(0)
    return layout.expand(op.emitter, x, broadcast_shapes(x.shape, tuple(op.numbers(1, "shape"))))


@op("Concat")
def import_concat(op: Op):
    return layout.concat(op.emitter, op.inputs, op.axis(op.input(0).rank))


@op("Split")
def import_split(op: Op):
    x, count = op.input(0), op.attribute("num_outputs", len(op.node.output))
    axis, sizes = op.axis(x.rank), numbers_or_attribute(op, 1, "split")
    if sizes is None:
        each = -(-x.shape[axis] // count)
        sizes = [each] * (count - 1) + [x.shape[axis] - each * (count - 1)]
    results, start = [], 0
    for size in sizes:
        size = size if isinstance(size, Size) else int(size)
        results.append(layout.part(op.emitter, x, axis, start, size))
        start = start + size
    return results


@op("Slice")
def import_slice(op: Op):
    x = op.input(0)
    starts, ends = (numbers_or_attribute(op, i, name) for i, name in ((1, "starts"), (2, "ends")))
    axes = _axes(op, 3, x.rank) or range(len(starts))
    steps = numbers_or_attribute(op, 4, "steps") or [1] * len(starts)
    offsets, sizes, strides, turned = [0] * x.rank, list(x.shape), [1] * x.rank, []
    for axis, start, end, step in zip(axes, starts, ends, steps):
        size = x.shape[axis]
        start, end = (_clamp(n, size, int(step) < 0) for n in (start, end))
        if step < 0:
            # From the front: the same places, in the other order.
            count = (start - end + (-step - 1)) // -step
            start, step = start + (count - 1) * step, -step
            turned.append(axis)
        else:
            count = (end - start + (step - 1)) // step
        if not isinstance(count, Size) and count < 0:
            count = 0
        offsets[axis], sizes[axis], strides[axis] = start, count, int(step)
    result = layout.slice_(op.emitter, x, offsets, sizes, strides)
    return _reverse(op, result, turned) if turned else result


def _clamp(n, size, backwards: bool):
    """A bound from the front, within what there is; -1 is in front of it where a slice goes backwards."""
    if isinstance(n, Size):
        return n
    n = int(n)
    if isinstance(size, Size):
        # ONNX writes the largest number for the end.
        return n + size if n < 0 else size if n >= 2**31 - 1 else n
    n = n + size if n < 0 else n
    return min(max(n, -1 if backwards else 0), size - 1 if backwards else size)


def _reverse(op: Op, x: Tensor, axes) -> Tensor:
    emitter, scalars = op.emitter, op.emitter.scalars
    value = emitter.value(x)
    last = {axis: emitter.size(x.shape[axis] - 1) for axis in axes}
    return emitter.indexed(x.shape, x.element, lambda *at: scalars.extract(
        value, [scalars.sub(last[i], n) if i in last else n for i, n in enumerate(at)]))


@op("Gather")
def import_gather(op: Op):
    data, indices = op.input(0), op.input(1)
    axis = op.axis(data.rank)
    if indices.is_number and indices.rank == 0 and not isinstance(data.shape[axis], Size):
        # One place is a slice.
        place = int(indices.elements) % data.shape[axis]
        part = layout.part(op.emitter, data, axis, place, 1)
        return layout.reshape(op.emitter, part, data.shape[:axis] + data.shape[axis + 1:])
    return layout.gather(op.emitter, data, indices, axis)


@op("GatherElements")
def import_gather_elements(op: Op):
    data, indices = op.input(0), op.input(1)
    emitter, scalars, axis = op.emitter, op.emitter.scalars, op.axis(op.input(0).rank)
    source, places, size = emitter.value(data), emitter.value(indices), emitter.size(data.shape[axis])

    def body(*at):
        index = scalars.cast(scalars.extract(places, at), "index")
        below = scalars.compare("lt", index, scalars.like(0, index))
        index = scalars.select(below, scalars.add(index, size), index)
        return scalars.extract(source, [index if i == axis else n for i, n in enumerate(at)])
    return emitter.indexed(indices.shape, data.element, body)


@op("GatherND")
def import_gather_nd(op: Op):
    """indices[..., :] are places in the first dimensions of data, or in those behind `batch_dims` that both have."""
    data, indices = op.input(0), op.input(1)
    emitter, scalars, batch = op.emitter, op.emitter.scalars, op.attribute("batch_dims", 0)
    count = indices.shape[-1]
    if isinstance(count, Size):
        raise op.error("the last dimension of its indices is not known", "make it static")
    source, places = emitter.value(data), emitter.value(indices)
    sizes = [emitter.size(data.shape[batch + i]) for i in range(count)]
    outer = indices.rank - 1

    def body(*at):
        found = []
        for i, size in enumerate(sizes):
            index = scalars.cast(scalars.extract(places, [*at[:outer], scalars.constant(i, "index")]), "index")
            below = scalars.compare("lt", index, scalars.like(0, index))
            found.append(scalars.select(below, scalars.add(index, size), index))
        return scalars.extract(source, [*at[:batch], *found, *at[outer:]])
    return emitter.indexed((*indices.shape[:-1], *data.shape[batch + count:]), data.element, body)


@op("Tile")
def import_tile(op: Op):
    x, repeats = op.input(0), op.numbers(1, "repeats")
    for axis, count in enumerate(repeats):
        if same(count, 1):
            continue
        wide = layout.reshape(op.emitter, x, (*x.shape[:axis], 1, *x.shape[axis:]))
        wide = layout.expand(op.emitter, wide, (*x.shape[:axis], count, *x.shape[axis:]))
        x = layout.reshape(op.emitter, wide, (*x.shape[:axis], count * x.shape[axis], *x.shape[axis + 1:]))
    return x


@op("Pad")
def import_pad(op: Op):
    x, mode = op.input(0), op.attribute("mode", "constant")
    if mode != "constant":
        raise op.error(f"mode '{mode}'", "only 'constant' is known")
    pads = numbers_or_attribute(op, 1, "pads")
    axes = _axes(op, 3, x.rank) if len(op.inputs) > 3 and op.optional(3) is not None else range(x.rank)
    fill = op.emitter.cast(Tensor.of(np.float64(op.attribute("value", 0.0))), x.element)
    if op.optional(2) is not None:
        fill = layout.reshape(op.emitter, op.input(2), ())
    for i, axis in enumerate(axes):
        x = _pad_axis(op, x, axis, pads[i], pads[i + len(pads) // 2], fill)
    return x


def _pad_axis(op: Op, x: Tensor, axis: int, before, after, fill: Tensor) -> Tensor:
    """With numbers before and behind; a count below 0 takes away."""
    cut = [0 if isinstance(n, Size) else max(-int(n), 0) for n in (before, after)]
    if any(cut):
        x = layout.part(op.emitter, x, axis, cut[0], x.shape[axis] - sum(cut))
    parts = [x]
    for count, place in ((before, 0), (after, 2)):
        if isinstance(count, Size) or count > 0:
            shape = tuple((count if isinstance(count, Size) else int(count)) if i == axis else n
                          for i, n in enumerate(x.shape))
            parts.insert(place, layout.expand(op.emitter, fill, shape))
    return layout.concat(op.emitter, parts, axis)
