// RUN: attn-opt %s --verify-roundtrip --canonicalize | FileCheck %s

// Activations of numbers, vectors and tensors, centred and scaled.
// CHECK-LABEL: @activations
func.func @activations(%x: tensor<?x4xbf16>, %v: vector<8xf32>, %s: f64) -> (tensor<?x4xbf16>, vector<8xf32>, f64) {
  // CHECK: attn.activation gelu_tanh centered unit_moment %{{.*}} : tensor<?x4xbf16>
  %0 = attn.activation gelu_tanh centered unit_moment %x : tensor<?x4xbf16>
  // CHECK: attn.activation softplus unit_moment %{{.*}} : vector<8xf32>
  %1 = attn.activation softplus unit_moment %v : vector<8xf32>
  // CHECK: attn.activation elu %{{.*}} : f64
  %2 = attn.activation elu %s : f64
  return %0, %1, %2 : tensor<?x4xbf16>, vector<8xf32>, f64
}

// SELU is centred and scaled by its constants.
// CHECK-LABEL: @selu_is_normalised
// CHECK: attn.activation selu %{{.*}} : f32
func.func @selu_is_normalised(%x: f32) -> f32 {
  %0 = attn.activation selu centered unit_moment %x : f32
  return %0 : f32
}

// The second relu changes nothing; one after a gain does not fold.
// CHECK-LABEL: @relu_once
// CHECK-NEXT: %[[R:.*]] = attn.activation relu %arg0
// CHECK-NEXT: %[[G:.*]] = attn.activation relu unit_moment %[[R]]
// CHECK-NEXT: %[[L:.*]] = attn.activation relu %[[G]]
// CHECK-NEXT: return %[[R]], %[[L]]
func.func @relu_once(%x: f32) -> (f32, f32) {
  %0 = attn.activation relu %x : f32
  %1 = attn.activation relu %0 : f32
  %2 = attn.activation relu unit_moment %1 : f32
  %3 = attn.activation relu %2 : f32
  return %1, %3 : f32, f32
}

// Every rule of attn.init in its text form.
// CHECK-LABEL: @inits
func.func @inits(%seed: i64, %w: tensor<8x?xf32>, %k: tensor<3x3x8x4xf32>) -> (tensor<8x?xf32>, tensor<3x3x8x4xf32>) {
  // CHECK: attn.init normal variance({{ ?}}lecun) seed(
  %0 = attn.init normal variance(lecun) seed(%seed : i64) outs(%w : tensor<8x?xf32>) -> tensor<8x?xf32>
  // CHECK: attn.init uniform variance({{ ?}}constant) value(2.500000e-01) mean(1.000000e+00) seed(
  %1 = attn.init uniform variance(constant) value(0.25) mean(1.0) seed(%seed : i64) outs(%0 : tensor<8x?xf32>) -> tensor<8x?xf32>
  // CHECK: attn.init truncated_normal variance({{ ?}}t5) head_dim(64) cut [-1.000000e+00, 3.000000e+00] seed(
  %2 = attn.init truncated_normal variance(t5) head_dim(64) cut [-1.0, 3.0] seed(%seed : i64) outs(%1 : tensor<8x?xf32>) -> tensor<8x?xf32>
  // CHECK: attn.init normal variance({{ ?}}solved) of({{ ?}}silu) seed(
  %3 = attn.init normal variance(solved) of(silu) seed(%seed : i64) outs(%2 : tensor<8x?xf32>) -> tensor<8x?xf32>
  // CHECK: attn.init normal variance({{ ?}}xavier) fan_in [0, 1, 2] fan_out [0, 1, 3] seed(
  %4 = attn.init normal variance(xavier) fan_in [0, 1, 2] fan_out [0, 1, 3] seed(%seed : i64) outs(%k : tensor<3x3x8x4xf32>) -> tensor<3x3x8x4xf32>
  return %3, %4 : tensor<8x?xf32>, tensor<3x3x8x4xf32>
}

// Statistics of all and of rows.
// CHECK-LABEL: @statistics
func.func @statistics(%x: tensor<8x?xf16>, %e: tensor<f32>, %r: tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>) {
  // CHECK: attn.statistics kurtosis ins(
  %0 = attn.statistics kurtosis ins(%x : tensor<8x?xf16>) outs(%e : tensor<f32>) -> tensor<f32>
  // CHECK: attn.statistics infinity_norm axes [1] ins(
  %1 = attn.statistics infinity_norm axes [1] ins(%x : tensor<8x?xf16>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<f32>, tensor<8xf32>
}
