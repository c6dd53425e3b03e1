# REQUIRES: attn_python
# RUN: %attn-python %s %examples
"""Compiled functions on arrays: what they compute, and where it goes."""

import sys
import threading

import numpy as np

import attn

folder = sys.argv[1]
data = np.load(f"{folder}/torch_sdpa_causal.npz")
inputs, wanted = [data[f"arg{i}"] for i in range(3)], data["out0"]
path = f"{folder}/torch_sdpa_causal.mlir"
with open(path, encoding="utf-8") as file:
    text = file.read()

# Every form of a module is the same function.
module = attn.Module.parse(text)
for model in (path, text, module, module.print("bytecode")):
    f = attn.compile(model)
    result = f(*inputs)
    np.testing.assert_allclose(result, wanted, atol=1e-6)
    if model is path:
        first = result
    np.testing.assert_array_equal(result, first)
assert [spec.shape for spec in f.spec.inputs] == [(1, 2, 48, 32)] * 3, f.spec
assert any(remark["id"] == "attn-r101" for remark in f.remarks), f.remarks

# Strides, reversed and read-only memory are read where they lie; results go where they are wanted.
strided = [np.asfortranarray(x) for x in inputs]
strided[1] = np.ascontiguousarray(inputs[1][..., ::-1])[..., ::-1]
strided[2].flags.writeable = False
np.testing.assert_array_equal(f(*strided), first)
out = np.full((2, 1, 48, 32), 7, np.float32).transpose(1, 0, 2, 3)
assert f(*inputs, out=out) is out
np.testing.assert_array_equal(out, first)

# Threads change nothing, and any number of them may call.
for f.threads in (1, 2, 3):
    np.testing.assert_array_equal(f(*inputs), first)
f.threads = None
results = []
workers = [threading.Thread(target=lambda: results.extend(f(*inputs) for _ in range(50))) for _ in range(4)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
assert len(results) == 200 and all(np.array_equal(result, first) for result in results)

# Sizes that are not known, numbers for scalars, several results.
several = attn.compile("""
func.func @f(%x: tensor<?x8xf32>, %s: tensor<f32>) -> (tensor<?x8xf32>, tensor<8xi32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x8xf32>, tensor<f32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<?x8xf32>
  %c = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  return %y, %c : tensor<?x8xf32>, tensor<8xi32>
}""")
for rows in (3, 1, 0, 100):
    x = np.random.rand(rows, 8).astype(np.float32)
    y, z = several(x, 2.5)
    np.testing.assert_array_equal(y, x * np.float32(2.5))
    np.testing.assert_array_equal(z, np.arange(8, dtype=np.int32))
assert several.spec.inputs[0].shape == (None, 8)

# Results are expected to have the sizes of the last two calls. Others are noticed, and so is what fits none.
two = np.full((), 2, np.float32)
for rows in (4, 4, 4, 4, 2, 2, 2, 7, 0, 0, 0, 1):
    x = np.full((rows, 8), rows, np.float32)
    y, z = several(x, two)
    assert y.shape == (rows, 8) and (y == 2 * rows).all() and z[7] == 7, (rows, y)
for _ in range(2):
    try:
        several(np.zeros((1, 7), np.float32), two)
        raise SystemExit("seven columns were taken")
    except attn.ShapeError as error:
        assert "dimension 1 must be 8" in str(error), error

# A cache is updated in place and comes back as it was given.
step = attn.compile("""
func.func @step(%row: tensor<1x4xf32>, %cache: tensor<?x4xf32> {attn.inout = 0 : index}, %at: tensor<i32>) -> tensor<?x4xf32> {
  %i = tensor.extract %at[] : tensor<i32>
  %n = arith.index_cast %i : i32 to index
  %r = tensor.insert_slice %row into %cache[%n, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}""")
cache = np.zeros((5, 4), np.float32)
assert step(np.ones((1, 4), np.float32), cache, 3) is cache
assert cache.sum() == 4 and cache[3].sum() == 4
try:
    step(np.ones((1, 4), np.float32), cache, 5)
    raise SystemExit("a full cache was written to")
except attn.AssertionFailed as error:
    assert error.status == 9 and "insert_slice" in str(error), error

# Arguments may be given for good; what they hold later counts.
scale = np.full((), 2, np.float32)
bound = attn.Entry(several.kernel)
bound.bind({1: scale})
np.testing.assert_array_equal(bound(x)[0], x * 2)
scale[...] = 3
np.testing.assert_array_equal(bound(x)[0], x * 3)

# The short way takes such calls, and does not leave them to the long one.
for entry, inputs in ((several, (x, np.float32(2).reshape(()))), (bound, (x,))):
    assert entry._find_way(np.ndarray)(entry, tuple(map(np.asarray, inputs)), None) is not None, entry
print("calls: good")
