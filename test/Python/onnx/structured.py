# REQUIRES: onnxruntime
# RUN: %attn-frameworks %s
"""Convolutions, the largest elements, and writes to computed places equal onnxruntime's, also at sizes that stay open."""

import numpy as np
import onnx
from onnx import TensorProto, helper
from ort import floats, make_model, run_both

import attn

rng = np.random.default_rng(5)


def check(op, inputs, outputs=("y",), constants=(), atol=2e-5, **attributes):
    got, wanted = run_both(*make_model(op, inputs, list(outputs), constants, domain="", **attributes))
    for ours, theirs in zip(got, wanted, strict=True):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, (op, ours.shape, theirs.shape)
        np.testing.assert_allclose(ours, theirs, atol=atol, rtol=1e-5, err_msg=f"{op} {attributes}")
    print(op, [list(a.shape) for a in inputs.values()], attributes)


# Any rank, strides, dilations, groups, each kind of padding.
for spatial, kernel, attributes in (
        ((17,), (3,), {"strides": [2], "pads": [1, 2]}),
        ((9, 11), (3, 2), {"strides": [2, 3], "dilations": [2, 1], "pads": [1, 0, 2, 3]}),
        ((9, 11), (3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        ((9, 12), (4, 3), {"auto_pad": "SAME_LOWER", "kernel_shape": [4, 3]}),
        ((8, 7), (2, 2), {"auto_pad": "VALID"}),
        ((5, 4, 6), (2, 1, 3), {})):
    for group, channels, filters in ((1, 3, 5), (2, 4, 6), (4, 4, 4)):
        check("Conv", {"x": floats(rng, 2, channels, *spatial), "w": floats(rng, filters, channels // group, *kernel),
                       "b": floats(rng, filters)}, constants=("w", "b"), group=group, **attributes)
check("Conv", {"x": floats(rng, 1, 2, 6), "w": floats(rng, 3, 2, 6)})

# Equal elements in the order in which they stand; both directions, any dimension.
ties = rng.integers(0, 4, (3, 7, 2)).astype(np.float32)
for x in (floats(rng, 3, 7, 2), ties):
    for axis in (0, 1, -1):
        for largest in (0, 1):
            names, k = ("y", ""), np.array([min(2, x.shape[axis])])
            model, feeds = make_model("TopK", {"x": x, "k": k}, ["y", "i"], ("k",), "", axis=axis, largest=largest)
            model.graph.output[1].type.tensor_type.elem_type = TensorProto.INT64
            got, wanted = run_both(model, feeds)
            assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(got, wanted, strict=True)), (axis, largest)

# Places that repeat, places from the end, each reduction.
data, rows = floats(rng, 6, 5, 3), np.array([[1, 4], [-1, 0], [1, 4]])
for reduction in ("none", "add", "mul", "max", "min"):
    check("ScatterND", {"x": data, "i": rows, "u": floats(rng, 3, 3)}, constants=("i",), reduction=reduction)
    check("ScatterND", {"x": data, "i": rows[:, :1], "u": floats(rng, 3, 5, 3)}, reduction=reduction)
    check("ScatterElements", {"x": data, "i": rng.integers(-5, 5, (4, 2, 3)), "u": floats(rng, 4, 2, 3)}, axis=1,
          reduction=reduction)

# A convolution over a length that stays open; one whose padding would follow from it is refused by name.
def open_model(**attributes):
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="conv", **attributes)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, "length"])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [onnx.numpy_helper.from_array(weight, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


weight = floats(rng, 4, 3, 3)
f = attn.compile(open_model(strides=[2], pads=[1, 1]), cache=False)
for batch, length in ((1, 8), (3, 13), (2, 1)):
    x = floats(rng, batch, 3, length)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1)))
    wanted = np.stack([np.einsum("bck,fck->bf", padded[:, :, t:t + 3], weight) for t in range(0, length, 2)], -1)
    np.testing.assert_allclose(f(x), wanted, atol=2e-5)
for model, words in ((open_model(auto_pad="SAME_UPPER", strides=[2]), "auto_pad 'SAME_UPPER' with strides"),
                     (open_model(auto_pad="OTHER"), "auto_pad 'OTHER'"),
                     (open_model(kernel_shape=[5]), "kernel_shape [5]")):
    try:
        attn.compile(model, cache=False)
        raise SystemExit(f"taken: {words}")
    except attn.UnsupportedError as error:
        assert words in str(error) and "conv" in str(error), error
print("structured ops: good")
