// What stands in the epilogue of a layer is seen as what stands behind one.

// RUN: attn-opt %s --attn-lint -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-lint=fix -o %t.mlir 2>/dev/null
// RUN: FileCheck %s < %t.mlir
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2>&1 | count 0

// tanh, a sigmoid of four ops, the second behind a bias of its columns, and a
// softplus: the gain goes behind the layer for all that read it.
// CHECK-LABEL: @functions
// CHECK: math.tanh
// CHECK: arith.constant 1.592
// CHECK: arith.mulf
// CHECK: arith.divf
// CHECK: arith.constant 1.846
// CHECK: arith.mulf
// CHECK: math.log1p
// CHECK: arith.constant 1.04
// CHECK: arith.mulf
func.func @functions(%x: tensor<16x64xf32>, %b: tensor<64xf32> {attn.moments = array<f64: 0.0, 0.0>}, %w: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %h1 = attn.linear ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) epilogue {
  ^bb0(%a: f32):
    // expected-warning@below {{[attn-w103] math.tanh: tanh turns a second moment of 1 into 0.3943, and the layer after it has 0.3943}}
    // expected-note@below {{mend it by a factor of 1.593 behind it}}
    %t = math.tanh %a : f32
    attn.yield %t : f32
  } -> tensor<16x64xf32>
  %y1 = attn.linear ins(%h1, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %h2 = attn.linear ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) extras(%b : tensor<64xf32>) outs(%e : tensor<16x64xf32>) epilogue {
  ^bb0(%a: f32, %bias: f32):
    %first = arith.constant 1.0 : f32
    %s = arith.addf %a, %bias : f32
    %n = arith.negf %s : f32
    %p = math.exp %n : f32
    %q = arith.addf %p, %first : f32
    // expected-warning@below {{[attn-w103] arith.divf: sigmoid turns a second moment of 1 into 0.2934, and the layer after it has 0.2934}}
    // expected-note@below {{mend it by a factor of 1.846 behind it}}
    %t = arith.divf %first, %q : f32
    attn.yield %t : f32
  } -> tensor<16x64xf32>
  %y2 = attn.linear ins(%h2, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %h3 = attn.linear ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) extras(%one : f32) outs(%e : tensor<16x64xf32>) epilogue {
  ^bb0(%a: f32, %number: f32):
    %p = math.exp %a : f32
    %scaled = arith.mulf %p, %number : f32
    // expected-warning@below {{[attn-w103] math.log1p: softplus turns a second moment of 1 into}}
    // expected-note@below {{mend it by a factor of 1.04}}
    %t = math.log1p %scaled : f32
    attn.yield %t : f32
  } -> tensor<16x64xf32>
  %y3 = attn.linear ins(%h3, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y1, %y2, %y3 : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
}

// Sums are of f32, the rest is of bf16: the mend is of the result's type.
// CHECK-LABEL: @half
// CHECK: arith.constant 1.59{{.*}} : bf16
func.func @half(%x: tensor<16x64xbf16>, %b: tensor<64xbf16> {attn.moments = array<f64: 0.0, 0.0>}, %w: tensor<64x64xbf16>) -> tensor<16x64xbf16> {
  %e = tensor.empty() : tensor<16x64xbf16>
  %h = attn.linear ins(%x, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) extras(%b : tensor<64xbf16>) outs(%e : tensor<16x64xbf16>) epilogue {
  ^bb0(%a: f32, %bias: f32):
    %s = arith.addf %a, %bias : f32
    // expected-warning@below {{[attn-w103] math.tanh: tanh turns a second moment of 1 into 0.3943}}
    // expected-note@below {{mend it by a factor of 1.593 behind it}}
    %t = math.tanh %s : f32
    attn.yield %t : f32
  } -> tensor<16x64xbf16>
  %y = attn.linear ins(%h, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %y : tensor<16x64xbf16>
}
