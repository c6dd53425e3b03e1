# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of ONNX with smooth softmax: GroupQueryAttention as onnxruntime has it, with its cache, for any batch and length.

Needs the onnx package; with onnxruntime its results are compared.
"""

import numpy as np
from onnx import TensorProto, helper

import attn

HEADS, KEY_HEADS, DIM, PAST = 8, 2, 64, 48


def make_model(smooth):
    """One row of each text goes behind a cache of PAST rows."""
    tensor = helper.make_tensor_value_info
    cache = ["batch", KEY_HEADS, PAST, DIM]
    node = helper.make_node("GroupQueryAttention", ["query", "key", "value", "past_key", "past_value", "lengths", "total"],
                            ["y", "present_key", "present_value"], domain="com.microsoft", num_heads=HEADS,
                            kv_num_heads=KEY_HEADS, smooth_softmax=smooth)
    inputs = [tensor("query", TensorProto.FLOAT, ["batch", 1, HEADS * DIM]),
              *(tensor(name, TensorProto.FLOAT, ["batch", 1, KEY_HEADS * DIM]) for name in ("key", "value")),
              *(tensor(name, TensorProto.FLOAT, cache) for name in ("past_key", "past_value")),
              tensor("lengths", TensorProto.INT32, ["batch"])]
    graph = helper.make_graph([node], "decode", inputs, [tensor("y", TensorProto.FLOAT, ["batch", 1, HEADS * DIM])],
                              [helper.make_tensor("total", TensorProto.INT32, [1], [PAST])])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def run_onnxruntime(model, names, arrays):
    try:
        import onnxruntime
    except ImportError:
        return None
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip(names, arrays)))[0]


rng = np.random.default_rng(0)
draw = lambda *shape: rng.standard_normal(shape).astype(np.float32)
lengths = np.array([0, 7, PAST - 1], np.int32)  # Of rows in front of the new one.
arrays = [draw(3, 1, HEADS * DIM), draw(3, 1, KEY_HEADS * DIM), np.ones((3, 1, KEY_HEADS * DIM), np.float32),
          draw(3, KEY_HEADS, PAST, DIM), np.ones((3, KEY_HEADS, PAST, DIM), np.float32), lengths]
# With values of 1 the output is the sum of the weights.
for smooth in (0, 1):
    model = make_model(smooth)
    f = attn.compile(model)
    y = f(*arrays)
    print(f"smooth_softmax={smooth}: sums of weights", *(f"{y[b].mean():.3f}" for b in range(3)))
    theirs = run_onnxruntime(model, [i.name for i in model.graph.input], arrays)
    if theirs is not None:
        print("  error against onnxruntime:", np.abs(y - theirs).max())
print(next(line for line in f.source().splitlines() if "attn.attention" in line))
