// RUN: attn-opt %s --canonicalize | FileCheck %s

// A layer norm that is not centred is an rms norm.
// CHECK-LABEL: @layer_uncentered
// CHECK: attn.norm rms axes
func.func @layer_uncentered(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = attn.norm layer uncentered axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// And a centred rms norm is a layer norm.
// CHECK-LABEL: @rms_centered
// CHECK: attn.norm layer axes
func.func @rms_centered(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = attn.norm rms centered axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A centred l2 norm has no other name.
// CHECK-LABEL: @l2_centered
// CHECK: attn.norm l2 centered axes
func.func @l2_centered(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = attn.norm l2 centered axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// What the kind says anyway is dropped.
// CHECK-LABEL: @said_twice
// CHECK: attn.norm layer axes [1] eps(1.000000e-05) ins
func.func @said_twice(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = attn.norm layer centered axes [1] eps(1.0e-5) affine_axes [1] ins(%x : tensor<4x8xf32>) gamma(%g : tensor<8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Ones and zeros change nothing; twos do.
// CHECK-LABEL: @neutral
// CHECK: attn.norm layer {{.*}} ins(%{{.*}} : tensor<4x8xf32>) outs
// CHECK: attn.norm layer {{.*}} gamma
func.func @neutral(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %twos = arith.constant dense<2.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %0 = attn.norm layer axes [1] eps(1.0e-5) ins(%x : tensor<4x8xf32>) gamma(%ones : tensor<8xf32>) beta(%zeros : tensor<8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = attn.norm layer axes [1] eps(1.0e-5) ins(%0 : tensor<4x8xf32>) gamma(%twos : tensor<8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
