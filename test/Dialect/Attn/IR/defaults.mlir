// What is taken where nothing is said. Params of rank 1 of a score region are one number a head.
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

// What a policy with n counts where nothing is said: keys, to the base 512.
// CHECK-LABEL: @lengths
// CHECK-SAME: a = #attn.log_length<base = 5.120000e+02, n = keys>
// CHECK-SAME: b = #attn.log_length<base = 6.400000e+01, n = keys>
// CHECK-SAME: c = #attn.log_length<base = 5.120000e+02, n = seen>
// CHECK-SAME: d = #attn.gradient_max<scores = normal, n = keys>
// CHECK-SAME: e = #attn.gradient_max_fit<scores = cosine, n = keys>
// CHECK-SAME: f = #attn.gradient_max_fit<scores = normal, n = half_max(300)>
func.func private @lengths() attributes {
  a = #attn.log_length, b = #attn.log_length<base = 64>, c = #attn.log_length<n = seen>, d = #attn.gradient_max<scores = normal>,
  e = #attn.gradient_max_fit<scores = cosine>, f = #attn.gradient_max_fit<scores = normal, n = half_max(300)>}
