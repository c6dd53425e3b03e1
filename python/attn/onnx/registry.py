# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table from ops to the functions that import them, and what such a function is given."""

from __future__ import annotations

import onnx
from onnx import numpy_helper

from ..errors import UnsupportedError
from ..build.emitter import Emitter
from ..build.tensors import Tensor

#: Other names of ONNX's own domain.
_DOMAINS = {"ai.onnx": "", "ai.onnx.ml": "ai.onnx.ml"}

#: Attributes that say how, not what, to compute.
_WITHOUT_MEANING = {"stash_type", "consumed_inputs", "is_test", "doc_string", "saturate", "seed"}

_TABLE: dict = {}


def op(*names: str, domain: str = ""):
    """Registers a function of an Op for ops of these names. It returns a Tensor, or a list of them, None for an output
    that is not made."""
    def register(function):
        for name in names:
            _TABLE[domain, name] = function
        return function
    return register


def find(domain: str, name: str):
    return _TABLE.get((_DOMAINS.get(domain, domain), name))


def supported() -> dict:
    """Names by domain."""
    result: dict = {}
    for domain, name in sorted(_TABLE):
        result.setdefault(domain, []).append(name)
    return result


class Op:
    """A node of the graph: attributes and inputs by what the importer knows of them."""

    def __init__(self, node: onnx.NodeProto, inputs, emitter: Emitter, opset: int):
        self.node, self.inputs, self.emitter, self.opset = node, inputs, emitter, opset
        self._attributes = {a.name: a for a in node.attribute}
        self._read: set = set()

    def attribute(self, name: str, default=None):
        """A number, text, list, or array."""
        self._read.add(name)
        if name not in self._attributes:
            return default
        value = onnx.helper.get_attribute_value(self._attributes[name])
        if isinstance(value, bytes):
            return value.decode()
        return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value

    def check_read(self) -> None:
        """An attribute that no one has looked at may mean something."""
        unread = sorted(set(self._attributes) - self._read - _WITHOUT_MEANING)
        unread = [name for name in unread if not self._is_default(name)]
        if unread:
            raise self.error(f"its attribute{'s' if len(unread) > 1 else ''} {', '.join(unread)} are not known",
                             "export for an older opset")

    def _is_default(self, name: str) -> bool:
        try:
            schema = onnx.defs.get_schema(self.node.op_type, self.opset, self.node.domain)
        except onnx.defs.SchemaError:
            return False
        default = schema.attributes[name].default_value if name in schema.attributes else None
        return default is not None and default.type != 0 and onnx.helper.get_attribute_value(
            default) == onnx.helper.get_attribute_value(self._attributes[name])

    def optional(self, index: int) -> Tensor | None:
        """An input; None where it is left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def input(self, index: int) -> Tensor:
        """An input that has to be there."""
        tensor = self.optional(index)
        if tensor is None:
            raise self.error(f"its input {index} is left out, which the op has to have", "run onnx.checker on the model")
        return tensor

    def wants(self, index: int) -> bool:
        """Whether an output is used by anyone."""
        return index < len(self.node.output) and bool(self.node.output[index])

    def numbers(self, index: int, name: str):
        """The elements of an input that has to be known, as numbers and Sizes."""
        tensor = self.input(index)
        if tensor.known is None:
            raise self.error(f"its input {name} is computed from the values of inputs",
                             "make it a constant, or a function of shapes")
        return list(tensor.known.reshape(-1))

    def axis(self, rank: int, number=None) -> int:
        """From the front."""
        number = self.attribute("axis", 0) if number is None else number
        return int(number) + rank if number < 0 else int(number)

    def error(self, what: str, remedy: str = "") -> UnsupportedError:
        return unsupported(self.node, self.opset, what, remedy)


def unsupported(node: onnx.NodeProto, opset: int, what: str, remedy: str = "") -> UnsupportedError:
    """An error that names the node, the op, its opset and what would help."""
    domain = f"{node.domain}." if node.domain else ""
    label = f"node '{node.name}'" if node.name else f"the node of '{node.output[0]}'"
    text = f"{label}, {domain}{node.op_type} of opset {opset}: {what}"
    return UnsupportedError(text + (f"; {remedy}" if remedy else ""), op=domain + node.op_type, source=node.name or None)
