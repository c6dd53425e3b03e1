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

// The input's terms are before its rows, and the result's columns too: as it
// stands the product copies neither.
func.func @channels_first(%x: tensor<2x8x4xf32>, %w: tensor<8x16xf32>) -> tensor<2x16x4xf32> {
  %zero = arith.constant 0.0 : f32
  %a = attn.activation relu %x : tensor<2x8x4xf32>
  %e = tensor.empty() : tensor<2x16x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x4xf32>) -> tensor<2x16x4xf32>
  // expected-remark @+1 {{[attn-r132] not raised to attn.linear: both its input and its result would have to be copied in another order}}
  %y = linalg.contract indexing_maps = [affine_map<(b, i, n, k) -> (b, k, i)>, affine_map<(b, i, n, k) -> (k, n)>, affine_map<(b, i, n, k) -> (b, n, i)>]
      ins(%a, %w : tensor<2x8x4xf32>, tensor<8x16xf32>) outs(%z : tensor<2x16x4xf32>) -> tensor<2x16x4xf32>
  return %y : tensor<2x16x4xf32>
}

// The terms are between two dimensions of columns: four rows do not pay for a
// copy of the weight.
func.func @few_rows(%x: tensor<4x8xf32>, %w: tensor<3x8x5xf32>) -> tensor<4x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %a = attn.activation relu %x : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  // expected-remark @+1 {{[attn-r132] not raised to attn.linear: the weight would have to be copied in another order for few rows}}
  %y = linalg.contract indexing_maps = [affine_map<(i, n, h, k) -> (i, k)>, affine_map<(i, n, h, k) -> (n, k, h)>, affine_map<(i, n, h, k) -> (i, n, h)>]
      ins(%a, %w : tensor<4x8xf32>, tensor<3x8x5xf32>) outs(%z : tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %y : tensor<4x3x5xf32>
}

// Each expert has a matrix of its own: a batch of products, without a remark.
func.func @experts(%x: tensor<3x4x8xf32>, %w: tensor<3x8x16xf32>) -> tensor<3x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4x16xf32>) -> tensor<3x4x16xf32>
  %y = linalg.batch_matmul ins(%x, %w : tensor<3x4x8xf32>, tensor<3x8x16xf32>) outs(%z : tensor<3x4x16xf32>) -> tensor<3x4x16xf32>
  return %y : tensor<3x4x16xf32>
}

// What the product starts from has a number for each row, too.
func.func @accumulates_heads(%x: tensor<4x8xf32>, %w: tensor<8x3x5xf32>, %c: tensor<4x3x5xf32>) -> tensor<4x3x5xf32> {
  // expected-remark @+1 {{[attn-r132] not raised to attn.linear: what is added is no vector with one number for each column}}
  %y = linalg.contract indexing_maps = [affine_map<(i, n, h, k) -> (i, k)>, affine_map<(i, n, h, k) -> (k, n, h)>, affine_map<(i, n, h, k) -> (i, n, h)>]
      ins(%x, %w : tensor<4x8xf32>, tensor<8x3x5xf32>) outs(%c : tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %y : tensor<4x3x5xf32>
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
