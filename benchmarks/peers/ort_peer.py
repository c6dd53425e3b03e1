# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime on the CPU: MultiHeadAttention, and GroupQueryAttention, which is
causal and has softmax1 as `smooth_softmax`."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

from protocol import serve

FLOAT, INT32 = TensorProto.FLOAT, TensorProto.INT32


def session(case, nodes, inputs, outputs):
    graph = helper.make_graph(nodes, "attention", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20),
                                                    helper.make_opsetid("com.microsoft", 1)])
    model.ir_version = 11
    options = ort.SessionOptions()
    options.intra_op_num_threads = case["threads"]
    options.log_severity_level = 3
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def packed(case, rows):
    """[B, rows, H * d], the layout these operators take."""
    return [case["B"], case[rows], case["H"] * case["d"]]


def random_inputs(case):
    rng = np.random.default_rng(0)
    return {name: rng.standard_normal(packed(case, rows)).astype(np.float32)
            for name, rows in (("q", "M"), ("k", "N"), ("v", "N"))}


def info(name, shape, element=FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def mha(case):
    node = helper.make_node("MultiHeadAttention", ["q", "k", "v"], ["o"], domain="com.microsoft",
                            num_heads=case["H"])
    run = session(case, [node], [info("q", packed(case, "M")), info("k", packed(case, "N")),
                                 info("v", packed(case, "N"))], [info("o", packed(case, "M"))])
    feed = random_inputs(case)
    return lambda: run.run(None, feed)


def gqa(case, smooth=0):
    heads, rows, dim = case["H"], case["N"], case["d"]
    node = helper.make_node("GroupQueryAttention", ["q", "k", "v", "pk", "pv", "sl", "tl"],
                            ["o", "pko", "pvo"], domain="com.microsoft", num_heads=heads,
                            kv_num_heads=heads, smooth_softmax=smooth)
    empty, full = [1, heads, 0, dim], [1, heads, rows, dim]
    inputs = [info(n, packed(case, "N")) for n in "qkv"]
    inputs += [info("pk", empty), info("pv", empty), info("sl", [1], INT32), info("tl", [1], INT32)]
    run = session(case, [node], inputs, [info("o", packed(case, "N")), info("pko", full), info("pvo", full)])
    feed = random_inputs(case)
    feed.update(pk=np.zeros(empty, np.float32), pv=np.zeros(empty, np.float32),
                sl=np.array([rows - 1], np.int32), tl=np.array([rows], np.int32))
    return lambda: run.run(None, feed)


if __name__ == "__main__":
    serve({"ort-mha": mha, "ort-gqa": gqa, "ort-gqa-smooth": lambda case: gqa(case, smooth=1)})
