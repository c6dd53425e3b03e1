# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a model of ONNX: its file, inputs and weights, and its nodes one after the other."""

from __future__ import annotations

import os

import numpy as np
import onnx
import onnx.inliner
import onnx.shape_inference
from onnx import numpy_helper

from .. import ir
from ..errors import CompileError, UnsupportedError
from . import folding, functions, registry
from ..build.emitter import Emitter
from ..build.sizes import Size, Undecided
from ..build.tensors import Tensor, element_of
from .elements import ELEMENTS

#: Of more elements a weight is an argument, and not a part of the program. Integers are often shapes.
KNOWN_FLOATS, KNOWN_INTEGERS = 16, 4096


def load(model) -> onnx.ModelProto:
    """A model with the functions of its own in their places."""
    if not isinstance(model, onnx.ModelProto):
        try:
            model = onnx.load(os.fspath(model))
        except (OSError, ValueError, onnx.checker.ValidationError) as error:
            raise CompileError(f"{model}: is not a model of ONNX: {error}") from error
        except Exception as error:
            if type(error).__name__ != "DecodeError":
                raise
            raise CompileError(f"{model}: is not a model of ONNX: {error}") from error
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    try:
        return onnx.shape_inference.infer_shapes(model, check_type=True)
    except onnx.shape_inference.InferenceError as error:
        raise CompileError(f"the model contradicts itself: {error}") from error
    except (ValueError, RuntimeError):
        return model  # Above 2 GB; what is wrong shows later.


class Reader:
    """One graph as one function. `weights`: the arrays of the arguments behind the model's inputs."""

    def __init__(self, model: onnx.ModelProto, module, shapes, dynamic, file: str | None):
        self.graph, self.file = model.graph, file
        self.opsets = {entry.domain.replace("ai.onnx", "") if entry.domain == "ai.onnx" else entry.domain: entry.version
                       for entry in model.opset_import}
        self.shapes, self.dynamic = shapes or {}, dynamic
        self.builder = ir.Builder(module)
        self.emitter = Emitter(self.builder)
        self.values: dict = {}
        self.weights: dict = {}

    # Inputs

    def _read_initializers(self) -> list:
        """Small ones are known; the names of the others."""
        large = []
        constants = [(i.name, i) for i in self.graph.initializer]
        constants += [(n.output[0], a.t) for n in self.graph.node if n.op_type == "Constant"
                      for a in n.attribute if a.name == "value"]
        for name, tensor in constants:
            array = numpy_helper.to_array(tensor)
            try:
                floats = element_of(array) in ("f32", "f16", "bf16", "f64")
            except StopIteration:
                raise UnsupportedError(f"the weight '{name}' has elements of {array.dtype}; known are "
                                       f"{', '.join(sorted(set(ELEMENTS.values())))}") from None
            if array.size <= (KNOWN_FLOATS if floats else KNOWN_INTEGERS):
                self.values[name] = Tensor.of(array)
            else:
                self.weights[name] = array
                large.append(name)
        return large

    def _input_shape(self, value: onnx.ValueInfoProto) -> tuple:
        if value.type.WhichOneof("value") != "tensor_type":
            raise UnsupportedError(f"input '{value.name}' is no tensor: give its parts as inputs of their own")
        if not value.type.tensor_type.HasField("shape"):
            if value.name in self.shapes:
                return tuple(self.shapes[value.name])
            raise UnsupportedError(f"input '{value.name}' has no number of dimensions: give example inputs")
        given = self.shapes.get(value.name)
        dims = value.type.tensor_type.shape.dim
        if given is not None and len(given) != len(dims):
            raise CompileError(f"input '{value.name}' has {len(dims)} dimensions, the example has {len(given)}")
        return tuple(self._input_size(value.name, i, dim, None if given is None else given[i])
                     for i, dim in enumerate(dims))

    def _input_size(self, name: str, axis: int, dim, given):
        if dim.HasField("dim_value"):
            if given is not None and given != dim.dim_value:
                raise CompileError(f"dimension {axis} of input '{name}' is {dim.dim_value}, the example's is {given}")
            return dim.dim_value
        symbol = dim.dim_param or f"{name}.{axis}"
        stays = self.dynamic is True or (self.dynamic and symbol in self.dynamic)
        return Size.symbol(symbol) if given is None or stays else given

    def _element(self, value: onnx.ValueInfoProto) -> str:
        number = value.type.tensor_type.elem_type
        if number not in ELEMENTS:
            raise UnsupportedError(f"input '{value.name}' has elements of {onnx.TensorProto.DataType.Name(number)}; known "
                                   f"are {', '.join(onnx.TensorProto.DataType.Name(n) for n in ELEMENTS)}")
        return ELEMENTS[number]

    def read(self, name: str) -> None:
        """Writes the function."""
        large = self._read_initializers()
        given = {i.name for i in self.graph.initializer}
        inputs = [i for i in self.graph.input if i.name not in given]
        tensors = [Tensor(self._input_shape(i), self._element(i)) for i in inputs]
        tensors += [Tensor(self.weights[n].shape, element_of(self.weights[n])) for n in large]
        names = [i.name for i in inputs] + large
        self.builder.locate(name, self.file)
        with self.builder.function(name, [t.type for t in tensors], names) as (function, arguments):
            for tensor, label, argument in zip(tensors, names, arguments):
                tensor.value = argument
                self.values[label] = tensor
                for axis, size in enumerate(tensor.shape):
                    if isinstance(size, Size):
                        self.emitter.name_size(size, argument, axis)
            self.read_nodes(self.graph.node, self.values)
            self.builder.end_function(function, [self.emitter.value(self.values[o.name]) for o in self.graph.output])
        self.builder.verify()

    # Nodes

    def read_nodes(self, nodes, values: dict) -> None:
        for number, node in enumerate(nodes):
            if node.op_type == "Constant" and node.output[0] in values:
                continue
            if self.file and nodes is self.graph.node:
                self.builder.locate(node.name or node.output[0], self.file, number + 1)
            inputs = [values[name] if name else None for name in node.input]
            for label, result in zip(node.output, self.read_node(node, inputs, values)):
                if label and result is not None:
                    values[label] = result

    def read_node(self, node: onnx.NodeProto, inputs, values: dict) -> list:
        """The node's results: folded, by the table, or by the body that ONNX gives the op."""
        opset = self.opsets.get(node.domain, self.opsets.get("", 1))
        op = registry.Op(node, inputs, self.emitter, opset)
        try:
            if node.op_type == "If" and not node.domain:
                return self.read_branch(op, values)
            folded = folding.fold(op, self.opsets)
            if folded is not None:
                return folded
            function = registry.find(node.domain, node.op_type)
            if function:
                results = function(op)
                op.check_read()
                return results if isinstance(results, list) else [results]
            return functions.expand(self, op)
        except Undecided as error:
            raise op.error(f"a choice depends on a size: {error}", "make that size static") from error
        except ValueError as error:
            raise op.error(str(error)) from error

    def read_branch(self, op: registry.Op, values: dict) -> list:
        condition = op.input(0)
        if not condition.is_number:
            raise op.error("the condition is computed from the values of inputs", "take the branch that is wanted")
        branch = op.node.attribute[[a.name for a in op.node.attribute].index(
            "then_branch" if condition.elements.reshape(-1)[0] else "else_branch")].g
        inner = dict(values)
        inner.update({i.name: Tensor.of(numpy_helper.to_array(i)) for i in branch.initializer})
        self.read_nodes(branch.node, inner)
        return [inner[output.name] for output in branch.output]


def input_names(proto: onnx.ModelProto) -> list[str]:
    """Without those that have a weight as their default."""
    weights = {i.name for i in proto.graph.initializer}
    return [i.name for i in proto.graph.input if i.name not in weights]


def build_module(proto: onnx.ModelProto, file: str | None, shapes, dynamic, name: str, compiler=None):
    """Of a model that `load` gave."""
    module = ir.create(file or proto.graph.name or "model.onnx", compiler)
    reader = Reader(proto, module, shapes, dynamic, file)
    reader.read(name)
    module.weights = {label: np.ascontiguousarray(array) for label, array in reader.weights.items()}
    return module


def import_model(model, *, shapes=None, dynamic=None, name: str = "main", compiler=None):
    """A model of ONNX, or the path of one, as an `attn.Module` with the function `name`.

    shapes: by the names of inputs, sizes for the dimensions that the model leaves open. dynamic: what stays open all the
    same: True, or a set of the model's names of dimensions; without `shapes` all do.

    The function takes the model's inputs, then its larger weights, which are in `module.weights`, in their order.
    Raises CompileError for files that are no models, UnsupportedError for ops that the importer does not know.
    """
    return build_module(load(model), name_file(model), shapes, dynamic, name, compiler)


def name_file(model) -> str | None:
    """Where a model lies; None for one in memory."""
    return None if isinstance(model, onnx.ModelProto) else os.fspath(model)
