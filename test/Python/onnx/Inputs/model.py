# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the snippet of docs/ONNX.md is shown without: weights by keys, hidden where the mask says so."""

import numpy as np
import onnx
from onnx import TensorProto, helper

sizes = ["batch", "length", 8]
nodes = [helper.make_node("MatMul", ["x", "weight"], ["scores"]),
         helper.make_node("Where", ["mask", "scores", "low"], ["shown"]),
         helper.make_node("Softmax", ["shown"], ["y"], axis=-1)]
graph = helper.make_graph(
    nodes, "model",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes), helper.make_tensor_value_info("mask", TensorProto.BOOL, sizes)],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, sizes)],
    [onnx.numpy_helper.from_array(np.eye(8, dtype=np.float32), "weight"),
     onnx.numpy_helper.from_array(np.float32(-1e9), "low")])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), "model.onnx")
x, mask = np.ones((2, 5, 8), np.float32), np.ones((2, 5, 8), bool)
