# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ops of models are made of: sizes, constants, and loops over elements as linalg has them."""

from __future__ import annotations

import contextlib

import numpy as np

from .. import ir
from .scalars import Scalars
from .sizes import Quotient, Size
from .tensors import NUMPY, Tensor

#: Of a tensor type's static_offsets, static_sizes, ...: given as an operand.
DYNAMIC = -(1 << 63)


def broadcast_shapes(*shapes) -> tuple:
    """NumPy's rule. A size that is only known at run time is not 1 where it meets another."""
    rank = max(map(len, shapes), default=0)
    result = []
    for axis in range(-rank, 0):
        sizes = [shape[axis] for shape in shapes if len(shape) >= -axis]
        wide = [n for n in sizes if isinstance(n, Size) or n != 1]
        static = [n for n in wide if not isinstance(n, Size)]
        if len(set(static)) > 1:
            raise ValueError(f"shapes {', '.join(map(str, shapes))} do not broadcast")
        result.append(static[0] if static else wide[0] if wide else 1)
    return tuple(result)


class Emitter:
    """Writes ops on Tensors through a builder."""

    def __init__(self, builder: ir.Builder):
        self.builder, self.scalars = builder, Scalars(builder)
        self._symbols: dict = {}
        self._sizes: dict = {}
        self._inside = 0

    # Sizes

    def name_size(self, size: Size, tensor: ir.Value, axis: int) -> None:
        """Says where a size that is one name is read."""
        (names,), = [size.terms]
        name, = names
        if name not in self._symbols:
            at = self.number(axis, "index")
            self._symbols[name] = self.builder.one("tensor.dim", [tensor, at], "index")

    def number(self, number, element: str) -> ir.Value:
        return self.scalars.constant(number, element)

    def size(self, size) -> ir.Value:
        """A size as an index."""
        if not isinstance(size, Size):
            return self.number(size, "index")
        if size not in self._sizes:
            assert not self._inside, "sizes are computed outside of loops"
            total = None
            for names, factor in sorted(size.terms.items()):
                term = None if factor == 1 and names else self.number(factor, "index")
                for name in names:
                    value = self._symbol(name)
                    term = value if term is None else self.scalars.mul(term, value)
                total = term if total is None else self.scalars.add(total, term)
            self._sizes[size] = total
        return self._sizes[size]

    def _symbol(self, name) -> ir.Value:
        if name not in self._symbols:
            assert isinstance(name, Quotient), name
            a, b = map(self.size, name.parts)
            self._symbols[name] = self.builder.one("arith.floordivsi", [a, b], "index")
        return self._symbols[name]

    def split(self, sizes):
        """Static numbers, as attributes have them, and the operands that stand for the others."""
        static = [DYNAMIC if isinstance(n, Size) else int(n) for n in sizes]
        return static, [self.size(n) for n in sizes if isinstance(n, Size)]

    # Tensors

    def value(self, tensor: Tensor) -> ir.Value:
        """What the program computes for it; constants are written at their first use."""
        if tensor.value is None:
            assert not self._inside and tensor.known is not None
            tensor.value = self._sizes_as_tensor(tensor) if tensor.known.dtype == object else self._constant(tensor)
        return tensor.value

    def _constant(self, tensor: Tensor) -> ir.Value:
        elements = np.asarray(tensor.known)
        first = elements.reshape(-1)[:1]
        if elements.size > 1 and elements.tobytes() == first.tobytes() * elements.size:
            elements = first
        return self.builder.one("arith.constant", [], tensor.type, {"value": (tensor.type, elements)})

    def _sizes_as_tensor(self, tensor: Tensor) -> ir.Value:
        numbers = [self.scalars.cast(self.size(n), "i64") for n in tensor.elements.reshape(-1)]
        return self.builder.one("tensor.from_elements", numbers, tensor.type)

    def empty(self, shape, element: str) -> ir.Value:
        type = Tensor(tuple(shape), element).type
        return self.builder.one("tensor.empty", self.split(shape)[1], type)

    def made(self, value: ir.Value, shape, element: str | None = None) -> Tensor:
        return Tensor(tuple(shape), element or value.element, value=value)

    def zeros(self, shape, element: str, number=0) -> ir.Value:
        """A tensor of one number, to accumulate in."""
        start, empty = self.number(number, element), self.empty(shape, element)
        op = self.builder.add("linalg.fill", [start, empty], [empty.type],
                              {"operandSegmentSizes": ir.segments(1, 1)}, regions=1)
        with self.builder.region(op, 0, [element, element]) as (new, _):
            self.builder.add("linalg.yield", [new])
        return op.results[0]

    # Loops

    @contextlib.contextmanager
    def _body(self, op, types):
        self._inside += 1
        try:
            with self.builder.region(op, 0, types) as arguments:
                yield arguments
        finally:
            self._inside -= 1

    def generic(self, inputs, maps, output: ir.Value, output_map, loops: int, reduced, body) -> ir.Value:
        """linalg.generic. inputs: ir.Values; maps: of dimensions' numbers, or `0`; reduced: the loops that add up;
        body: from numbers, the last of which is the output's, to a number."""
        kinds = ["#linalg.iterator_type<%s>" % ("reduction" if i in reduced else "parallel") for i in range(loops)]
        attributes = {"indexing_maps": ir.array(ir.affine_map(loops, m) for m in [*maps, output_map]),
                      "iterator_types": ir.array(kinds), "operandSegmentSizes": ir.segments(len(inputs), 1)}
        op = self.builder.add("linalg.generic", [*inputs, output], [output.type], attributes, regions=1)
        with self._body(op, [v.type.element for v in [*inputs, output]]) as numbers:
            self.builder.add("linalg.yield", [body(*numbers)])
        return op.results[0]

    def map_of(self, tensor: Tensor, shape) -> list:
        """How an operand that is broadcast to `shape` is indexed."""
        skipped = len(shape) - tensor.rank
        return [i + skipped if not self._is_one(n) or self._is_one(shape[i + skipped]) else "0"
                for i, n in enumerate(tensor.shape)]

    @staticmethod
    def _is_one(n) -> bool:
        return not isinstance(n, Size) and n == 1

    def elementwise(self, tensors, element: str, body, shape=None) -> Tensor:
        """body(*numbers) for each place, with NumPy's broadcasting. Operands that are one known number are constants of
        the body."""
        shape = broadcast_shapes(*[t.shape for t in tensors], *([shape] if shape is not None else []))
        numbers = [t.known.reshape(-1)[0] if t.is_number and t.known.size == 1 else None for t in tensors]
        kept = [t for t, number in zip(tensors, numbers) if number is None]
        values = [self.value(t) for t in kept]

        def whole(*arguments):
            rest = iter(arguments[:-1])
            given = [next(rest) if number is None else self.number(number, t.element)
                     for t, number in zip(tensors, numbers)]
            return body(*given)
        result = self.generic(values, [self.map_of(t, shape) for t in kept], self.empty(shape, element),
                              range(len(shape)), len(shape), (), whole)
        return self.made(result, shape)

    def indexed(self, shape, element: str, body) -> Tensor:
        """body(*indices) for each place."""
        def whole(_):
            return body(*map(self.scalars.index, range(len(shape))))
        result = self.generic([], [], self.empty(shape, element), range(len(shape)), len(shape), (), whole)
        return self.made(result, shape)

    def reduce(self, tensor: Tensor, axes, start, body, element: str | None = None) -> Tensor:
        """Folds the dimensions `axes`, which go, by body(number, total); `element` is the total's."""
        element = element or tensor.element
        kept = [i for i in range(tensor.rank) if i not in axes]
        shape = tuple(tensor.shape[i] for i in kept)
        result = self.generic([self.value(tensor)], [range(tensor.rank)], self.zeros(shape, element, start), kept,
                              tensor.rank, axes, body)
        return self.made(result, shape)

    def sum_of_products(self, a: Tensor, b: Tensor, map_a, map_b, shape, loops: int) -> Tensor:
        """Over `loops` dimensions, of which the result has the first; in f32 where elements are narrower floats."""
        wide = {"f16": "f32", "bf16": "f32"}.get(a.element, a.element)

        def body(x, y, total):
            x, y = self.scalars.cast(x, wide), self.scalars.cast(y, wide)
            return self.scalars.add(total, self.scalars.mul(x, y))
        result = self.generic([self.value(a), self.value(b)], [map_a, map_b], self.zeros(shape, wide),
                              range(len(shape)), loops, range(len(shape), loops), body)
        return self.cast(self.made(result, shape), a.element)

    # Ops that many importers need

    def cast(self, tensor: Tensor, element: str) -> Tensor:
        if tensor.element == element:
            return tensor
        if tensor.is_number and element != "bf16" and tensor.element != "bf16":
            return Tensor.of(tensor.elements.astype(NUMPY[element]))
        return self.elementwise([tensor], element, lambda x: self.scalars.cast(x, element))

    def binary(self, name: str, a: Tensor, b: Tensor) -> Tensor:
        return self.elementwise([a, b], a.element, lambda x, y: self.scalars.binary(name, x, y))

    def unary(self, name: str, a: Tensor) -> Tensor:
        return self.elementwise([a], a.element, lambda x: self.scalars.op(name, x))

    def scaled(self, a: Tensor, factor: float) -> Tensor:
        return a if factor == 1 else self.elementwise(
            [a], a.element, lambda x: self.scalars.mul(x, self.scalars.like(factor, x)))
