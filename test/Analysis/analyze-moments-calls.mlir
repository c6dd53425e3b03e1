// RUN: attn-opt %s -o /dev/null --attn-analyze-moments="text=%t.txt" 2>/dev/null
// RUN: FileCheck %s < %t.txt
// RUN: attn-opt %s --inline | attn-opt -o /dev/null --attn-analyze-moments="text=%t.inlined" 2>/dev/null
// RUN: FileCheck %s < %t.inlined

// Residual blocks in functions that are called: the blocks are those of the
// inlined program, which is read by the same lines.

func.func private @layer(%h: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %f = attn.linear ins(%h, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %f : tensor<8x64xf32>
}
func.func private @norm(%h: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%h : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %n : tensor<8x64xf32>
}
func.func private @branch(%h: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %n = call @norm(%h) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %f = call @layer(%n, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %f : tensor<8x64xf32>
}
func.func private @norm_of_layer(%h: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %f = attn.linear ins(%h, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%f : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %n : tensor<8x64xf32>
}

// Pre Norm: the layer, the norm, both in functions of their own, and both in one
// that calls the others.
// CHECK-LABEL: Moments of @pre
// CHECK: residual block policy
// CHECK-NEXT: 0.0 pre 1 1 2 0.5 0.5
// CHECK-NEXT: 0.1 pre 2 1 3 0.3333 0.3333
// CHECK-NEXT: 0.2 pre 3 1 4 0.25 0.25
// CHECK-NEXT: 0.3 pre 4 1 5 0.2 0.2
// CHECK-NEXT: assumed
func.func @pre(%x: tensor<8x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %n0 = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %f0 = call @layer(%n0, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %s0 = arith.addf %x, %f0 : tensor<8x64xf32>
  %n1 = call @norm(%s0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %f1 = attn.linear ins(%n1, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s1 = arith.addf %f1, %s0 : tensor<8x64xf32>
  %n2 = call @norm(%s1) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %f2 = call @layer(%n2, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %s2 = arith.addf %s1, %f2 : tensor<8x64xf32>
  %f3 = call @branch(%s2, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %s3 = arith.addf %s2, %f3 : tensor<8x64xf32>
  return %s3 : tensor<8x64xf32>
}

// Post Norm: what the sum is read through may be a function, or the first thing
// that one does; the next block begins behind it.
// CHECK-LABEL: Moments of @post
// CHECK: residual block policy
// CHECK-NEXT: 0.0 post 1 1 1 0.5 0.5
// CHECK-NEXT: 0.1 post 1 1 1 0.25 0.5
// CHECK-NEXT: 0.2 post 1 1 1 0.125 0.5
// CHECK-NEXT: assumed
func.func @post(%x: tensor<8x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %f0 = call @layer(%x, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %s0 = arith.addf %x, %f0 : tensor<8x64xf32>
  %n0 = call @norm(%s0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %f1 = call @layer(%n0, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %s1 = arith.addf %n0, %f1 : tensor<8x64xf32>
  %n1 = attn.norm rms axes [1] eps(1.0e-06) ins(%s1 : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %f2 = call @layer(%n1, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %s2 = arith.addf %n1, %f2 : tensor<8x64xf32>
  %f3 = call @branch(%s2, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %f3 : tensor<8x64xf32>
}

// A norm behind the layer is neither: x + norm(f(x)) has no policy.
// CHECK-LABEL: Moments of @neither
// CHECK: residual block policy
// CHECK-NEXT: 0.0 sum 1 1 2 0.5 0.5
// CHECK-NEXT: assumed
func.func @neither(%x: tensor<8x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %f0 = call @norm_of_layer(%x, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %s0 = arith.addf %x, %f0 : tensor<8x64xf32>
  return %s0 : tensor<8x64xf32>
}

// A function of x that has no layer in it, and a layer that does not read x,
// are no branches.
// CHECK-LABEL: Moments of @none
// CHECK-NOT: residual block
// CHECK-LABEL: Moments of @region
func.func private @second(%h: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %z = arith.constant dense<0.5> : tensor<8x64xf32>
  %f = attn.linear ins(%z, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %f : tensor<8x64xf32>
}
func.func @none(%x: tensor<8x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %n0 = call @norm(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %s0 = arith.addf %x, %n0 : tensor<8x64xf32>
  %f1 = call @second(%s0, %v) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %s1 = arith.addf %s0, %f1 : tensor<8x64xf32>
  return %s1 : tensor<8x64xf32>
}

// The region of an attn.residual may call.
// CHECK: residual block policy
// CHECK-NEXT: 0.0 pre 1 1 2 0.5 0.5
// CHECK-NEXT: 0.1 post 2 1 1 0.3333 0.3333
// CHECK-NEXT: assumed
func.func @region(%x: tensor<8x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %s0 = attn.residual pre(%x : tensor<8x64xf32>) norm {
  ^bb0(%k: tensor<8x64xf32>):
    %n = func.call @norm(%k) : (tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %n : tensor<8x64xf32>
  } branch {
  ^bb0(%k: tensor<8x64xf32>):
    %f = func.call @layer(%k, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    attn.yield %f : tensor<8x64xf32>
  }
  %s1 = attn.residual post(%s0 : tensor<8x64xf32>) norm {
  ^bb0(%k: tensor<8x64xf32>):
    %n = func.call @norm(%k) : (tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %n : tensor<8x64xf32>
  } branch {
  ^bb0(%k: tensor<8x64xf32>):
    %f = func.call @branch(%k, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    attn.yield %f : tensor<8x64xf32>
  }
  return %s1 : tensor<8x64xf32>
}

// A function that calls itself ends the search.
// CHECK-LABEL: Moments of @recursive
// CHECK: not followed: {{.*}} the function calls itself
func.func private @forever(%h: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %f = call @forever(%h, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %s = arith.addf %h, %f : tensor<8x64xf32>
  return %s : tensor<8x64xf32>
}
func.func @recursive(%x: tensor<8x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %f0 = call @forever(%x, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %s0 = arith.addf %x, %f0 : tensor<8x64xf32>
  return %s0 : tensor<8x64xf32>
}
