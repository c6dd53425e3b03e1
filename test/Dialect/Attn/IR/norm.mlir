// RUN: attn-opt %s | FileCheck %s
// RUN: attn-opt %s --mlir-print-op-generic | attn-opt | FileCheck %s

// The least that must be said; gamma follows the normalised dimensions.
// CHECK-LABEL: @rms
// CHECK: attn.norm rms axes [1] eps(1.000000e-05) ins(%{{.*}} : tensor<8x64xf32>) gamma(%{{.*}} : tensor<64xf32>) outs(%{{.*}} : tensor<8x64xf32>) -> tensor<8x64xf32>
func.func @rms(%x: tensor<8x64xf32>, %g: tensor<64xf32>, %init: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<8x64xf32>) gamma(%g : tensor<64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// Every clause that rows know, with dynamic sizes, and f16 beside f32.
// CHECK-LABEL: @layer_with_residual
// CHECK: attn.norm layer uncentered axes [2] eps(max_norm 1.000000e-06) schedule(#attn.norm_schedule<rows = 16, lanes = 16, unroll = 4, stream = 1024>) ins(%{{.*}}) residual(%{{.*}}) gamma(%{{.*}}) beta(%{{.*}}) outs(%{{.*}}) sum(%{{.*}}) -> tensor<?x?x?xf16>, tensor<?x?x?xf16>
func.func @layer_with_residual(%x: tensor<?x?x?xf16>, %g: tensor<?xf32>) -> (tensor<?x?x?xf16>, tensor<?x?x?xf16>) {
  %0:2 = attn.norm layer uncentered axes [2] eps(max_norm 1.0e-6) schedule(#attn.norm_schedule<rows = 16, lanes = 16, unroll = 4, stream = 1024>)
    ins(%x : tensor<?x?x?xf16>) residual(%x : tensor<?x?x?xf16>) gamma(%g : tensor<?xf32>) beta(%g : tensor<?xf32>)
    outs(%x : tensor<?x?x?xf16>) sum(%x : tensor<?x?x?xf16>) -> tensor<?x?x?xf16>, tensor<?x?x?xf16>
  return %0#0, %0#1 : tensor<?x?x?xf16>, tensor<?x?x?xf16>
}

// Instance norm names the channel of its parameters.
// CHECK-LABEL: @instance
// CHECK: attn.norm instance axes [2, 3] eps(0.000000e+00) affine_axes [1] ins
func.func @instance(%x: tensor<2x3x5x7xbf16>, %g: tensor<3xf32>) -> tensor<2x3x5x7xbf16> {
  %0 = attn.norm instance axes [2, 3] eps(0.0) affine_axes [1] ins(%x : tensor<2x3x5x7xbf16>) gamma(%g : tensor<3xf32>) outs(%x : tensor<2x3x5x7xbf16>) -> tensor<2x3x5x7xbf16>
  return %0 : tensor<2x3x5x7xbf16>
}

// Batch norm: of the batch alone, with given statistics, and with running ones.
// CHECK-LABEL: @batch
// CHECK: attn.norm batch axes [0, 2] eps(1.000000e-05) ins(%{{.*}} : tensor<2x3x5xf64>) outs
// CHECK: attn.norm batch axes [0, 2] {{.*}} statistics(%{{.*}}, %{{.*}} : tensor<3xf64>, tensor<3xf64>) outs
// CHECK: attn.norm batch uncentered axes [0, 2] {{.*}} statistics(%{{.*}} : tensor<3xf64>) outs
// CHECK: attn.norm batch axes [0, 2] {{.*}} running(%{{.*}}, %{{.*}} : tensor<3xf64>, tensor<3xf64>) momentum(1.000000e-01) unbiased -> tensor<2x3x5xf64>, tensor<3xf64>, tensor<3xf64>
func.func @batch(%x: tensor<2x3x5xf64>, %s: tensor<3xf64>) {
  %0 = attn.norm batch axes [0, 2] eps(1.0e-5) ins(%x : tensor<2x3x5xf64>) outs(%x : tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  %1 = attn.norm batch axes [0, 2] eps(1.0e-5) ins(%x : tensor<2x3x5xf64>) statistics(%s, %s : tensor<3xf64>, tensor<3xf64>) outs(%x : tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  %2 = attn.norm batch uncentered axes [0, 2] eps(1.0e-5) ins(%x : tensor<2x3x5xf64>) statistics(%s : tensor<3xf64>) outs(%x : tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  %3:3 = attn.norm batch axes [0, 2] eps(1.0e-5) ins(%x : tensor<2x3x5xf64>) outs(%x : tensor<2x3x5xf64>) running(%s, %s : tensor<3xf64>, tensor<3xf64>) momentum(0.1) unbiased -> tensor<2x3x5xf64>, tensor<3xf64>, tensor<3xf64>
  return
}

// On memrefs there are no results.
// CHECK-LABEL: @memrefs
// CHECK: attn.norm l2 axes [0] eps(1.000000e-12) ins(%{{.*}} : memref<?x4xf32>) outs(%{{.*}} : memref<?x4xf32>)
func.func @memrefs(%x: memref<?x4xf32>) {
  attn.norm l2 axes [0] eps(1.0e-12) ins(%x : memref<?x4xf32>) outs(%x : memref<?x4xf32>)
  return
}

// A residual with a factor.
// CHECK-LABEL: @factor
// CHECK: residual(%arg1 : tensor<8x64xf16>) factor(%arg2 : f32) outs(
func.func @factor(%x: tensor<8x64xf16>, %r: tensor<8x64xf16>, %f: f32) -> (tensor<8x64xf16>, tensor<8x64xf16>) {
  %y:2 = attn.norm rms axes [1] eps(1.0e-05) ins(%x : tensor<8x64xf16>) residual(%r : tensor<8x64xf16>) factor(%f : f32) outs(%x : tensor<8x64xf16>) sum(%r : tensor<8x64xf16>) -> tensor<8x64xf16>, tensor<8x64xf16>
  return %y#0, %y#1 : tensor<8x64xf16>, tensor<8x64xf16>
}
