// Params of rank 1 of a score region are one number a head.
// RUN: attn-opt %s | FileCheck %s

// As many heads as keys, and no doubt.
// CHECK-LABEL: @heads
// CHECK-NOT: indexing_maps
// CHECK: attn.attention
func.func @heads(%q: tensor<1x4x4x32xf32>, %a: tensor<4xf32>, %b: tensor<1x1x4xf32>) -> tensor<1x4x4x32xf32> {
  %init = tensor.empty() : tensor<1x4x4x32xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %q, %q : tensor<1x4x4x32xf32>, tensor<1x4x4x32xf32>, tensor<1x4x4x32xf32>)
      params(%a, %b : tensor<4xf32>, tensor<1x1x4xf32>) outs(%init : tensor<1x4x4x32xf32>)
      score {
      ^bb0(%s: f32, %batch: index, %head: index, %i: index, %j: index, %factor: f32, %key: f32):
        %t = arith.mulf %s, %factor : f32
        %changed = arith.addf %t, %key : f32
        attn.yield %changed : f32
      } -> tensor<1x4x4x32xf32>
  return %o : tensor<1x4x4x32xf32>
}
