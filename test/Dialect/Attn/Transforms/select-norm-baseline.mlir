// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64 --attn-select-schedule --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @no_vectors
// CHECK-NOT: schedule
func.func @no_vectors(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-remark @+1 {{[attn-r215] portable path: target cpu:x86-64 has neither AVX-512 nor AVX2 with FMA}}
  %0 = attn.norm l2 axes [0] eps(1.0e-5) ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
