// RUN: attn-opt %s --attn-lint -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-lint=fix -o %t.mlir 2>/dev/null
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2>&1 | count 0
// RUN: FileCheck %s < %t.mlir

// A sigmoid of normal numbers has the second moment 0.29338; LeCun's weights
// pass it on.
// CHECK-LABEL: @sigmoid
// CHECK: attn.activation sigmoid unit_moment
func.func @sigmoid(%x: tensor<16x64xf32>, %w1: tensor<64x256xf32>, %w2: tensor<256x64xf32>) -> tensor<16x64xf32> {
  %e1 = tensor.empty() : tensor<16x256xf32>
  %e2 = tensor.empty() : tensor<16x64xf32>
  %h = attn.linear ins(%x, %w1 : tensor<16x64xf32>, tensor<64x256xf32>) outs(%e1 : tensor<16x256xf32>) -> tensor<16x256xf32>
  // expected-warning@below {{[attn-w103] attn.activation: sigmoid turns a second moment of 1 into 0.2934, and the layer after it has 0.2934}}
  // expected-note@below {{mend it by unit_moment}}
  %f = attn.activation sigmoid %h : tensor<16x256xf32>
  %y = attn.linear ins(%f, %w2 : tensor<16x256xf32>, tensor<256x64xf32>) outs(%e2 : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// tanh: 0.39429. A view in between, and a product of the linalg dialect.
// CHECK-LABEL: @tanh
// CHECK: attn.activation tanh centered unit_moment
func.func @tanh(%x: tensor<4x4x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  // expected-warning@below {{[attn-w103] attn.activation: tanh turns a second moment of 1 into 0.3943, and the layer after it has 0.3943}}
  // expected-note@below {{mend it by unit_moment}}
  %f = attn.activation tanh centered %x : tensor<4x4x64xf32>
  %v = tensor.collapse_shape %f [[0, 1], [2]] : tensor<4x4x64xf32> into tensor<16x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %y = linalg.matmul ins(%v, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// softplus: 0.92057, which sixteen layers in a row make 0.27.
// CHECK-LABEL: @softplus
// CHECK: attn.activation softplus unit_moment
func.func @softplus(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  // expected-warning-re@below {{[attn-w103] attn.activation: softplus turns a second moment of 1 into {{0.9[0-9]+}}, and the layer after it has 0.9}}
  // expected-note@below {{mend it by unit_moment}}
  %f = attn.activation softplus %x : tensor<16x64xf32>
  %y = attn.linear ins(%f, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}
