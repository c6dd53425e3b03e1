// RUN: attn-opt %s --attn-raise-pipeline 2>/dev/null | FileCheck %s

// What a product says of its parts, the op that it becomes says, too.
// CHECK-LABEL: @layer
// CHECK: attn.linear {{.*}}{attn.products = #attn.products<bf16x3>}
func.func @layer(%x: tensor<64x96xf32>, %w: tensor<96x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.matmul {attn.products = #attn.products<bf16x3>} ins(%x, %w : tensor<64x96xf32>, tensor<96x64xf32>) outs(%1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// CHECK-LABEL: @attention
// CHECK: attn.attention {{.*}}products(bf16x6)
func.func @attention(%q: tensor<4x64x32xf32>, %k: tensor<4x96x32xf32>, %v: tensor<4x96x32xf32>) -> tensor<4x64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<4x64x96xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4x64x96xf32>) -> tensor<4x64x96xf32>
  %2 = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%q, %k : tensor<4x64x32xf32>, tensor<4x96x32xf32>) outs(%1 : tensor<4x64x96xf32>) -> tensor<4x64x96xf32>
  %3 = linalg.softmax dimension(2) ins(%2 : tensor<4x64x96xf32>) outs(%0 : tensor<4x64x96xf32>) -> tensor<4x64x96xf32>
  %4 = tensor.empty() : tensor<4x64x32xf32>
  %5 = linalg.fill ins(%zero : f32) outs(%4 : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %6 = linalg.batch_matmul {attn.products = #attn.products<bf16x6>} ins(%3, %v : tensor<4x64x96xf32>, tensor<4x96x32xf32>) outs(%5 : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  return %6 : tensor<4x64x32xf32>
}
