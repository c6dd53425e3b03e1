// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --split-input-file --verify-diagnostics | FileCheck %s

// Rows along the last dimension: a work item reads 256 KiB.
// CHECK-LABEL: @rows
// CHECK: schedule(#attn.softmax_schedule<rows = 16, lanes = 16, unroll = 4, stream = {{[0-9]+}}, whole = {{[0-9]+}}, segment = 16384>)
func.func @rows(%x: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  // expected-remark @+1 {{[attn-r261] fast path: #attn.softmax_schedule<rows = 16, lanes = 16, unroll = 4}}
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<?x4096xbf16>) outs(%x : tensor<?x4096xbf16>) -> tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

// -----

// Rows of unknown size.
// CHECK-LABEL: @unknown
// CHECK: schedule(#attn.softmax_schedule<rows = 64, lanes = 8
func.func @unknown(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  // expected-remark @+1 {{[attn-r261] fast path}}
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax1) ins(%x : tensor<?x?xf64>) outs(%x : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// -----

// Along another dimension the scratch memory of a panel is half of the cache:
// the longer the rows, the fewer of them stand side by side. It is all of the
// cache, and pieces of rows are longer, where numbers come from beyond it.
// CHECK-LABEL: @across
// CHECK: dim(0) schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 4
// CHECK: dim(0) schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 2
// CHECK: dim(0) schedule(#attn.softmax_schedule<rows = 102, lanes = 16, unroll = 4
// CHECK: dim(0) schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 4
// CHECK: dim(0) schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 8
func.func @across(%x: tensor<1024x512xf32>, %y: tensor<4096x500xf32>, %z: tensor<10x512xf32>, %u: tensor<?x512xf32>, %v: tensor<1024x8192xf32>)
    -> (tensor<1024x512xf32>, tensor<4096x500xf32>, tensor<10x512xf32>, tensor<?x512xf32>, tensor<1024x8192xf32>) {
  // expected-remark @+1 {{[attn-r261] fast path}}
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0) ins(%x : tensor<1024x512xf32>) outs(%x : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  // expected-remark @+1 {{[attn-r261] fast path}}
  %1 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0) ins(%y : tensor<4096x500xf32>) outs(%y : tensor<4096x500xf32>) -> tensor<4096x500xf32>
  // expected-remark @+1 {{[attn-r261] fast path}}
  %2 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0) ins(%z : tensor<10x512xf32>) outs(%z : tensor<10x512xf32>) -> tensor<10x512xf32>
  // expected-remark @+1 {{[attn-r261] fast path}}
  %3 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0) ins(%u : tensor<?x512xf32>) outs(%u : tensor<?x512xf32>) -> tensor<?x512xf32>
  // expected-remark @+1 {{[attn-r261] fast path}}
  %4 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0) ins(%v : tensor<1024x8192xf32>) outs(%v : tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
  return %0, %1, %2, %3, %4 : tensor<1024x512xf32>, tensor<4096x500xf32>, tensor<10x512xf32>, tensor<?x512xf32>, tensor<1024x8192xf32>
}
