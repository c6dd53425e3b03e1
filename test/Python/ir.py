# RUN: %attn-python %s
"""Modules made op by op, and what the builder refuses."""

import numpy as np

import attn
from attn import ir

tensor = ir.TensorType((4, 8), "f32")
module = ir.create("built")
builder = ir.Builder(module)
builder.locate("twice", "model.py", 7)
with builder.function("twice", [tensor], ["x"]) as (function, (x,)):
    one = builder.one("arith.constant", [], tensor, {"value": (tensor, np.float32(1))})
    steps = np.arange(32, dtype=np.float32).reshape(4, 8)
    many = builder.one("arith.constant", [], tensor, {"value": (tensor, steps)})
    total = builder.one("arith.addf", [builder.one("arith.addf", [x, one], tensor), many], tensor)
    # An op with a region: 2 x where x is above 0.
    empty = builder.one("tensor.empty", [], tensor)
    identity = ir.affine_map(2, range(2))
    op = builder.add("linalg.generic", [total, empty], [tensor], {
        "indexing_maps": ir.array([identity] * 2), "operandSegmentSizes": ir.segments(1, 1),
        "iterator_types": ir.array(["#linalg.iterator_type<parallel>"] * 2)}, regions=1)
    with builder.region(op, 0, ["f32", "f32"]) as (number, _):
        builder.add("linalg.yield", [builder.one("arith.addf", [number, number], "f32")])
    builder.end_function(function, [op.results[0]])
builder.verify()
text = module.print("locations")
assert 'loc("model.py":7:0)' in text and 'loc("twice"(' in text and 'loc("x"(' in text, text
data = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)
np.testing.assert_allclose(attn.compile(module)(data), 2 * (data + 1 + steps), rtol=1e-6)

booleans = ir.TensorType((3,), "i1")
other = ir.Builder(ir.create("booleans"))
with other.function("mask", []) as (function, _):
    value = other.one("arith.constant", [], booleans, {"value": (booleans, np.array([True, False, True]))})
    other.end_function(function, [value])
assert "dense<[true, false, true]>" in str(other.module), str(other.module)


def refused(words, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except attn.CompileError as error:
        assert words in str(error), f"{words!r} is not in {error}"
        return error
    raise AssertionError(f"{arguments} were not refused")


fresh = ir.Builder(ir.create("wrong"))
fresh.locate("node_3", "model.onnx", 12, 5)
with fresh.function("f", [tensor]) as (function, (x,)):
    refused("there is no op 'arith.addq'", fresh.one, "arith.addq", [x, x], tensor)
    error = refused("'arith.addf'", fresh.one, "arith.addf", [x], tensor)
    assert (error.op, error.file, error.line) == ("arith.addf", "model.onnx", 12), vars(error)
    refused("is not a type", fresh.one, "arith.addf", [x, x], "tensor<4x")
    refused("is not an attribute", fresh.add, "arith.constant", [], [tensor], {"value": "#attn.nothing"})
    refused("bytes were given where 128", fresh.elements, tensor, np.zeros(3, np.float32))
    refused("static sizes", fresh.elements, ir.TensorType((None,), "f32"), np.zeros(3, np.float32))
    refused("has no region 1", fresh.region(function, 1, []).__enter__)
    refused("has its block already", fresh.region(function, 0, []).__enter__)
    # Refused ops are not in the module.
    fresh.end_function(function, [x])
fresh.verify()
refused("no region was entered", fresh._call, "attn_builder_leave", fresh._handle)

late = ir.Builder(ir.create("late"))
late.add("func.func", attributes={"sym_name": '"g"', "function_type": "() -> ()"}, regions=1)
with late.function("h", [tensor]) as (function, _):
    pass
refused("breaks a rule", late.verify)
