# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of what stands around attention, elementwise ops and linalg, for size_sweep.py."""

import numpy as np

from size_case import Case


def windows(x, size, step=1):
    return np.lib.stride_tricks.sliding_window_view(x, size, -1)[..., ::step, :]


def zero(type, dims):
    return f"""
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty({dims}) : {type}
  %init = linalg.fill ins(%zero : f32) outs(%empty : {type}) -> {type}"""


ELEMENTWISE = [
    Case("addf", "a: n f32, b: n f32", "n f32", "  %r = arith.addf %a, %b : tensor<n f32>", lambda a, b: [a + b]),
    Case("chain", "a: m n f32, b: m n f32, c: m n f32", "m n f32", """
  %s = arith.mulf %a, %b : tensor<m n f32>
  %t = arith.addf %s, %c : tensor<m n f32>
  %u = math.tanh %t : tensor<m n f32>
  %r = arith.subf %u, %a : tensor<m n f32>""", lambda a, b, c: [np.tanh(a * b + c) - a]),
    Case("addf_half_static", "a: 8 n f32, b: m n f32, c: m 13 f32", "8 n f32", """
  %p = tensor.cast %b : tensor<m n f32> to tensor<8 n f32>
  %q = tensor.cast %c : tensor<m 13 f32> to tensor<8 n f32>
  %s = arith.addf %a, %p : tensor<8 n f32>
  %r = arith.addf %s, %q : tensor<8 n f32>""", lambda a, b, c: [a + b + c], sizes={"m": 8}, where="m == 8 and n == 13"),
    Case("select", "c: m n i1, a: m n f32, b: m n f32", "m n f32", """
  %r = arith.select %c, %a, %b : tensor<m n i1>, tensor<m n f32>""", lambda c, a, b: [np.where(c, a, b)]),
    Case("compare", "a: n f32, b: n f32", "n i1", "  %r = arith.cmpf olt, %a, %b : tensor<n f32>", lambda a, b: [a < b]),
    Case("integers", "a: n i32, b: n i32", "n i64", """
  %s = arith.addi %a, %b : tensor<n i32>
  %r = arith.extsi %s : tensor<n i32> to tensor<n i64>""", lambda a, b: [a + b]),
    Case("linalg_softmax", "x: m n f32, y: m n f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<m n f32>) outs(%e : tensor<m n f32>) -> tensor<m n f32>
  %r = arith.mulf %p, %y : tensor<m n f32>""",
         lambda x, y: [y * np.exp(x) / np.exp(x).sum(-1, keepdims=True)]),
    Case("linalg_add", "a: m n f32, b: m n f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = linalg.add ins(%a, %b : tensor<m n f32>, tensor<m n f32>) outs(%e : tensor<m n f32>) -> tensor<m n f32>""", lambda a, b: [a + b]),
    Case("linalg_map", "a: m n f32, b: m n f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = linalg.map { arith.mulf } ins(%a, %b : tensor<m n f32>, tensor<m n f32>) outs(%e : tensor<m n f32>)""", lambda a, b: [a * b]),
    Case("outs_of_another", "a: m n f32, b: m n f32", "m n f32", """
  %r = linalg.exp ins(%a : tensor<m n f32>) outs(%b : tensor<m n f32>) -> tensor<m n f32>""", lambda a, b: [np.exp(a)]),
    Case("generic_rows", "a: m n f32, b: n f32, c: m f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c : tensor<m n f32>, tensor<n f32>, tensor<m f32>) outs(%e : tensor<m n f32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.mulf %s, %z : f32
    linalg.yield %t : f32
  } -> tensor<m n f32>""", lambda a, b, c: [(a + b) * c[:, None]]),
]

PRODUCTS = [
    Case("matmul", "a: m k f32, b: k n f32", "m n f32", zero("tensor<m n f32>", "%m, %n") + """
  %r = linalg.matmul ins(%a, %b : tensor<m k f32>, tensor<k n f32>) outs(%init : tensor<m n f32>) -> tensor<m n f32>""",
         lambda a, b: [a @ b]),
    Case("matmul_outs", "a: m k f32, b: k n f32, c: m n f32", "m n f32", """
  %r = linalg.matmul ins(%a, %b : tensor<m k f32>, tensor<k n f32>) outs(%c : tensor<m n f32>) -> tensor<m n f32>""",
         lambda a, b, c: [a @ b + c]),
    Case("matmul_static", "a: 64 64 f32, b: 64 n f32", "64 n f32", zero("tensor<64 n f32>", "%n") + """
  %r = linalg.matmul ins(%a, %b : tensor<64 64 f32>, tensor<64 n f32>) outs(%init : tensor<64 n f32>) -> tensor<64 n f32>""",
         lambda a, b: [a @ b]),
    Case("two_products", "a: m k f32, b: k n f32, c: n p f32", "m p f32", """
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<m n f32>) -> tensor<m n f32>
  %s = linalg.matmul ins(%a, %b : tensor<m k f32>, tensor<k n f32>) outs(%f : tensor<m n f32>) -> tensor<m n f32>
  %g = tensor.empty(%m, %p) : tensor<m p f32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<m p f32>) -> tensor<m p f32>
  %t = math.absf %s : tensor<m n f32>
  %r = linalg.matmul ins(%t, %c : tensor<m n f32>, tensor<n p f32>) outs(%h : tensor<m p f32>) -> tensor<m p f32>""",
         lambda a, b, c: [np.abs(a @ b) @ c]),
    Case("batch_matmul", "a: b m k f32, c: b k n f32", "b m n f32", zero("tensor<b m n f32>", "%b, %m, %n") + """
  %r = linalg.batch_matmul ins(%a, %c : tensor<b m k f32>, tensor<b k n f32>) outs(%init : tensor<b m n f32>) -> tensor<b m n f32>""",
         lambda a, c: [a @ c]),
    Case("matvec", "a: m k f32, x: k f32", "m f32", zero("tensor<m f32>", "%m") + """
  %r = linalg.matvec ins(%a, %x : tensor<m k f32>, tensor<k f32>) outs(%init : tensor<m f32>) -> tensor<m f32>""", lambda a, x: [a @ x]),
    Case("vecmat", "x: k f32, a: k n f32", "n f32", zero("tensor<n f32>", "%n") + """
  %r = linalg.vecmat ins(%x, %a : tensor<k f32>, tensor<k n f32>) outs(%init : tensor<n f32>) -> tensor<n f32>""", lambda x, a: [x @ a]),
    Case("dot", "a: n f32, b: n f32", "f32", zero("tensor<f32>", "") + """
  %r = linalg.dot ins(%a, %b : tensor<n f32>, tensor<n f32>) outs(%init : tensor<f32>) -> tensor<f32>""", lambda a, b: [a @ b]),
    # As in upstream's verifier, an input may have more than the windows reach.
    Case("conv_1d", "x: n f32, w: k f32, o: l f32", "l f32", """
  %r = linalg.conv_1d ins(%x, %w : tensor<n f32>, tensor<k f32>) outs(%o : tensor<l f32>) -> tensor<l f32>""",
         lambda x, w, o: [windows(x, len(w))[:len(o)] @ w + o if len(w) and len(o) else o], where="k * l == 0 or k + l - 1 <= n"),
    Case("conv_2d", "x: p q f32, w: k l f32, o: m n f32", "m n f32", """
  %r = linalg.conv_2d ins(%x, %w : tensor<p q f32>, tensor<k l f32>) outs(%o : tensor<m n f32>) -> tensor<m n f32>""",
         lambda x, w, o: [(np.einsum("ijkl,kl->ij", np.lib.stride_tricks.sliding_window_view(x, w.shape)[:len(o), :o.shape[1]], w)
                           if w.size and o.size else 0) + o],
         where="k * l * m * n == 0 or k + m - 1 <= p and l + n - 1 <= q", sizes={"l": 4, "n": 16, "m": 13}),
    Case("conv_2d_channels", "x: b p q f f32, w: 3 3 f g f32, o: b m n g f32", "b m n g f32", """
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<b p q f f32>, tensor<3 3 f g f32>) outs(%o : tensor<b m n g f32>) -> tensor<b m n g f32>""",
         where="b * m * n * f * g == 0 or 2 * m + 1 <= p and 2 * n + 1 <= q", sizes={"m": 8, "n": 9}),
    Case("pooling", "x: b p q f f32, o: b m n f f32", "b m n f f32", """
  %window = tensor.empty() : tensor<2 2 f32>
  %r = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %window : tensor<b p q f f32>, tensor<2 2 f32>) outs(%o : tensor<b m n f f32>) -> tensor<b m n f f32>""",
         where="b * m * n * f == 0 or 2 * m <= p and 2 * n <= q", sizes={"m": 8, "n": 9}),
]

SHAPED = [
    Case("reduce", "x: m n f32", "m f32", zero("tensor<m f32>", "%m") + """
  %r = linalg.reduce { arith.addf } ins(%x : tensor<m n f32>) outs(%init : tensor<m f32>) dimensions = [1]""", lambda x: [x.sum(1)],
         tolerance=1e-3),
    Case("reduce_outs", "x: m n f32, o: n f32", "n f32", """
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<m n f32>) outs(%o : tensor<n f32>) dimensions = [0]""",
         lambda x, o: [np.maximum(x.max(0, initial=-np.inf), o)]),
    Case("transpose", "x: m n f32, o: n m f32", "n m f32", """
  %r = linalg.transpose ins(%x : tensor<m n f32>) outs(%o : tensor<n m f32>) permutation = [1, 0]""", lambda x, o: [x.T]),
    Case("broadcast", "x: n f32, o: m n f32", "m n f32", """
  %r = linalg.broadcast ins(%x : tensor<n f32>) outs(%o : tensor<m n f32>) dimensions = [0]""",
         lambda x, o: [np.broadcast_to(x, o.shape)]),
    Case("copy", "x: m n f32, o: m n f32", "m n f32", """
  %r = linalg.copy ins(%x : tensor<m n f32>) outs(%o : tensor<m n f32>) -> tensor<m n f32>""", lambda x, o: [x]),
    Case("shifted", "x: n f32", "n-1 f32", """
  %one = arith.constant 1 : index
  %less = arith.subi %n, %one : index
  %e = tensor.empty(%less) : tensor<n-1 f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i + 1)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<n f32>) outs(%e : tensor<n-1 f32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<n-1 f32>""", lambda x: [x[1:]], where="n >= 1"),
    Case("strided_read", "x: n f32, o: m f32", "m f32", """
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (2 * i + 1)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<n f32>) outs(%o : tensor<m f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<m f32>""", lambda x, o: [x[1:2 * len(o):2] + o], where="2 * m <= n", sizes={"n": 14}),
    Case("gather", "x: n f32, idx: m i64", "m f32", """
  %e = tensor.empty(%m) : tensor<m f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%idx : tensor<m i64>) outs(%e : tensor<m f32>) {
  ^bb0(%a: i64, %o: f32):
    %at = arith.index_cast %a : i64 to index
    %v = tensor.extract %x[%at] : tensor<n f32>
    linalg.yield %v : f32
  } -> tensor<m f32>""", lambda x, idx: [x[idx]], data={"idx": lambda s: np.arange(s["m"]) * 3 % max(s["n"], 1)},
         where="m == 0 or n >= 1", wrong={"idx": [-1, 13, 14, 10**6, 2**40, -2**63]}),
    Case("embedding", "x: n 16 f32, idx: b m i32", "b m 16 f32", """
  %e = tensor.empty(%b, %m) : tensor<b m 16 f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%idx : tensor<b m i32>) outs(%e : tensor<b m 16 f32>) {
  ^bb0(%a: i32, %o: f32):
    %at = arith.index_cast %a : i32 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %x[%at, %c] : tensor<n 16 f32>
    linalg.yield %v : f32
  } -> tensor<b m 16 f32>""", lambda x, idx: [x[idx]], where="b * m == 0 or n >= 1", wrong={"idx": [-1, 13, 2**31 - 1, -2**31]}),
]


def linalg_cases():
    return ELEMENTWISE + PRODUCTS + SHAPED
