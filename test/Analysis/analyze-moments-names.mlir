// RUN: attn-opt %s --attn-analyze-moments=text=- -o /dev/null | FileCheck %s

// Values of regions beside each other, and of the regions of one op, have numbers of their own, and no two lines one name.
// CHECK: {{^}}  value
// CHECK-NEXT: {{^}}  %{{[0-9]+}}  attn.norm
// CHECK-NEXT: {{^}}  %[[A:[0-9]+]] in %[[B:[0-9]+]]
// CHECK-SAME: attn.linear
// CHECK-NEXT: {{^}}  %[[B]]
// CHECK-SAME: attn.residual
// CHECK-NEXT: {{^}}  %[[A]] in %[[C:[0-9]+]]
// CHECK-SAME: attn.norm
// CHECK-NEXT: {{^}}  %[[A]] in %[[C]], region 1
// CHECK-SAME: attn.linear
// CHECK-NEXT: {{^}}  %[[C]]
// CHECK-SAME: attn.residual
func.func @layers(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %a = attn.residual pre(%x : tensor<16x64xf32>) norm {
  ^bb0(%r: tensor<16x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%r : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%n: tensor<16x64xf32>):
    %f = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %y = attn.residual pre(%a : tensor<16x64xf32>) norm {
  ^bb0(%r: tensor<16x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%r : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%n: tensor<16x64xf32>):
    %f = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  return %y : tensor<16x64xf32>
}
