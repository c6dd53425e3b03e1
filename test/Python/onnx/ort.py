# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One node as a model, run by onnxruntime and by attn.onnx."""

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import attn

MICROSOFT = "com.microsoft"
_TYPES = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "int32": TensorProto.INT32,
          "int64": TensorProto.INT64, "bool": TensorProto.BOOL}


def make_model(op, inputs, outputs, constants=(), domain=MICROSOFT, **attributes):
    """inputs: names with arrays, in order, None where one is left out; those in `constants` are initializers."""
    given = {name: array for name, array in inputs.items() if array is not None}
    names = [name if array is not None else "" for name, array in inputs.items()]
    while names[-1] == "":
        names.pop()
    node = helper.make_node(op, names, outputs, name="node", domain=domain, **attributes)
    first = next(iter(given.values()))
    graph = helper.make_graph(
        [node], "graph",
        [helper.make_tensor_value_info(n, _TYPES[a.dtype.name], a.shape) for n, a in given.items() if n not in constants],
        [helper.make_tensor_value_info(n, _TYPES[first.dtype.name], None) for n in outputs if n],
        [onnx.numpy_helper.from_array(given[n], n) for n in constants])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)])
    model.ir_version = 10
    return model, {name: array for name, array in given.items() if name not in constants}


def run_both(model, feeds):
    """Results of both, as lists."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    wanted = session.run(None, feeds)
    got = attn.compile(model, cache=False)(*feeds.values())
    return list(got) if isinstance(got, tuple) else [got], wanted


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)
