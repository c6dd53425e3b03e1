// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,V4
// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v3 --attn-select-schedule --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,V3

// The register tile follows the number of vector registers: 8 x 3 or 4 x 3.
// Several groups of 48 or 24 rows share each block of keys.
// CHECK-LABEL: @plain
func.func @plain(%q: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
  // V4: schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3>)
  // V3: schedule(#attn.schedule<rows = 96, keys = 64, lanes = 8, mr = 4, nr = 3>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %0 : tensor<2x96x64xf32>
}

// -----

// With a longer head dimension fewer scores fit beside the packed query in L1.
// CHECK-LABEL: @long_heads
func.func @long_heads(%q: tensor<2x96x128xf32>) -> tensor<2x96x128xf32> {
  // V4: schedule(#attn.schedule<rows = 96, keys = 32, lanes = 16, mr = 8, nr = 3>)
  // V3: schedule(#attn.schedule<rows = 48, keys = 64, lanes = 8, mr = 4, nr = 3>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x96x128xf32>, tensor<2x96x128xf32>, tensor<2x96x128xf32>) outs(%q : tensor<2x96x128xf32>) -> tensor<2x96x128xf32>
  return %0 : tensor<2x96x128xf32>
}

// -----

// What the groups of rows keep no longer fits the stack: as many as a quarter of
// the L2 cache holds.
// CHECK-LABEL: @longest_heads
func.func @longest_heads(%q: tensor<2x2000x512xf32>) -> tensor<2x2000x512xf32> {
  // V4: schedule(#attn.schedule<rows = 48, keys = 32, lanes = 16, mr = 8, nr = 3>)
  // V3: schedule(#attn.schedule<rows = 48, keys = 32, lanes = 8, mr = 4, nr = 3>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x2000x512xf32>, tensor<2x2000x512xf32>, tensor<2x2000x512xf32>) outs(%q : tensor<2x2000x512xf32>) -> tensor<2x2000x512xf32>
  return %0 : tensor<2x2000x512xf32>
}

// -----

// Range masks, per-row scales, sinks and lse are covered; sizes M and N may be
// dynamic.
// CHECK-LABEL: @covered
func.func @covered(%q: tensor<?x4x?x64xf32>, %t: tensor<4xf32>, %l: tensor<?x4x?xf32>) -> tensor<?x4x?x64xf32> {
  // CHECK: schedule(
  // expected-remark @+2 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+1 {{[attn-r302]}}
  %0:2 = attn.attention scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.sink) align(bottom_right) masks [#attn.causal, #attn.window<left = 64, right = 0>]
      ins(%q, %q, %q : tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>) params(%t : tensor<4xf32>)
      outs(%q, %l : tensor<?x4x?x64xf32>, tensor<?x4x?xf32>) -> tensor<?x4x?x64xf32>, tensor<?x4x?xf32>
  return %0#0 : tensor<?x4x?x64xf32>
}

// -----

// A block computes what its rows see together: narrow windows ask for few rows.
// CHECK-LABEL: @narrow_window
func.func @narrow_window(%q: tensor<2x960x64xf32>) -> tensor<2x960x64xf32> {
  // V4: schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 8, nr = 2>)
  // V3: schedule(#attn.schedule<rows = 24, keys = 64, lanes = 8, mr = 4, nr = 3>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 286, right = 80>, #attn.causal] ins(%q, %q, %q : tensor<2x960x64xf32>, tensor<2x960x64xf32>, tensor<2x960x64xf32>) outs(%q : tensor<2x960x64xf32>) -> tensor<2x960x64xf32>
  return %0 : tensor<2x960x64xf32>
}

// -----

// CHECK-LABEL: @wide_window
func.func @wide_window(%q: tensor<2x960x64xf32>) -> tensor<2x960x64xf32> {
  // V4: schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 286, right = 1>] ins(%q, %q, %q : tensor<2x960x64xf32>, tensor<2x960x64xf32>, tensor<2x960x64xf32>) outs(%q : tensor<2x960x64xf32>) -> tensor<2x960x64xf32>
  return %0 : tensor<2x960x64xf32>
}

// -----

// Scores may be changed in every way.
// CHECK-LABEL: @score_changes
func.func @score_changes(%q: tensor<2x96x64xf32>, %m: tensor<96x96xi1>, %b: tensor<2x96x96xf32>) -> tensor<2x96x64xf32> {
  // CHECK: schedule(
  // expected-remark @+2 {{[attn-r201] fast path: }}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.constant<30.0>) similarity(#attn.cosine<eps = 1.0e-6, mode = max_norm>) softmax(#attn.softmax) bias [#attn.dense_bias] masks [#attn.dense_mask] softcap(30.0) ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) params(%b, %m : tensor<2x96x96xf32>, tensor<96x96xi1>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %0 : tensor<2x96x64xf32>
}

// -----

// Each reason for the portable path is named.
// CHECK-LABEL: @dynamic_head_dim
func.func @dynamic_head_dim(%q: tensor<2x96x?xf32>) -> tensor<2x96x?xf32> {
  // CHECK-NOT: schedule(
  // expected-remark @+2 {{[attn-r213] portable path: the head dimension is dynamic}}
  // expected-remark @+1 {{[attn-r302]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x96x?xf32>, tensor<2x96x?xf32>, tensor<2x96x?xf32>) outs(%q : tensor<2x96x?xf32>) -> tensor<2x96x?xf32>
  return %0 : tensor<2x96x?xf32>
}

// -----

// One boolean for two rows.
#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#coarse = affine_map<(h, m, n, d, e) -> (m floordiv 2, n)>
// CHECK-LABEL: @coarse_mask
func.func @coarse_mask(%q: tensor<2x96x64xf32>, %m: tensor<48x96xi1>) -> tensor<2x96x64xf32> {
  // CHECK-NOT: schedule(
  // expected-remark @+2 {{[attn-r214] portable path: a param has one element for several rows or keys}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask] indexing_maps [#q, #k, #v, #coarse, #o] ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) params(%m : tensor<48x96xi1>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %0 : tensor<2x96x64xf32>
}
