# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on numbers, for the bodies of structured ops: arith and math by the type of their operands."""

from __future__ import annotations

import math

from .. import ir
from .tensors import is_float

#: arith.cmpi and arith.cmpf number their predicates.
_INTEGER_ORDER = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}
_FLOAT_ORDER = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5, "ne": 13}
_WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
_NAMES = {"add": ("addi", "addf"), "sub": ("subi", "subf"), "mul": ("muli", "mulf"), "div": ("divsi", "divf"),
          "max": ("maxsi", "maximumf"), "min": ("minsi", "minimumf"), "rem": ("remsi", "remf")}


def number_text(number, element: str) -> str:
    """A constant's attribute."""
    if element == "i1":
        return "true" if number else "false"
    if not is_float(element):
        return f"{int(number)} : {element}"
    number = float(number)
    if math.isfinite(number):
        return f"{number:.17e} : {element}"
    patterns = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}
    bits = patterns[element]
    if number != number:
        bits |= bits >> 1
    elif number < 0:
        bits |= 1 << (_WIDTHS[element] - 1)
    return f"0x{bits:X} : {element}"


class Scalars:
    """Ops on numbers, written where `builder` stands."""

    def __init__(self, builder: ir.Builder):
        self.builder = builder

    def constant(self, number, element: str) -> ir.Value:
        return self.builder.one("arith.constant", [], element, {"value": number_text(number, element)})

    def like(self, number, value: ir.Value) -> ir.Value:
        return self.constant(number, value.element)

    def binary(self, name: str, a: ir.Value, b: ir.Value) -> ir.Value:
        """add, sub, mul, div (towards 0), max, min or rem; of booleans max is `or`, min and mul are `and`."""
        if a.type == "i1":
            word = {"max": "ori", "add": "ori", "min": "andi", "mul": "andi"}[name]
        else:
            word = _NAMES[name][is_float(a.element)]
        return self.builder.one("arith." + word, [a, b], a.type)

    def add(self, a, b):
        return self.binary("add", a, b)

    def sub(self, a, b):
        return self.binary("sub", a, b)

    def mul(self, a, b):
        return self.binary("mul", a, b)

    def div(self, a, b):
        return self.binary("div", a, b)

    def index(self, loop: int) -> ir.Value:
        """Of a loop, in the body of a linalg.generic."""
        return self.builder.one("linalg.index", [], "index", {"dim": ir.i64(loop)})

    def op(self, name: str, *operands) -> ir.Value:
        """One whose result has its operands' type: `math.exp`, `arith.andi`."""
        return self.builder.one(name, list(operands), operands[0].type)

    def compare(self, order: str, a, b) -> ir.Value:
        """eq, ne, lt, le, gt, ge; comparisons with NaN are false, but for ne."""
        kind, orders = ("cmpf", _FLOAT_ORDER) if is_float(a.type) else ("cmpi", _INTEGER_ORDER)
        predicate = orders[order]
        if a.type == "i1" and kind == "cmpi" and predicate > 1:
            predicate += 4  # Unsigned: true is 1.
        return self.builder.one("arith." + kind, [a, b], "i1", {"predicate": ir.i64(predicate)})

    def select(self, condition, a, b) -> ir.Value:
        return self.builder.one("arith.select", [condition, a, b], a.type)

    def cast(self, value: ir.Value, element: str) -> ir.Value:
        """Floats to integers go towards 0; what is not 0 is true."""
        source = value.element
        if source == element:
            return value
        if element == "i1":
            return self.compare("ne", value, self.like(0, value))
        wider = _WIDTHS[element] > _WIDTHS[source]
        if is_float(source) and is_float(element):
            if _WIDTHS[element] == _WIDTHS[source]:
                return self.cast(self.cast(value, "f32"), element)
            name = "extf" if wider else "truncf"
        elif is_float(source):
            name = "fptosi"
        elif is_float(element):
            if source == "index":
                return self.cast(self.cast(value, "i64"), element)
            name = "uitofp" if source == "i1" else "sitofp"
        elif "index" in (source, element):
            name = "index_castui" if source == "i1" else "index_cast"
        elif wider:
            name = "extui" if source == "i1" else "extsi"
        else:
            name = "trunci"
        return self.builder.one("arith." + name, [value], element)

    def extract(self, tensor: ir.Value, indices) -> ir.Value:
        """An element of a tensor at places of type index."""
        return self.builder.one("tensor.extract", [tensor, *indices], tensor.element)
