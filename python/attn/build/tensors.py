# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tensor of a program that is being built, as far as it is known, and how NumPy names its elements."""

from __future__ import annotations

import dataclasses

import numpy as np

from .. import ir
from .sizes import Size, is_static

#: What MLIR calls elements, and what NumPy does.
NUMPY = {"f32": np.float32, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "i1": np.bool_,
         "f16": np.float16, "f64": np.float64}


def is_float(element: str) -> bool:
    return element in ("f32", "f16", "f64", "bf16")


def element_of(array: np.ndarray) -> str:
    """What MLIR calls the elements; arrays of sizes are i64."""
    if array.dtype == object:
        return "i64"
    if array.dtype.name == "bfloat16":
        return "bf16"
    return next(name for name, dtype in NUMPY.items() if array.dtype == dtype)


@dataclasses.dataclass
class Tensor:
    """shape: numbers and Sizes. known: its elements, where the importer computes them (an array of `object` has Sizes
    among them). value: what the program computes; made on demand where the elements are known."""

    shape: tuple
    element: str
    known: np.ndarray | None = None
    value: ir.Value | None = None

    @staticmethod
    def of(array) -> "Tensor":
        """Of an array that the importer knows."""
        array = np.asarray(array)
        return Tensor(array.shape, element_of(array), known=array)

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def type(self) -> ir.TensorType:
        return ir.TensorType(tuple(None if isinstance(n, Size) else int(n) for n in self.shape), self.element)

    @property
    def elements(self) -> np.ndarray:
        """Of a tensor that the importer knows."""
        assert self.known is not None
        return self.known

    @property
    def is_static(self) -> bool:
        return is_static(self.shape)

    @property
    def is_number(self) -> bool:
        """Its elements are known, and none is a Size."""
        return self.known is not None and self.known.dtype != object

    def __repr__(self):
        return f"{self.element}[{', '.join(map(str, self.shape))}]"
