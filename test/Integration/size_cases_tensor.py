# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of slices, reshapes, loops and caches for size_sweep.py."""

import numpy as np

from size_case import Case


def insert(part, whole, at):
    whole = whole.copy()
    whole[at:at + len(part)] = part
    return [whole]


READ_AT = """
  %c0 = arith.constant 0 : index
  %number = tensor.extract %at[%c0] : tensor<1 i64>
  %from = arith.index_cast %number : i64 to index"""
PLACES = [-1, 9, 12, 13, 10**6, 2**62, -2**63]

SLICES = [
    Case("extract", "x: m n f32, at: 2 i64", "f32", """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %at[%c0] : tensor<2 i64>
  %b = tensor.extract %at[%c1] : tensor<2 i64>
  %i = arith.index_cast %a : i64 to index
  %j = arith.index_cast %b : i64 to index
  %v = tensor.extract %x[%i, %j] : tensor<m n f32>
  %r = tensor.from_elements %v : tensor<f32>""", lambda x, at: [x[at[0], at[1]]], where="m >= 1 and n >= 1",
         wrong={"at": [[-1, 0], [0, -1], [7, 0], [0, 13], [2**62, 0], [0, -2**63]]}),
    Case("insert", "x: n f32, at: 1 i64", "n f32", READ_AT + """
  %v = arith.constant 2.0 : f32
  %r = tensor.insert %v into %x[%from] : tensor<n f32>""", lambda x, at: insert(np.float32([2]), x, at[0]), where="n >= 1",
         wrong={"at": [-1, 13, 2**62, -2**63]}),
    Case("insert_slice", "p: k f32, x: n f32", "n f32", """
  %r = tensor.insert_slice %p into %x[3] [%k] [1] : tensor<k f32> into tensor<n f32>""", lambda p, x: insert(p, x, 3), where="3 + k <= n"),
    Case("insert_slice_at", "p: k f32, x: n f32, at: 1 i64", "n f32", READ_AT + """
  %r = tensor.insert_slice %p into %x[%from] [%k] [1] : tensor<k f32> into tensor<n f32>""",
         lambda p, x, at: insert(p, x, at[0]), where="k <= n", wrong={"at": PLACES}),
    Case("insert_slice_strided", "p: k f32, x: n f32", "n f32", """
  %r = tensor.insert_slice %p into %x[1] [%k] [3] : tensor<k f32> into tensor<n f32>""", None, where="k == 0 or 1 + 3 * (k - 1) < n",
         sizes={"k": 4}),
    Case("insert_slice_size", "p: k f32, x: n f32, q: l f32", "n f32", """
  %r = tensor.insert_slice %p into %x[0] [%l] [1] : tensor<k f32> into tensor<n f32>""", None, where="k == l and k <= n", sizes={"l": 5}),
    Case("gather", "x: m n f32, at: k 1 i64", "k n f32", """
  %r = tensor.gather %x[%at] gather_dims([0]) : (tensor<m n f32>, tensor<k 1 i64>) -> tensor<k n f32>""",
         lambda x, at: [x[at[:, 0]]], where="m >= 1 or k == 0", data={"at": lambda s: np.arange(s["k"])[:, None] % max(s["m"], 1)},
         wrong={"at": [-1, 7, 10**6, 2**62, -2**63]}),
    Case("extract_slice", "x: m n f32", "4 n-2 f32", """
  %two = arith.constant 2 : index
  %less = arith.subi %n, %two : index
  %r = tensor.extract_slice %x[3, 2] [4, %less] [1, 1] : tensor<m n f32> to tensor<4 n-2 f32>""", lambda x: [x[3:7, 2:]],
         where="m >= 7 and n >= 2"),
    Case("extract_slice_at", "x: n f32, at: 1 i64", "4 f32", READ_AT + """
  %p = tensor.extract_slice %x[%from] [4] [1] : tensor<n f32> to tensor<4 f32>
  %r = math.absf %p : tensor<4 f32>""", lambda x, at: [np.abs(x[at[0]:at[0] + 4])], where="n >= 4",
         wrong={"at": [-1, 10, 13, 2**62, -2**63]}),
    Case("extract_slice_like", "x: n f32, y: m f32", "m f32", """
  %p = tensor.extract_slice %x[1] [%m] [1] : tensor<n f32> to tensor<m f32>
  %r = arith.addf %p, %y : tensor<m f32>""", lambda x, y: [x[1:len(y) + 1] + y], where="m < n"),
    Case("pad", "x: m n f32", "m+1 n+5 f32", """
  %z = arith.constant 1.5 : f32
  %r = tensor.pad %x low[1, 2] high[0, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<m n f32> to tensor<m+1 n+5 f32>""", lambda x: [np.pad(x, ((1, 0), (2, 3)), constant_values=1.5)]),
    Case("pad_to", "x: n f32, y: m f32", "m f32", """
  %z = arith.constant 0.0 : f32
  %high = arith.subi %m, %n : index
  %p = tensor.pad %x low[0] high[%high] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<n f32> to tensor<m f32>
  %r = arith.addf %p, %y : tensor<m f32>""", lambda x, y: [y + np.pad(x, (0, len(y) - len(x)))], where="m >= n", sizes={"m": 15}),
    Case("pad_both", "x: m n f32, y: k l f32", "k l f32", """
  %z = arith.constant 1.5 : f32
  %a = arith.subi %k, %m : index
  %b = arith.subi %l, %n : index
  %p = tensor.pad %x low[%a, 0] high[0, %b] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<m n f32> to tensor<k l f32>
  %r = arith.addf %p, %y : tensor<k l f32>""", lambda x, y: [y + np.pad(x, ((len(y) - len(x), 0), (0, y.shape[1] - x.shape[1])),
                                                                          constant_values=1.5)],
         where="k >= m and l >= n", sizes={"k": 9, "l": 15}),
    Case("pack", "x: m n f32, y: k l 4 2 f32", "k l 4 2 f32", """
  %z = arith.constant 1.5 : f32
  %r = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %y
      : tensor<m n f32> -> tensor<k l 4 2 f32>""", None, where="4 * k >= m and 2 * l >= n", sizes={"m": 7, "n": 3, "k": 2, "l": 2}),
    Case("unpack", "x: k l 4 2 f32, y: m n f32", "m n f32", """
  %r = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %y
      : tensor<k l 4 2 f32> -> tensor<m n f32>""", None, where="4 * k >= m and 2 * l >= n", sizes={"m": 7, "n": 3, "k": 2, "l": 2}),
    Case("dim_at", "x: m n f32, at: 1 i64", "1 i64", READ_AT + """
  %size = tensor.dim %x, %from : tensor<m n f32>
  %number64 = arith.index_cast %size : index to i64
  %r = tensor.from_elements %number64 : tensor<1 i64>""", lambda x, at: [np.int64([x.shape[at[0]]])],
         wrong={"at": [-1, 2, 3, 2**62, -2**63]}),
    Case("concat", "x: m n f32, y: k n f32", "m+k n f32", """
  %r = tensor.concat dim(0) %x, %y : (tensor<m n f32>, tensor<k n f32>) -> tensor<m+k n f32>""", lambda x, y: [np.concatenate([x, y])]),
    Case("expand", "x: n*4 f32, y: n 4 f32", "n 4 f32", """
  %c4 = arith.constant 4 : index
  %t = tensor.expand_shape %x [[0, 1]] output_shape [%n, 4] : tensor<n*4 f32> into tensor<n 4 f32>
  %r = arith.addf %t, %y : tensor<n 4 f32>""", lambda x, y: [x.reshape(-1, 4) + y]),
    Case("collapse", "x: m n f32, y: m*n f32", "m*n f32", """
  %t = tensor.collapse_shape %x [[0, 1]] : tensor<m n f32> into tensor<m*n f32>
  %r = arith.addf %t, %y : tensor<m*n f32>""", lambda x, y: [x.reshape(-1) + y]),
    Case("reshape", "x: m n f32, like: n m f32", "n m f32", """
  %shape = tensor.from_elements %n, %m : tensor<2xindex>
  %t = tensor.reshape %x(%shape) : (tensor<m n f32>, tensor<2xindex>) -> tensor<n m f32>
  %r = arith.addf %t, %like : tensor<n m f32>""", lambda x, y: [x.reshape(y.shape) + y]),
    Case("cast", "x: n f32, y: 13 f32", "13 f32", """
  %t = tensor.cast %x : tensor<n f32> to tensor<13 f32>
  %r = arith.addf %t, %y : tensor<13 f32>""", lambda x, y: [x + y], where="n == 13"),
    Case("generate", "x: n f32", "n f32", """
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %v = tensor.extract %x[%i] : tensor<n f32>
    %w = arith.mulf %v, %v : f32
    tensor.yield %w : f32
  } : tensor<n f32>""", lambda x: [x * x]),
    Case("splat", "x: n f32, y: n f32", "n f32", """
  %z = arith.constant 3.0 : f32
  %s = tensor.splat %z[%n] : tensor<n f32>
  %t = arith.addf %x, %s : tensor<n f32>
  %r = arith.mulf %t, %y : tensor<n f32>""", lambda x, y: [(x + 3) * y]),
]

LOOPS = [
    # The slices of y need not be all of it.
    Case("loop_rows", "x: m n f32, y: p q f32", "m n f32", """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%t = %e) -> (tensor<m n f32>) {
    %a = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<m n f32> to tensor<1 n f32>
    %b = tensor.extract_slice %y[%i, 0] [1, %n] [1, 1] : tensor<p q f32> to tensor<1 n f32>
    %s = arith.addf %a, %b : tensor<1 n f32>
    %u = tensor.insert_slice %s into %t[%i, 0] [1, %n] [1, 1] : tensor<1 n f32> into tensor<m n f32>
    scf.yield %u : tensor<m n f32>
  }""", lambda x, y: [x + y[:len(x), :x.shape[1]]], where="p >= m and q >= n or m == 0"),
    Case("while_loop", "x: m n f32, y: p q f32", "m n f32", """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %last, %w = scf.while (%i = %c0, %t = %e) : (index, tensor<m n f32>) -> (index, tensor<m n f32>) {
    %more = arith.cmpi slt, %i, %m : index
    scf.condition(%more) %i, %t : index, tensor<m n f32>
  } do {
  ^bb0(%i: index, %t: tensor<m n f32>):
    %a = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<m n f32> to tensor<1 n f32>
    %b = tensor.extract_slice %y[%i, 0] [1, %n] [1, 1] : tensor<p q f32> to tensor<1 n f32>
    %s = arith.addf %a, %b : tensor<1 n f32>
    %u = tensor.insert_slice %s into %t[%i, 0] [1, %n] [1, 1] : tensor<1 n f32> into tensor<m n f32>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %u : index, tensor<m n f32>
  }
  %r = tensor.extract_slice %w[0, 0] [%m, %n] [1, 1] : tensor<m n f32> to tensor<m n f32>""", lambda x, y: [x + y[:len(x), :x.shape[1]]], where="p >= m and q >= n or m == 0"),
    Case("append", "q: 1 2 m 16 f32, new: 1 2 1 16 f32, keys: 1 2 n 16 f32, vals: 1 2 n 16 f32", "1 2 m 16 f32", """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ks, %vs = scf.for %i = %c0 to %c2 step %c1 iter_args(%k = %keys, %v = %vals) -> (tensor<1 2 n 16 f32>, tensor<1 2 n 16 f32>) {
    %kn = tensor.insert_slice %new into %k[0, 0, %i, 0] [1, 2, 1, 16] [1, 1, 1, 1] : tensor<1 2 1 16 f32> into tensor<1 2 n 16 f32>
    %vn = tensor.insert_slice %new into %v[0, 0, %i, 0] [1, 2, 1, 16] [1, 1, 1, 1] : tensor<1 2 1 16 f32> into tensor<1 2 n 16 f32>
    scf.yield %kn, %vn : tensor<1 2 n 16 f32>, tensor<1 2 n 16 f32>
  }
  %e = tensor.empty(%m) : tensor<1 2 m 16 f32>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %ks, %vs : tensor<1 2 m 16 f32>,
      tensor<1 2 n 16 f32>, tensor<1 2 n 16 f32>) outs(%e : tensor<1 2 m 16 f32>) -> tensor<1 2 m 16 f32>""", where="n >= 2"),
    Case("result_too_small", "q: 1 2 m 16 f32, k: 1 2 m 16 f32", "1 2 m 16 f32", """
  %c2 = arith.constant 2 : index
  %rows = tensor.dim %k, %c2 : tensor<1 2 m 16 f32>
  %e = tensor.empty(%rows) : tensor<1 2 m 16 f32>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %k : tensor<1 2 m 16 f32>,
      tensor<1 2 m 16 f32>, tensor<1 2 m 16 f32>) outs(%e : tensor<1 2 m 16 f32>) -> tensor<1 2 m 16 f32>"""),
    Case("branches", "x: n f32, y: m f32, c: 1 i1", "n f32", """
  %c0 = arith.constant 0 : index
  %b = tensor.extract %c[%c0] : tensor<1 i1>
  %q = scf.if %b -> tensor<n f32> {
    %s = tensor.extract_slice %y[0] [%n] [1] : tensor<m f32> to tensor<n f32>
    %t = arith.addf %x, %s : tensor<n f32>
    scf.yield %t : tensor<n f32>
  } else {
    scf.yield %x : tensor<n f32>
  }
  %r = tensor.extract_slice %q[0] [%n] [1] : tensor<n f32> to tensor<n f32>""", 
         lambda x, y, c: [x + y[:len(x)] if c[0] else x], where="m >= n", data={"c": True}, sizes={"m": 15}),
    Case("forall", "x: m n f32, y: p q f32", "m n f32", """
  %e = tensor.empty(%m, %n) : tensor<m n f32>
  %r = scf.forall (%i) in (%m) shared_outs(%o = %e) -> (tensor<m n f32>) {
    %a = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<m n f32> to tensor<1 n f32>
    %b = tensor.extract_slice %y[%i, 0] [1, %n] [1, 1] : tensor<p q f32> to tensor<1 n f32>
    %s = arith.mulf %a, %b : tensor<1 n f32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, %n] [1, 1] : tensor<1 n f32> into tensor<m n f32>
    }
  }""", lambda x, y: [x * y[:len(x), :x.shape[1]]], where="p >= m and q >= n or m == 0"),
]

DECODE = Case("decode_step", "query: 1 8 1 64 bf16, key: 1 2 1 64 bf16, value: 1 2 1 64 bf16, keys: 1 2 c 64 bf16 inout=1, "
              "values: 1 2 c 64 bf16 inout=2, length: 1 i32", "1 8 1 64 bf16, 1 2 c 64 bf16, 1 2 c 64 bf16", """
  %c0 = arith.constant 0 : index
  %stored = tensor.extract %length[%c0] : tensor<1 i32>
  %at = arith.index_cast %stored : i32 to index
  %r1 = tensor.insert_slice %key into %keys[0, 0, %at, 0] [1, 2, 1, 64] [1, 1, 1, 1] : tensor<1 2 1 64 bf16> into tensor<1 2 c 64 bf16>
  %r2 = tensor.insert_slice %value into %values[0, 0, %at, 0] [1, 2, 1, 64] [1, 1, 1, 1] : tensor<1 2 1 64 bf16> into tensor<1 2 c 64 bf16>
  %one = arith.constant dense<1> : tensor<1 i32>
  %seen = arith.addi %length, %one : tensor<1 i32>
  %init = tensor.empty() : tensor<1 8 1 64 bf16>
  %r0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.kv_lengths]
      ins(%query, %r1, %r2 : tensor<1 8 1 64 bf16>, tensor<1 2 c 64 bf16>, tensor<1 2 c 64 bf16>)
      params(%seen : tensor<1 i32>) outs(%init : tensor<1 8 1 64 bf16>) -> tensor<1 8 1 64 bf16>""",
              where="c >= 1", sizes={"c": 40}, data={"length": lambda s: min(7, max(s["c"] - 1, 0))},
              wrong={"length": [40, 41, 1000, -1, 2**31 - 1, -2**31]})


def tensor_cases():
    return SLICES + LOOPS + [DECODE]
