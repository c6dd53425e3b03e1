// RUN: attn-opt %s --split-input-file --attn-raise-pipeline -o /dev/null 2>&1 | FileCheck %s

// What is left has its shares; a chain without a remark has one, with the
// condition. Every chain here has exactly one of the missed kind.

// A product of two computed tensors is no layer, and no attention.
// CHECK: remark-left.mlir:[[@LINE+4]]:{{[0-9]+}}: remark: [attn-r181] not raised: no operand of the product is a matrix of weights, and no softmax that is known stands before or behind it
// CHECK-NOT: [attn-{{r1}}
// CHECK: remark-left.mlir:[[@LINE+2]]:{{[0-9]+}}: remark: [attn-r311] left over: linalg.batch_matmul (product), 100.0 % of the flops and 100.0 % of the bytes
func.func @product(%a: tensor<2x4x8xf32>, %b: tensor<2x8x4xf32>, %init: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<2x4x8xf32>, tensor<2x8x4xf32>) outs(%init : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %r : tensor<2x4x4xf32>
}

// -----

// Two in a row are one chain.
// CHECK: [attn-r181]
// CHECK-NOT: [attn-{{r1}}
// CHECK: [attn-r311] left over: linalg.batch_matmul (product), 50.0 % of the flops
// CHECK: [attn-r311] left over: linalg.batch_matmul (product), 50.0 % of the flops
func.func @products(%a: tensor<2x4x4xf32>, %b: tensor<2x4x4xf32>, %init: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%init : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %s = linalg.batch_matmul ins(%r, %b : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%init : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %s : tensor<2x4x4xf32>
}

// -----

// One with weights is a layer, and nothing is left of it.
// CHECK: [attn-r131] raised to attn.linear
// CHECK-NOT: attn-r181
// CHECK-NOT: attn-r311
func.func @layer(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// An exponential alone.
// CHECK: [attn-r181] not raised: the exponential is no part of a softmax or an activation that is known
// CHECK: [attn-r311] left over: linalg.generic (exp), 100.0 % of the flops and 100.0 % of the bytes
#id = affine_map<(i, j) -> (i, j)>
func.func @exponential(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %y = math.exp %in : f32
    linalg.yield %y : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A sum alone was not looked for, and has no remark but its share.
// CHECK-NOT: attn-r181
// CHECK: [attn-r311] left over: linalg.generic (addf), 100.0 % of the flops and 100.0 % of the bytes
// CHECK-NOT: attn-r181
#id = affine_map<(i, j) -> (i, j)>
func.func @sum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %y = arith.addf %in, %in : f32
    linalg.yield %y : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Weights that are divided by another sum: the product says so, and the softmax
// in it does not say it again.
// CHECK: [attn-r102] not raised to attn.attention: the denominator is not the sum of the same exponentials
// CHECK-NOT: attn-r152
// CHECK-NOT: attn-r181
// CHECK: [attn-r311]
#q = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i, 0)>
func.func @other_sum(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x8xf32>, %other: tensor<4x6xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x6xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<4x6xf32>) -> tensor<4x6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<4x8xf32>, tensor<6x8xf32>) outs(%s0 : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %c, %m : f32
    linalg.yield %t : f32
  } -> tensor<4x6xf32>
  %x = linalg.generic {indexing_maps = [#q, #q], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x6xf32>) outs(%es : tensor<4x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#q, #q], iterator_types = ["parallel", "parallel"]} ins(%other : tensor<4x6xf32>) outs(%es : tensor<4x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<4x6xf32>
  %er = tensor.empty() : tensor<4x1xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<4x1xf32>) -> tensor<4x1xf32>
  %sum = linalg.generic {indexing_maps = [#q, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<4x6xf32>) outs(%r0 : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<4x1xf32>
  %w = linalg.generic {indexing_maps = [#q, #row, #q], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<4x6xf32>, tensor<4x1xf32>) outs(%es : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4x6xf32>
  %eo = tensor.empty() : tensor<4x8xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x8xf32>) -> tensor<4x8xf32>
  %o = linalg.matmul ins(%w, %v : tensor<4x6xf32>, tensor<6x8xf32>) outs(%o0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}

// -----

// Sizes that a view joins are known by those of its source, in each of many groups.
// CHECK: [attn-r311] left over: linalg.generic (negf), 100.0 % of the flops
func.func @joined(%x: tensor<?x2x2x?x16x1xf32>) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tensor.collapse_shape %x [[0, 1], [2, 3], [4, 5]] : tensor<?x2x2x?x16x1xf32> into tensor<?x?x16xf32>
  %m = tensor.dim %c, %c0 : tensor<?x?x16xf32>
  %n = tensor.dim %c, %c1 : tensor<?x?x16xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c : tensor<?x?x16xf32>) outs(%e : tensor<?x?x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.negf %a : f32
    linalg.yield %y : f32
  } -> tensor<?x?x16xf32>
  return %r : tensor<?x?x16xf32>
}
