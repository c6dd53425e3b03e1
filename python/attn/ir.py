# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules made op by op: include/attn-c/build.h.

    builder = ir.Builder(module)
    x = ir.TensorType((4, 8), "f32")
    with builder.function("twice", [x], ["x"]) as (function, (argument,)):
        total = builder.one("arith.addf", [argument, argument], x)
        builder.end_function(function, [total])

Types are `TensorType`s, or the text of a scalar's type. Attributes are text as MLIR has it, or arrays of NumPy, which
become the elements of a constant.
"""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from typing import NamedTuple

import numpy as np

from . import _capi

_OUT = POINTER(c_void_p)
_FUNCTIONS = {
    "attn_type_parse": (c_int, c_void_p, c_char_p, _OUT),
    "attn_attribute_parse": (c_int, c_void_p, c_char_p, _OUT),
    "attn_attribute_elements": (c_int, c_void_p, c_void_p, c_void_p, c_size_t, _OUT),
    "attn_module_create": (c_int, c_void_p, c_char_p, _OUT),
    "attn_module_verify": (c_int, c_void_p),
    "attn_builder_create": (c_int, c_void_p, _OUT),
    "attn_builder_destroy": (None, c_void_p),
    "attn_builder_locate": (c_int, c_void_p, c_char_p, c_char_p, c_uint32, c_uint32),
    "attn_builder_add": (c_int, c_void_p, c_void_p, _OUT),
    "attn_builder_set": (c_int, c_void_p, c_void_p, c_char_p, c_void_p),
    "attn_builder_enter": (c_int, c_void_p, c_void_p, c_size_t, _OUT, POINTER(c_char_p), c_size_t, _OUT),
    "attn_builder_leave": (c_int, c_void_p),
    "attn_op_result": (c_void_p, c_void_p, c_size_t),
}


class _Description(Structure):
    """attn_op_description."""

    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("operands", _OUT), ("operand_count", c_size_t),
                ("result_types", _OUT), ("result_count", c_size_t), ("attribute_names", POINTER(c_char_p)),
                ("attributes", _OUT), ("attribute_count", c_size_t), ("region_count", c_size_t)]


class TensorType(NamedTuple):
    """A ranked tensor. A size that is not known is None."""

    shape: tuple
    element: str

    def __str__(self):
        return "tensor<" + "".join("?x" if n is None else f"{n}x" for n in self.shape) + self.element + ">"


class Value(NamedTuple):
    """What an op gives, or an argument of a block."""

    handle: int
    type: TensorType | str

    @property
    def element(self) -> str:
        """Of a number its type, of a tensor that of its elements."""
        return self.type if isinstance(self.type, str) else self.type.element


class Op(NamedTuple):
    handle: int
    results: tuple


def string(text: str) -> str:
    """The attribute that holds `text`."""
    escape = lambda c: "".join(f"\\{byte:02X}" for byte in c.encode())
    return '"' + "".join(c if c.isalnum() and c.isascii() or c in "_-./:" else escape(c) for c in text) + '"'


def i64(number: int) -> str:
    return f"{int(number)} : i64"


def f64(number: float) -> str:
    """Its bits, so that nothing is lost on the way."""
    return f"0x{int(np.float64(number).view(np.uint64)):016X} : f64"


def i64s(numbers) -> str:
    return f"array<i64{':' if len(numbers) else ''} {', '.join(str(int(n)) for n in numbers)}>"


def segments(*counts: int) -> str:
    """operandSegmentSizes: how many operands each of an op's groups has."""
    return f"array<i32: {', '.join(str(int(n)) for n in counts)}>"


def array(texts) -> str:
    return "[" + ", ".join(texts) + "]"


def affine_map(dims: int, results) -> str:
    """Of numbers of dimensions, or text such as `d1 floordiv 2`."""
    names = ", ".join(f"d{i}" for i in range(dims))
    words = ", ".join(r if isinstance(r, str) else f"d{r}" for r in results)
    return f"affine_map<({names}) -> ({words})>"


def function_type(inputs, results) -> str:
    return f"({', '.join(map(str, inputs))}) -> ({', '.join(map(str, results))})"


def _pointers(handles):
    return (c_void_p * len(handles))(*handles)


def _texts(names):
    return (c_char_p * len(names))(*[None if name is None else name.encode() for name in names])


def _library():
    library = _capi.lib()
    if not getattr(library, "attn_knows_build", False):
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        library.attn_knows_build = True
    return library


class Builder:
    """Writes ops at the end of a module, or of the region that was entered last."""

    def __init__(self, module):
        """module: an attn.Module."""
        self.module = module
        self._library = _library()
        self._parsed = {}
        self._handle = None
        self._handle = self._make("attn_builder_create", module.handle)

    def __del__(self):
        if getattr(self, "_handle", None):
            self._library.attn_builder_destroy(self._handle)

    def _call(self, name, *arguments):
        self.module.compiler.check(getattr(self._library, name), *arguments)

    def _make(self, name, *arguments):
        return self.module.compiler.make(getattr(self._library, name), *arguments)

    def _parse(self, function, text):
        key = function, text
        if key not in self._parsed:
            self._parsed[key] = self._make(function, self._handle, text.encode()).value
        return self._parsed[key]

    def type(self, of) -> int:
        return self._parse("attn_type_parse", str(of))

    def attribute(self, of) -> int:
        return self.elements(*of) if isinstance(of, tuple) else self._parse("attn_attribute_parse", of)

    def elements(self, type: TensorType, numbers: np.ndarray) -> int:
        """The attribute of a constant tensor; one number may stand for all."""
        numbers = np.ascontiguousarray(numbers)
        return self._make("attn_attribute_elements", self._handle, self.type(type),
                          numbers.ctypes.data_as(c_void_p), numbers.nbytes).value

    def add(self, name: str, operands=(), results=(), attributes=None, regions: int = 0) -> Op:
        """An op by name. `attributes`: text, or a pair of TensorType and array for elements.

        Raises CompileError where the op does not exist or refuses what it is given."""
        attributes = attributes or {}
        description = _Description(
            ctypes.sizeof(_Description), name.encode(), _pointers([v.handle for v in operands]), len(operands),
            _pointers([self.type(t) for t in results]), len(results), _texts(list(attributes)),
            _pointers([self.attribute(a) for a in attributes.values()]), len(attributes), regions)
        op = self._make("attn_builder_add", self._handle, ctypes.byref(description))
        made = [Value(self._library.attn_op_result(op, i), t) for i, t in enumerate(results)]
        return Op(op.value, tuple(made))

    def one(self, name: str, operands, result, attributes=None) -> Value:
        """An op with one result."""
        return self.add(name, operands, [result], attributes).results[0]

    @contextlib.contextmanager
    def region(self, op: Op, index: int, types, names=None):
        """Ops go into a region of `op`, which is empty; gives the arguments of its block."""
        out = _pointers([None] * len(types))
        self._call("attn_builder_enter", self._handle, op.handle, index, _pointers([self.type(t) for t in types]),
                   _texts(names) if names else None, len(types), out)
        yield tuple(Value(handle, type) for handle, type in zip(out, types))
        self._call("attn_builder_leave", self._handle)

    def locate(self, name: str | None = None, file: str | None = None, line: int = 0, column: int = 0) -> None:
        """What messages about the ops that follow point at."""
        encode = lambda text: None if text is None else text.encode()
        self._call("attn_builder_locate", self._handle, encode(name), encode(file), line, column)

    @contextlib.contextmanager
    def function(self, name: str, inputs, names=None):
        """A public function, in whose body ops go. Its results are stated by `end_function`."""
        attributes = {"sym_name": string(name), "function_type": function_type(inputs, [])}
        op = self.add("func.func", attributes=attributes, regions=1)
        with self.region(op, 0, inputs, names) as arguments:
            self._inputs = inputs
            yield op, arguments

    def end_function(self, function: Op, results) -> None:
        """Returns `results` from the function whose body is being written."""
        text = function_type(self._inputs, [value.type for value in results])
        self._call("attn_builder_set", self._handle, function.handle, b"function_type", self.attribute(text))
        self.add("func.return", results)

    def verify(self) -> None:
        """Raises CompileError where an op of the module breaks a rule."""
        self._call("attn_module_verify", self.module.handle)


def create(name: str, compiler=None):
    """A module without ops, as attn.Module; `name` is what messages call its file."""
    from .compiler import Compiler
    from .module import Module
    compiler = compiler or Compiler()
    return Module(compiler, compiler.make(_library().attn_module_create, compiler.handle, name.encode()))
