# REQUIRES: onnx
# RUN: %attn-frameworks %s
"""Whole models: weights, sizes that stay open, shape arithmetic, branches, functions, and what is refused."""

import os
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser

import attn
from attn.build.sizes import Size, Undecided

HEADER = '<ir_version: 10, opset_import: ["" : 23]>'
rng = np.random.default_rng(0)
draw = lambda *shape: rng.standard_normal(shape).astype(np.float32)


def read(text, **weights):
    model = parser.parse_model(HEADER + text)
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in weights.items())
    return model


def refused(words, error, call):
    try:
        call()
    except error as found:
        for word in words.split("|"):
            assert word in str(found), f"{word!r} is not in {found}"
        return found
    raise AssertionError(f"{words}: not refused")


# Larger weights are bound arguments, small ones are known; a default of an input is a weight.
text = "agraph (float[N, 8] x) => (float[N, 4] y) { h = MatMul(x, w)  y = Mul(h, factor) }"
w = draw(8, 4)
model = read(text, w=w, factor=np.float32(2))
module = attn.onnx.import_model(model)
assert list(module.weights) == ["w"] and [i.name for i in module.describe()[0].inputs].count("w") <= 1
f = attn.compile(model, cache=False)
for rows in (1, 5):
    x = draw(rows, 8)
    np.testing.assert_allclose(f(x), 2 * x @ w, rtol=1e-5, atol=1e-5)
assert f.spec.inputs[0].shape == (None, 8)

# Examples fix sizes, `dynamic` keeps some open.
for examples in (draw(5, 8), (draw(5, 8),), {"x": draw(5, 8)}):
    assert attn.compile(model, examples, cache=False).spec.inputs[0].shape == (5, 8)
assert attn.compile(model, draw(5, 8), dynamic={"N"}, cache=False).spec.inputs[0].shape == (None, 8)
assert attn.compile(model, draw(5, 8), dynamic=True, cache=False).spec.inputs[0].shape == (None, 8)

# From a file; the arithmetic of shapes is none of the program's.
split = read("""agraph (float[B, S, 12] x) => (float[B, 3, S, 4] y, int64 count) {
  shape = Shape(x)  zero = Constant<value_ints = [0, 1]>()  front = Gather(shape, zero)
  tail = Constant<value_ints = [3, -1]>()  wanted = Concat<axis = 0>(front, tail)
  h = Reshape(x, wanted)  y = Transpose<perm = [0, 2, 1, 3]>(h)  count = Size(x)
}""")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "split.onnx")
    onnx.save(split, path)
    g = attn.compile(path, cache=False)
    x = draw(2, 5, 12)
    y, count = g(x)
    np.testing.assert_array_equal(y, x.reshape(2, 5, 3, 4).transpose(0, 2, 1, 3))
    assert count == x.size
    assert "tensor.reshape" not in g.source() and "from_elements" in g.source()
    with open(path, "wb") as file:
        file.write(b"\xff\x00 no model")
    refused("is not a model of ONNX", attn.CompileError, lambda: attn.compile(path))
    refused("is not a model of ONNX", attn.CompileError, lambda: attn.onnx.import_model(os.path.join(folder, "none.onnx")))

places = read("""agraph (float[N] x) => (float[N] y) {
  s = Shape(x)  zero = Constant<value_ints = [0]>()  rows = Slice(places, zero, s)  at = Cast<to = 1>(rows)  y = Add(x, at)
}""", places=np.arange(3, 67))
h = attn.compile(places, cache=False)
for count in (1, 5, 64):
    x = draw(count)
    np.testing.assert_allclose(h(x), x + np.arange(3, 3 + count), rtol=1e-6)

# A branch that is known, functions of the model and of ONNX.
branch = read("""agraph (float[4] x) => (float[4] y) {
  yes = Constant<value = bool {1}>()
  y = If(yes) <then_branch = a () => (float[4] p) { p = Exp(x) }, else_branch = b () => (float[4] q) { q = Neg(x) }>
}""")
x = draw(4)
np.testing.assert_allclose(attn.compile(branch, cache=False)(x), np.exp(x), rtol=1e-6)
own = parser.parse_model('<ir_version: 10, opset_import: ["" : 23, "own" : 1]>'
                         "agraph (float[4] x) => (float[4] y) { y = own.twice(x) }"
                         '<domain: "own", opset_import: ["" : 23]> twice (a) => (b) { b = Add(a, a) }')
np.testing.assert_allclose(attn.compile(own, cache=False)(x), 2 * x, rtol=1e-6)
thresholded = read("agraph (float[4] x) => (float[4] y) { y = ThresholdedRelu<alpha = 0.5>(x) }")
np.testing.assert_allclose(attn.compile(thresholded, cache=False)(x), np.where(x > 0.5, x, 0), rtol=1e-6)

# A result that is an argument, and one that comes twice.
same = read("agraph (float[4] x) => (float[4] y, float[4] z) { y = Identity(x)  z = Identity(y) }")
for result in attn.compile(same, cache=False)(x):
    np.testing.assert_array_equal(result, x)

# Refused: the node, its op, the opset, and what would help.
import_text = lambda text, **weights: lambda: attn.onnx.import_model(read(text, **weights))
error = refused("'last'|NonZero of opset 23|docs/ONNX.md", attn.UnsupportedError, import_text(
    "agraph (float[4] x) => (int64[1, n] y) { [last] y = NonZero(x) }"))
assert (error.op, error.source) == ("NonZero", "last"), vars(error)
refused("its input shape is computed from the values of inputs", attn.UnsupportedError, import_text(
    "agraph (float[4] x, int64[2] s) => (float[a, b] y) { y = Reshape(x, s) }"))
refused("a choice depends on a size|N == 7", attn.UnsupportedError, import_text(
    "agraph (float[N] x) => (bool[1] y) { s = Shape(x)  c = Constant<value_ints = [7]>()  y = Equal(s, c) }"))
refused("the condition is computed", attn.UnsupportedError, import_text(
    "agraph (bool c, float[4] x) => (float[4] y) { y = If(c) <then_branch = a () => (float[4] p) { p = Exp(x) },"
    " else_branch = b () => (float[4] q) { q = Neg(x) }> }"))
refused("do not broadcast", attn.UnsupportedError, import_text(
    "agraph (float[4] x, float[N] z, float[5] w) => (float[N] y) { h = Add(x, z)  y = Add(h, w) }"))
refused("UINT8|known are", attn.UnsupportedError, import_text("agraph (uint8[4] x) => (uint8[4] y) { y = Identity(x) }"))
refused("dimension 1 of input 'x' is 8, the example's is 7", attn.CompileError, lambda: attn.compile(model, draw(5, 7)))
refused("has 2 dimensions, the example has 1", attn.CompileError, lambda: attn.compile(model, draw(5)))
custom = helper.make_graph([helper.make_node("Magic", ["x"], ["y"], domain="nobody")], "g",
                           [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
                           [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])])
opsets = [helper.make_opsetid("", 23), helper.make_opsetid("nobody", 1)]
refused("nobody.Magic of opset 1|without this custom op", attn.UnsupportedError,
        lambda: attn.onnx.import_model(helper.make_model(custom, opset_imports=opsets)))
unknown = read("agraph (float[1, 2, 4, 8] q) => (float[1, 2, 4, 8] y) { y = Attention(q, q, q) }")
unknown.opset_import.append(helper.make_opsetid("com.microsoft", 1))
unknown.graph.node[0].domain = "com.microsoft"
unknown.graph.node[0].op_type = "MultiHeadAttention"
unknown.graph.node[0].attribute.append(helper.make_attribute("num_heads", 2))
unknown.graph.node[0].attribute.append(helper.make_attribute("surprise", 1))
unknown.graph.input[0].type.tensor_type.shape.dim.pop()
refused("surprise", attn.UnsupportedError, lambda: attn.onnx.import_model(unknown))

# Sizes: equal where their polynomials are.
n, m = Size.symbol("n"), Size.symbol("m")
assert n * 4 // 4 == n and (n + m) - m == n and n * m == m * n and (n + 1) * (n - 1) + 1 == n * n
assert n + 1 > n and n != n + 1 and n != -1 and n - n == 0 and 6 * n // (2 * n) == 3
refused("", Undecided, lambda: n == m)
refused("", Undecided, lambda: n < 7)
refused("n as a number", Undecided, lambda: int(n))
