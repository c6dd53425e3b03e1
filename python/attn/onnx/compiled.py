# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`attn.compile` of models of ONNX."""

from __future__ import annotations

import os
from typing import Any

import onnx

from ..compiled import Compiled, Source
from ..module import Options
from .model import import_model, load


def _input_names(proto: onnx.ModelProto) -> list[str]:
    weights = {i.name for i in proto.graph.initializer}
    return [i.name for i in proto.graph.input if i.name not in weights]


def _shapes(proto: onnx.ModelProto, examples: Any) -> dict | None:
    """Of example inputs: a dictionary by names, one array, or a tuple of them."""
    if examples is None:
        return None
    if not isinstance(examples, dict):
        examples = dict(zip(_input_names(proto), examples if isinstance(examples, (tuple, list)) else (examples,)))
    return {name: tuple(int(n) for n in array.shape) for name, array in examples.items()}


def compile(model: Any, example_inputs: Any = None, *, dynamic: Any = None, options: Options = Options(),
            cache: bool = True, on_progress: Any = None) -> Compiled:
    """A model of ONNX, or the path of one, as a function of its inputs, in their order.

    example_inputs: arrays, by name or in order, whose shapes the kernel is made for. dynamic: sizes that stay open all
    the same: True, or names of dimensions; without examples all that the model leaves open do.

    Larger weights are arguments of the kernel that are bound already. Raises UnsupportedError for ops that are not of
    docs/ONNX.md, with the node's name.
    """
    proto = load(model)
    name = "<onnx>" if isinstance(model, onnx.ModelProto) else os.fspath(model)
    module = import_model(proto, shapes=_shapes(proto, example_inputs), dynamic=dynamic)
    compiled = Compiled(Source(module.print("bytecode"), name, on_progress), options, cache)
    first = len(_input_names(proto))
    compiled.bind({first + i: array for i, array in enumerate(module.weights.values())})
    return compiled
