// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --split-input-file --verify-diagnostics | FileCheck %s

// A chunk is 64 KiB: some lines, or a part of a long one.
// CHECK-LABEL: @whole
// CHECK: schedule(#attn.statistics_schedule<chunks = 8, lines = 32, columns = 16384, lanes = 8, unroll = 4>)
func.func @whole(%x: tensor<?x512xf32>, %e: tensor<f32>) -> tensor<f32> {
  // expected-remark @+1 {{[attn-r271] fast path: #attn.statistics_schedule<chunks = 8, lines = 32, columns = 16384, lanes = 8, unroll = 4>}}
  %0 = attn.statistics kurtosis ins(%x : tensor<?x512xf32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The largest magnitude needs no wider numbers.
// CHECK-LABEL: @largest
// CHECK: schedule(#attn.statistics_schedule<chunks = 8, lines = 1, columns = 32768, lanes = 16, unroll = 4>)
func.func @largest(%x: tensor<8x100000xbf16>, %e: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @+1 {{[attn-r271] fast path}}
  %0 = attn.statistics infinity_norm axes [1] ins(%x : tensor<8x100000xbf16>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// f64 is read twice, the second time from the first cache.
// CHECK-LABEL: @twice
// CHECK: schedule(#attn.statistics_schedule<chunks = 32, lines = 1, columns = 2048, lanes = 8, unroll = 4>)
func.func @twice(%x: tensor<8x100000xf64>, %e: tensor<f64>) -> tensor<f64> {
  // expected-remark @+1 {{[attn-r271] fast path}}
  %0 = attn.statistics kurtosis ins(%x : tensor<8x100000xf64>) outs(%e : tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// Columns are no rows.
// CHECK-LABEL: @columns
// CHECK-NOT: schedule
func.func @columns(%x: tensor<8x64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  // expected-remark @+1 {{[attn-r272] portable path: the reduced dimensions are not the last ones}}
  %0 = attn.statistics kurtosis axes [0] ins(%x : tensor<8x64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// The windows of a convolution are too short.
// CHECK-LABEL: @windows
// CHECK-NOT: schedule
func.func @windows(%x: tensor<64x32x3x3xf32>, %e: tensor<f32>) -> tensor<f32> {
  // expected-remark @+1 {{[attn-r273] portable path: blocks of the last two dimensions are short}}
  %0 = attn.statistics kurtosis ins(%x : tensor<64x32x3x3xf32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
