// RUN: attn-opt %s --attn-raise-linear --verify-diagnostics | FileCheck %s

// CHECK-NOT: attn.linear

// A score is a product of two computed tensors, not of one with weights: it
// has no remark.
func.func @scores(%x: tensor<4x8xf32>, %z: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>) -> (tensor<4x4xf32>, tensor<2x4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<2x4x6xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%f : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%z, %k : tensor<2x4x8xf32>, tensor<2x6x8xf32>) outs(%fz : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %a = attn.activation relu %x : tensor<4x8xf32>
  %g = tensor.empty() : tensor<4x4xf32>
  %gz = linalg.fill ins(%zero : f32) outs(%g : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.matmul indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>]
      ins(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) outs(%gz : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %t, %s : tensor<4x4xf32>, tensor<2x4x6xf32>
}

// A running sum of products starts from a whole tensor.
func.func @accumulates(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-remark @+1 {{[attn-r132] not raised to attn.linear: what is added is no vector with one number for each column}}
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// The result is transposed: its rows are the columns of the layer.
func.func @columns_first(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<16x4xf32> {
  %zero = arith.constant 0.0 : f32
  %a = attn.activation relu %x : tensor<4x8xf32>
  %e = tensor.empty() : tensor<16x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x4xf32>) -> tensor<16x4xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(n, i, k) -> (k, n)>, affine_map<(n, i, k) -> (i, k)>, affine_map<(n, i, k) -> (n, i)>]
      ins(%w, %a : tensor<8x16xf32>, tensor<4x8xf32>) outs(%z : tensor<16x4xf32>) -> tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

// Rows of two tensors in one product: [b, i] of x beside [i, b] of the result.
func.func @rows_change_places(%x: tensor<2x4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x2x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2x16xf32>) -> tensor<4x2x16xf32>
  // expected-remark @+1 {{[attn-r132] not raised to attn.linear: the rows of the result are not those of one tensor}}
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, n, k) -> (b, i, k)>, affine_map<(b, i, n, k) -> (k, n)>, affine_map<(b, i, n, k) -> (i, b, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x2x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %acc, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x2x16xf32>
  return %y : tensor<4x2x16xf32>
}

// f32 rows and a weight of f16: the layer has one type for both.
func.func @mixed(%x: tensor<4x8xf32>, %w: tensor<8x16xf16>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  // expected-remark @+1 {{[attn-r132] not raised to attn.linear: input, weight, bias and result have element types that do not go together}}
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf16>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// f32 operands whose products are summed in f64: the layer sums in f32.
func.func @wide_sum(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x16xf64>
  %z = linalg.fill ins(%zero : f64) outs(%e : tensor<4x16xf64>) -> tensor<4x16xf64>
  // expected-remark @+1 {{[attn-r132] not raised to attn.linear: the sum is computed in f64, the layer's in f32}}
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x16xf64>) -> tensor<4x16xf64>
  %f = tensor.empty() : tensor<4x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x16xf64>) outs(%f : tensor<4x16xf32>) {
  ^bb0(%a: f64, %out: f32):
    %t = arith.truncf %a : f64 to f32
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
