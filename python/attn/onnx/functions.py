# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that ONNX itself says the meaning of, as a function of other ops."""

from __future__ import annotations

import copy
from typing import Any

import onnx

from .registry import Op, unsupported
from .elements import ELEMENTS

_NUMBERS = {element: number for number, element in ELEMENTS.items()}


def _body(op: Op):
    """The FunctionProto, or None."""
    node = op.node
    try:
        schema: Any = onnx.defs.get_schema(node.op_type, op.opset, node.domain)
    except onnx.defs.SchemaError:
        return None
    if schema.has_function:
        return schema.function_body
    if not schema.has_context_dependent_function:
        return None
    types = []
    for tensor in op.inputs:
        type = onnx.TypeProto()
        if tensor is not None:
            type = onnx.helper.make_tensor_type_proto(
                _NUMBERS[tensor.element], [n if isinstance(n, int) else None for n in tensor.shape])
        types.append(type.SerializeToString())
    text = schema.get_context_dependent_function(node.SerializeToString(), types)
    if not text:
        return None
    body = onnx.FunctionProto()
    body.ParseFromString(text)
    return body


def _bind_attributes(node: onnx.NodeProto, given: dict) -> onnx.NodeProto:
    """With the op's attributes in place of references to them."""
    bound = copy.deepcopy(node)
    del bound.attribute[:]
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            bound.attribute.append(attribute)
        elif attribute.ref_attr_name in given:
            value = copy.deepcopy(given[attribute.ref_attr_name])
            value.name = attribute.name
            bound.attribute.append(value)
    return bound


def expand(reader, op: Op) -> list:
    body = _body(op)
    if body is None:
        known = "its op is not one of docs/ONNX.md"
        if not op.node.domain and onnx.defs.has(op.node.op_type):
            raise unsupported(op.node, op.opset, known, "write it by those, or compile the part of the model without it")
        raise unsupported(op.node, op.opset, known, "export the model without this custom op")
    given = {a.name: a for a in onnx.defs.get_schema(op.node.op_type, op.opset, op.node.domain).attributes.values()}
    defaults = {name: a.default_value for name, a in given.items() if a.default_value.type}
    attributes = {**defaults, **{a.name: a for a in body.attribute_proto}, **{a.name: a for a in op.node.attribute}}
    values = dict(zip(body.input, op.inputs))
    for name in body.input[len(op.inputs):]:
        values[name] = None
    saved, opsets = reader.opsets, {o.domain: o.version for o in body.opset_import}
    reader.opsets = {**saved, **opsets}
    try:
        reader.read_nodes([_bind_attributes(node, attributes) for node in body.node], values)
    finally:
        reader.opsets = saved
    return [values.get(name) for name in body.output]


