// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64 --attn-select-schedule --verify-diagnostics | FileCheck %s

// A target without the vector unit that the loops are written for.
// CHECK-LABEL: @portable
// CHECK-NOT: schedule
func.func @portable(%x: tensor<8x64xf32>, %e: tensor<f32>) -> (tensor<8x64xf32>, tensor<f32>) {
  // expected-remark @+1 {{[attn-r215] portable path: target cpu:x86-64 has neither}}
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  // expected-remark @+1 {{[attn-r215] portable path: target cpu:x86-64 has neither}}
  %1 = attn.statistics kurtosis ins(%x : tensor<8x64xf32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<8x64xf32>, tensor<f32>
}
