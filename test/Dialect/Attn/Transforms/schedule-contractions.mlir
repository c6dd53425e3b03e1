// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-schedule-contractions --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @product
// CHECK: linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 512, depth = 64, panels = 2, lanes = 16, mr = 8, nr = 3>}
func.func @product(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  // expected-remark @+1 {{[attn-r241] matrix product in blocks: #attn.contraction_schedule<rows = 512, depth = 64, panels = 2, lanes = 16, mr = 8, nr = 3>}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %0 : tensor<?x96xf32>
}

// -----

// One row reads the right operand where it lies.
// CHECK-LABEL: @one_row
// CHECK: linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 1, depth = 8, panels = 4, lanes = 16, mr = 1, nr = 16, direct = true>}
func.func @one_row(%a: tensor<1x64xf32>, %b: tensor<64x1024xf32>, %c: tensor<1x1024xf32>) -> tensor<1x1024xf32> {
  // expected-remark @+1 {{matrix product in blocks}}
  %0 = linalg.matmul ins(%a, %b : tensor<1x64xf32>, tensor<64x1024xf32>) outs(%c : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  return %0 : tensor<1x1024xf32>
}

// -----

// Where terms are last in both operands, one row is dot products.
// CHECK-LABEL: @dots
// CHECK: attrs = {attn.contraction = #attn.contraction_schedule<rows = 1, depth = 64, panels = 4, lanes = 16, mr = 1, nr = 1, direct = true>}
func.func @dots(%a: tensor<1x64xf32>, %b: tensor<96x64xf32>, %c: tensor<1x96xf32>) -> tensor<1x96xf32> {
  // expected-remark @+1 {{matrix product in blocks}}
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x64xf32>, tensor<96x64xf32>) outs(%c : tensor<1x96xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x96xf32>
  return %0 : tensor<1x96xf32>
}

// -----

// -----

// A sum is no product.
// CHECK-LABEL: @sum
// CHECK-NOT: attn.contraction
func.func @sum(%a: tensor<8x64xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<8x64xf32>) outs(%c : tensor<8xf32>) dimensions = [1]
  return %0 : tensor<8xf32>
}
