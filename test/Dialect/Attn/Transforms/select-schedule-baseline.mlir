// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64 --attn-select-schedule --verify-diagnostics | FileCheck %s

// No kernel is written for vectors of two or four elements without FMA.
// CHECK-LABEL: @plain
func.func @plain(%q: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
  // CHECK-NOT: schedule(
  // expected-remark @+2 {{[attn-r215] portable path: target cpu:x86-64 has neither AVX-512 nor AVX2 with FMA}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %0 : tensor<2x96x64xf32>
}
