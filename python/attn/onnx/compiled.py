# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`attn.compile` of models of ONNX."""

from __future__ import annotations

from typing import Any

import onnx

from ..compiled import Compiled, Source
from ..module import Options
from .model import build_module, input_names, load, name_file


def _shapes(proto: onnx.ModelProto, examples: Any) -> dict | None:
    """Of example inputs: a dictionary by names, one array, or a tuple of them."""
    if examples is None:
        return None
    if not isinstance(examples, dict):
        examples = dict(zip(input_names(proto), examples if isinstance(examples, (tuple, list)) else (examples,)))
    return {name: tuple(int(n) for n in array.shape) for name, array in examples.items()}


def compile(model: Any, example_inputs: Any = None, *, dynamic: Any = None, options: Options = Options(),
            cache: bool = True, on_progress: Any = None) -> Compiled:
    """A model of ONNX, or the path of one, as a function of its inputs, in their order.

    example_inputs: arrays, by name or in order, whose shapes the kernel is made for. dynamic: sizes that stay open all
    the same: True, or names of dimensions; without examples all that the model leaves open do.

    Larger weights are arguments of the kernel that are bound already. Raises UnsupportedError for ops that are not of
    docs/ONNX.md, with the node's name.
    """
    proto, file = load(model), name_file(model)
    module = build_module(proto, file, _shapes(proto, example_inputs), dynamic, "main")
    compiled = Compiled(Source(module.print("bytecode"), file or "<onnx>", on_progress), options, cache)
    first = len(input_names(proto))
    compiled.bind({first + i: array for i, array in enumerate(module.weights.values())})
    return compiled
