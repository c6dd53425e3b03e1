// RUN: attn-opt %s --attn-select-schedule=target=cpu:x86-64-v4 --split-input-file --verify-diagnostics | FileCheck %s

// Rows of known size: a work item reads a MiB.
// CHECK-LABEL: @rows
// CHECK: schedule(#attn.norm_schedule<rows = 64, lanes = 16, unroll = 4, stream = {{[0-9]+}}>)
func.func @rows(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  // expected-remark @+1 {{[attn-r251] fast path: #attn.norm_schedule<rows = 64, lanes = 16, unroll = 4}}
  %0 = attn.norm layer axes [1] eps(1.0e-5) ins(%x : tensor<?x4096xf32>) outs(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}

// -----

// Statistics beside the data.
// CHECK-LABEL: @given
// CHECK-NOT: schedule
func.func @given(%x: tensor<8x64xf32>, %s: tensor<64xf32>) -> tensor<8x64xf32> {
  // expected-remark @+1 {{[attn-r252] portable path: given or running statistics of a batch}}
  %0 = attn.norm batch axes [0] eps(1.0e-5) ins(%x : tensor<8x64xf32>) statistics(%s, %s : tensor<64xf32>, tensor<64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// Columns are no rows.
// CHECK-LABEL: @columns
// CHECK-NOT: schedule
func.func @columns(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-remark @+1 {{[attn-r253] portable path: the normalised dimensions are not the last ones}}
  %0 = attn.norm l2 axes [0] eps(1.0e-5) ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// gamma has a dimension of both sorts.
// CHECK-LABEL: @affine
// CHECK-NOT: schedule
func.func @affine(%x: tensor<4x8x64xf32>, %g: tensor<8x64xf32>) -> tensor<4x8x64xf32> {
  // expected-remark @+1 {{[attn-r254] portable path: gamma and beta go neither by element nor by row}}
  %0 = attn.norm rms axes [2] eps(1.0e-5) affine_axes [1, 2] ins(%x : tensor<4x8x64xf32>) gamma(%g : tensor<8x64xf32>) outs(%x : tensor<4x8x64xf32>) -> tensor<4x8x64xf32>
  return %0 : tensor<4x8x64xf32>
}
