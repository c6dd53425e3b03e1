# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, of any number of dimensions."""

from __future__ import annotations

from typing import NamedTuple

from ...build.layout import concat, reshape
from ...build.sizes import Size
from ...build.tensors import Tensor, is_float
from ..registry import Op, op


class _Window(NamedTuple):
    """Of one dimension. before, behind: zeros at the ends."""

    size: int
    stride: int
    dilation: int
    before: int
    behind: int

    @property
    def reach(self) -> int:
        """From its first to its last place, both included."""
        return (self.size - 1) * self.dilation + 1

    def count(self, length):
        """How many places it has."""
        return (length + self.before + self.behind - self.reach) // self.stride + 1


def _read_windows(op: Op, lengths, kernel) -> list[_Window]:
    rank = len(kernel)
    strides, dilations = (op.attribute(name) or [1] * rank for name in ("strides", "dilations"))
    pads, how = op.attribute("pads") or [0] * (2 * rank), op.attribute("auto_pad", "NOTSET")
    given = op.attribute("kernel_shape")
    if given is not None and list(given) != list(kernel):
        raise op.error(f"its kernel_shape {list(given)} is not that of its weights, {list(kernel)}")
    windows = [_Window(*numbers) for numbers in zip(kernel, strides, dilations, pads[:rank], pads[rank:])]
    if how == "NOTSET":
        return windows
    if how == "VALID":
        return [w._replace(before=0, behind=0) for w in windows]
    if how not in ("SAME_UPPER", "SAME_LOWER"):
        raise op.error(f"auto_pad '{how}'", "give pads")
    if any(isinstance(n, Size) and w.stride != 1 for n, w in zip(lengths, windows)):
        raise op.error(f"auto_pad '{how}' with strides on a size that is not known", "give pads")
    return [_pad_same(w, n, how == "SAME_UPPER") for w, n in zip(windows, lengths)]


def _pad_same(window: _Window, length, at_end: bool) -> _Window:
    """With as many places as strides fit into the length."""
    missing = window.reach - 1
    if not isinstance(length, Size):
        missing = max(0, (-(-length // window.stride) - 1) * window.stride + window.reach - length)
    few, many = missing // 2, missing - missing // 2
    return window._replace(before=few, behind=many) if at_end else window._replace(before=many, behind=few)


def _padded(op: Op, x: Tensor, windows) -> Tensor:
    """With the zeros at the ends of the dimensions behind the first two."""
    for axis, window in enumerate(windows, 2):
        def zeros(count):
            shape = (*x.shape[:axis], count, *x.shape[axis + 1:])
            return [op.emitter.made(op.emitter.zeros(shape, x.element), shape)] if count else []
        parts = [*zeros(window.before), x, *zeros(window.behind)]
        x = concat(op.emitter, parts, axis) if len(parts) > 1 else x
    return x


@op("Conv")
def import_conv(op: Op):
    x, weight, bias = op.input(0), op.input(1), op.optional(2)
    if not is_float(x.element) or not weight.is_static:
        raise op.error("its elements are integers, or the shape of its weights is not known", "cast, or make it static")
    groups, (filters, depth, *kernel) = op.attribute("group", 1), weight.shape
    windows = _read_windows(op, x.shape[2:], kernel)
    batch = x.shape[0]
    out = [window.count(n) for window, n in zip(windows, x.shape[2:])]
    x = _padded(op, x, windows)
    # Loops: batch, group, filter, places of the result; channel, places of the window.
    rank = len(kernel)
    x = reshape(op.emitter, x, (batch, groups, depth, *x.shape[2:]))
    weight = reshape(op.emitter, weight, (groups, filters // groups, depth, *kernel))
    channel, first = 3 + rank, 4 + rank
    places = [f"d{3 + i} * {w.stride} + d{first + i} * {w.dilation}" for i, w in enumerate(windows)]
    shape = (batch, groups, filters // groups, *out)
    y = op.emitter.sum_of_products(x, weight, [0, 1, channel, *places], [1, 2, channel, *range(first, first + rank)],
                                   shape, first + rank)
    y = reshape(op.emitter, y, (batch, filters, *out))
    if bias is None:
        return y
    return op.emitter.binary("add", y, reshape(op.emitter, bias, (filters, *[1] * rank)))
