// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64 --attn-schedule-contractions --verify-diagnostics | FileCheck %s

// Without fast vectors nothing is scheduled, and nothing is said.
// CHECK-LABEL: @product
// CHECK-NOT: attn.contraction
func.func @product(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %0 : tensor<?x96xf32>
}
