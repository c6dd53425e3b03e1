// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --split-input-file --verify-diagnostics | FileCheck %s

// Rows of known size: a work item reads a MiB.
// CHECK-LABEL: @rows
// CHECK: schedule(#attn.norm_schedule<rows = 64, lanes = 16, unroll = 4, stream = {{[0-9]+}}>)
func.func @rows(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  // expected-remark @+1 {{[attn-r251] fast path: #attn.norm_schedule<rows = 64, lanes = 16, unroll = 4}}
  %0 = attn.norm layer axes [1] eps(1.0e-5) ins(%x : tensor<?x4096xf32>) outs(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}

// -----

// Statistics beside the data: a panel of columns, all rows of it.
// CHECK-LABEL: @given
// CHECK: schedule(#attn.norm_schedule<rows = 1, lanes = 16, unroll = 4, stream = {{[0-9]+}}, panel = 4096, chunk = {{[0-9]+}}>)
func.func @given(%x: tensor<8x64xf32>, %s: tensor<64xf32>) -> tensor<8x64xf32> {
  // expected-remark @+1 {{[attn-r251] fast path: #attn.norm_schedule<rows = 1, lanes = 16}}
  %0 = attn.norm batch axes [0] eps(1.0e-5) ins(%x : tensor<8x64xf32>) statistics(%s, %s : tensor<64xf32>, tensor<64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// Few rows: a cache holds whole columns, and memory is read once.
// CHECK-LABEL: @columns
// CHECK: panel = 4096>)
func.func @columns(%x: tensor<8x100000xf32>) -> tensor<8x100000xf32> {
  // expected-remark @+1 {{[attn-r251] fast path: #attn.norm_schedule<rows = 8, lanes = 16}}
  %0 = attn.norm l2 axes [0] eps(1.0e-5) ins(%x : tensor<8x100000xf32>) outs(%x : tensor<8x100000xf32>) -> tensor<8x100000xf32>
  return %0 : tensor<8x100000xf32>
}

// -----

// Many rows: chunks of them, of a MiB.
// CHECK-LABEL: @long_columns
// CHECK: panel = 4096, chunk = 256>)
func.func @long_columns(%x: tensor<65536x1024xf32>) -> tensor<65536x1024xf32> {
  // expected-remark @+1 {{[attn-r251] fast path: #attn.norm_schedule<rows = 1, lanes = 16}}
  %0 = attn.norm layer axes [0] eps(1.0e-5) ins(%x : tensor<65536x1024xf32>) outs(%x : tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %0 : tensor<65536x1024xf32>
}

// -----

// Channels of images: as many together as a cache holds twice over.
// CHECK-LABEL: @channels
// CHECK: panel = {{[0-9]+}}>)
func.func @channels(%x: tensor<16x1024x64x64xf32>) -> tensor<16x1024x64x64xf32> {
  // expected-remark @+1 {{[attn-r251] fast path: #attn.norm_schedule<rows = 4, lanes = 16}}
  %0 = attn.norm batch axes [0, 2, 3] eps(1.0e-5) ins(%x : tensor<16x1024x64x64xf32>) outs(%x : tensor<16x1024x64x64xf32>) -> tensor<16x1024x64x64xf32>
  return %0 : tensor<16x1024x64x64xf32>
}

// -----

// Runs of 49 elements are read with those of the other channels.
// CHECK-LABEL: @short_runs
// CHECK: chunk = {{[0-9]+}}>)
func.func @short_runs(%x: tensor<16x1024x7x7xf32>) -> tensor<16x1024x7x7xf32> {
  // expected-remark @+1 {{[attn-r251] fast path: #attn.norm_schedule<rows = 1, lanes = 16}}
  %0 = attn.norm batch axes [0, 2, 3] eps(1.0e-5) ins(%x : tensor<16x1024x7x7xf32>) outs(%x : tensor<16x1024x7x7xf32>) -> tensor<16x1024x7x7xf32>
  return %0 : tensor<16x1024x7x7xf32>
}

// -----

// gamma has a dimension of both sorts.
// CHECK-LABEL: @affine
// CHECK: schedule(#attn.norm_schedule<rows = 256, lanes = 16, unroll = 4, stream = {{[0-9]+}}>)
func.func @affine(%x: tensor<4x8x64xf32>, %g: tensor<8x64xf32>) -> tensor<4x8x64xf32> {
  // expected-remark @+1 {{[attn-r251] fast path: #attn.norm_schedule<rows = 256, lanes = 16}}
  %0 = attn.norm rms axes [2] eps(1.0e-5) affine_axes [1, 2] ins(%x : tensor<4x8x64xf32>) gamma(%g : tensor<8x64xf32>) outs(%x : tensor<4x8x64xf32>) -> tensor<4x8x64xf32>
  return %0 : tensor<4x8x64xf32>
}
