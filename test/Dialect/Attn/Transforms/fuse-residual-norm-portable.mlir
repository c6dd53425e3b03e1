// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64 --attn-select-schedule --attn-fuse-residual-norm --verify-diagnostics=only-expected | FileCheck %s

// Without a fast path there is no pass for the sum to join.
// CHECK-LABEL: @portable
// CHECK: arith.addf
// CHECK-NOT: residual
func.func @portable(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>, %init: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %x = arith.addf %a, %b : tensor<8x64xf32>
  // expected-remark @+1 {{[attn-r402] the residual addition stays: the norm takes the portable path}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
