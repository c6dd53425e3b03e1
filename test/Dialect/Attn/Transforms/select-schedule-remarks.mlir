// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --verify-diagnostics | FileCheck %s

// Few rows are decoded; the cost is that of one pass over keys and values.
// CHECK-LABEL: @decode
func.func @decode(%q: tensor<2x1x64xf32>, %k: tensor<2x48x64xf32>) -> tensor<2x1x64xf32> {
  // CHECK: schedule(
  // expected-remark @+2 {{[attn-r202] fast path: decode, #attn.schedule<}}
  // expected-remark @+1 {{[attn-r301] 24576 flops on 50176 bytes of operands and results}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %k : tensor<2x1x64xf32>, tensor<2x48x64xf32>, tensor<2x48x64xf32>) outs(%q : tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
  return %0 : tensor<2x1x64xf32>
}

// -----

// A causal mask leaves half of the pairs; sizes that are not known leave what a
// pair costs.
// CHECK-LABEL: @cost
func.func @cost(%q: tensor<2x?x64xf32>, %p: tensor<2x8x64xf32>) {
  // expected-remark @+2 {{[attn-r201]}}
  // expected-remark @+1 {{[attn-r302] 256 flops for each visible pair of row and key; sizes are known at run time}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) outs(%q : tensor<2x?x64xf32>) -> tensor<2x?x64xf32>
  // expected-remark @+2 {{[attn-r201]}}
  // expected-remark @+1 {{[attn-r301] 18432 flops on 16384 bytes of operands and results}}
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal] ins(%p, %p, %p : tensor<2x8x64xf32>, tensor<2x8x64xf32>, tensor<2x8x64xf32>) outs(%p : tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  return
}

// -----

// An attention on memrefs has no tiles.
func.func @memrefs(%q: memref<2x8x64xf32>) {
  // expected-remark @+1 {{[attn-r211] portable path: operands are not tensors}}
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : memref<2x8x64xf32>, memref<2x8x64xf32>, memref<2x8x64xf32>) outs(%q : memref<2x8x64xf32>)
  return
}

// -----

// Probes are no obstacle.
func.func @probes(%q: tensor<2x8x64xf32>, %r: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-remark @+2 {{[attn-r201]}}
  // expected-remark @+1 {{[attn-r301]}}
  %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<entropy>] ins(%q, %q, %q : tensor<2x8x64xf32>, tensor<2x8x64xf32>, tensor<2x8x64xf32>) outs(%q, %r : tensor<2x8x64xf32>, tensor<2x8xf32>) -> tensor<2x8x64xf32>, tensor<2x8xf32>
  return %0#1 : tensor<2x8xf32>
}

// -----

// One row could be decoded, but its head dimension is too long to unroll.
func.func @long_heads(%q: tensor<2x1x1024xf32>) -> tensor<2x1x1024xf32> {
  // expected-remark @+3 {{[attn-r221] not decoded: the head or value dimension is above 512}}
  // expected-remark @+2 {{[attn-r201]}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x1x1024xf32>, tensor<2x1x1024xf32>, tensor<2x1x1024xf32>) outs(%q : tensor<2x1x1024xf32>) -> tensor<2x1x1024xf32>
  return %0 : tensor<2x1x1024xf32>
}

// -----

// Values that lie with the keys innermost are not read as rows.
#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, e, n)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
func.func @layout(%q: tensor<2x1x64xf32>, %k: tensor<2x64x64xf32>) -> tensor<2x1x64xf32> {
  // expected-remark @+3 {{[attn-r222] not decoded: value rows are not contiguous}}
  // expected-remark @+2 {{[attn-r201]}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [#q, #k, #v, #o] ins(%q, %k, %k : tensor<2x1x64xf32>, tensor<2x64x64xf32>, tensor<2x64x64xf32>) outs(%q : tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
  return %0 : tensor<2x1x64xf32>
}

// -----

// A range of keys does not know where the segment of the row starts.
func.func @segments(%q: tensor<1x2x1x64xf32>, %k: tensor<1x2x96x64xf32>, %rows: tensor<1x1xi32>, %keys: tensor<1x96xi32>) -> tensor<1x2x1x64xf32> {
  // expected-remark @+3 {{[attn-r223] not decoded: the scale counts positions within segments}}
  // expected-remark @+2 {{[attn-r201]}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax) align(top_left) masks [#attn.segment_ids] ins(%q, %k, %k : tensor<1x2x1x64xf32>, tensor<1x2x96x64xf32>, tensor<1x2x96x64xf32>) params(%rows, %keys : tensor<1x1xi32>, tensor<1x96xi32>) outs(%q : tensor<1x2x1x64xf32>) -> tensor<1x2x1x64xf32>
  return %0 : tensor<1x2x1x64xf32>
}

// -----

// The key heads serve two query heads each, the sink three: a work item would
// need parts of it.
#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h floordiv 2, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h floordiv 2, n, e)>
#t = affine_map<(h, m, n, d, e) -> (h floordiv 3)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
func.func @groups(%q: tensor<6x1x64xf32>, %k: tensor<3x96x64xf32>, %t: tensor<2xf32>) -> tensor<6x1x64xf32> {
  // expected-remark @+3 {{[attn-r224] not decoded: a param is shared by groups of heads that are not groups of the keys}}
  // expected-remark @+2 {{[attn-r201]}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.sink) indexing_maps [#q, #k, #v, #t, #o] ins(%q, %k, %k : tensor<6x1x64xf32>, tensor<3x96x64xf32>, tensor<3x96x64xf32>) params(%t : tensor<2xf32>) outs(%q : tensor<6x1x64xf32>) -> tensor<6x1x64xf32>
  return %0 : tensor<6x1x64xf32>
}

// -----

// Rows of no elements have scores of 0, and values of none no output: nothing to
// put into tiles.
func.func @empty(%q: tensor<2x9x0xf32>, %k: tensor<2x64x0xf32>, %v: tensor<2x64x8xf32>, %o: tensor<2x9x8xf32>, %e: tensor<2x64x0xf32>, %oe: tensor<2x9x0xf32>) -> (tensor<2x9x8xf32>, tensor<2x9x0xf32>) {
  // expected-remark @+2 {{[attn-r216] portable path: the head or value dimension is 0}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %v : tensor<2x9x0xf32>, tensor<2x64x0xf32>, tensor<2x64x8xf32>) outs(%o : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  // expected-remark @+2 {{[attn-r216] portable path: the head or value dimension is 0}}
  // expected-remark @+1 {{[attn-r301]}}
  %1 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%o, %v, %e : tensor<2x9x8xf32>, tensor<2x64x8xf32>, tensor<2x64x0xf32>) outs(%oe : tensor<2x9x0xf32>) -> tensor<2x9x0xf32>
  return %0, %1 : tensor<2x9x8xf32>, tensor<2x9x0xf32>
}

// -----

// What a row sees is counted by a pass of its own, which this pipeline has not.
// CHECK-LABEL: @seen
func.func @seen(%q: tensor<2x9x64xf32>, %mask: tensor<9x9xi1>) -> tensor<2x9x64xf32> {
  // CHECK-NOT: schedule(
  // expected-remark @+1 {{[attn-r220] no schedule: n = seen is to be counted before one is chosen}}
  %0 = attn.attention scale(#attn.log_length<n = seen>) softmax(#attn.softmax) masks [#attn.dense_mask] ins(%q, %q, %q : tensor<2x9x64xf32>, tensor<2x9x64xf32>, tensor<2x9x64xf32>) params(%mask : tensor<9x9xi1>) outs(%q : tensor<2x9x64xf32>) -> tensor<2x9x64xf32>
  return %0 : tensor<2x9x64xf32>
}
