// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-fuse-rope --split-input-file --verify-diagnostics=only-expected | FileCheck %s

// A query row is loaded once. A key is loaded for each block of rows, here ten
// times, so that its rotation stays.
// CHECK-LABEL: @prefill
// CHECK-SAME: (%[[Q:[a-z0-9]+]]: tensor<1x4x512x64xf32>, %[[K:[a-z0-9]+]]: tensor<1x4x512x64xf32>
// CHECK: %[[T:.*]] = attn.sinusoidal_positions pairs(half_split) base({{5.0+e\+05}}) schedule(#attn.position_schedule<{{.*}}>) outs(%{{.*}} : tensor<512x64xf32>) -> tensor<512x64xf32>
// CHECK: %[[R:.*]] = attn.rope {{.*}} ins(%[[K]]
// CHECK: attn.attention {{.*}} load_query [#attn.rotate<interleaved, dims = 64>] schedule(#attn.schedule<{{.*}}>) ins(%[[Q]], %[[R]], %{{.*}}) params(%[[T]] : tensor<512x64xf32>)
func.func @prefill(%q: tensor<1x4x512x64xf32>, %k: tensor<1x4x512x64xf32>, %e: tensor<1x4x512x64xf32>) -> tensor<1x4x512x64xf32> {
  // expected-remark @+1 {{[attn-r421] attn.rope of the query is done when the attention loads its rows}}
  %a = attn.rope base(500000.0) ins(%q : tensor<1x4x512x64xf32>) outs(%e : tensor<1x4x512x64xf32>) -> tensor<1x4x512x64xf32>
  // expected-remark @+1 {{[attn-r422] attn.rope of the key stays: a key is loaded 11 times}}
  %b = attn.rope base(500000.0) ins(%k : tensor<1x4x512x64xf32>) outs(%e : tensor<1x4x512x64xf32>) -> tensor<1x4x512x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal] ins(%a, %b, %k : tensor<1x4x512x64xf32>, tensor<1x4x512x64xf32>, tensor<1x4x512x64xf32>) outs(%e : tensor<1x4x512x64xf32>) -> tensor<1x4x512x64xf32>
  return %o : tensor<1x4x512x64xf32>
}

// -----

// Decoding serves the heads of a group together: keys are loaded once. Here the
// heads lie after the rows, and a part of each row turns.
// CHECK: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3)>
// CHECK: #[[KEYS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3)>
// CHECK-LABEL: @decode
// CHECK-SAME: (%[[Q:[a-z0-9]+]]: tensor<1x4x64xf16>, %[[K:[a-z0-9]+]]: tensor<?x2x64xf16>, %[[P:[a-z0-9]+]]: index
// CHECK: attn.sinusoidal_positions pairs(half_split) schedule(#attn.position_schedule<{{.*}}>) offset(%[[P]] : index) outs(%{{.*}} : tensor<1x32xf32>) -> tensor<1x32xf32>
// CHECK: %[[A:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<1x64xf32>
// CHECK: %[[B:.*]] = tensor.insert_slice %{{.*}} : tensor<?x32xf32> into tensor<?x64xf32>
// CHECK-NOT: attn.rope
// CHECK: attn.attention {{.*}} load_query [#attn.rotate<half_split, dims = 32>] load_key [#attn.rotate<half_split, dims = 32>] schedule(#attn.schedule<{{.*}}>) indexing_maps [{{.*}}, #[[ROWS]], #[[KEYS]], #{{[a-z0-9]+}}] ins(%[[Q]], %[[K]], %{{.*}}) params(%[[A]], %[[B]] : tensor<1x64xf32>, tensor<?x64xf32>)
func.func @decode(%q: tensor<1x4x64xf16>, %k: tensor<?x2x64xf16>, %past: index, %e: tensor<1x4x64xf16>) -> tensor<1x4x64xf16> {
  // expected-remark @+1 {{attn.rope of the query is done when the attention loads its rows}}
  %a = attn.rope pairs(half_split) rotary_dim(32) row_dim(0) ins(%q : tensor<1x4x64xf16>) offset(%past : index) outs(%e : tensor<1x4x64xf16>) -> tensor<1x4x64xf16>
  // expected-remark @+1 {{attn.rope of the key is done when the attention loads its rows}}
  %b = attn.rope pairs(half_split) rotary_dim(32) row_dim(0) ins(%k : tensor<?x2x64xf16>) outs(%k : tensor<?x2x64xf16>) -> tensor<?x2x64xf16>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [affine_map<(h, m, n, d, e) -> (m, h, d)>, affine_map<(h, m, n, d, e) -> (n, h floordiv 2, d)>, affine_map<(h, m, n, d, e) -> (n, h floordiv 2, e)>, affine_map<(h, m, n, d, e) -> (m, h, e)>] ins(%a, %b, %k : tensor<1x4x64xf16>, tensor<?x2x64xf16>, tensor<?x2x64xf16>) outs(%e : tensor<1x4x64xf16>) -> tensor<1x4x64xf16>
  return %o : tensor<1x4x64xf16>
}

// -----

// Positions of their own for each sequence make a table for each.
// CHECK-LABEL: @by_sequence
// CHECK: attn.sinusoidal_positions pairs(half_split) schedule(#attn.position_schedule<{{.*}}>) offset(%{{.*}} : tensor<2xi64>) outs(%{{.*}} : tensor<2x3x64xf64>)
// CHECK: attn.attention {{.*}} load_query [#attn.rotate<interleaved, dims = 64>] schedule(#attn.schedule<{{.*}}>) ins({{.*}}) params(%{{.*}} : tensor<2x3x64xf64>)
func.func @by_sequence(%q: tensor<2x4x3x64xf64>, %k: tensor<2x4x9x64xf64>, %p: tensor<2xi64>) -> tensor<2x4x3x64xf64> {
  // expected-remark @+1 {{attn.rope of the query is done}}
  %a = attn.rope ins(%q : tensor<2x4x3x64xf64>) offset(%p : tensor<2xi64>) outs(%q : tensor<2x4x3x64xf64>) -> tensor<2x4x3x64xf64>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>, affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>] ins(%a, %k, %k : tensor<2x4x3x64xf64>, tensor<2x4x9x64xf64>, tensor<2x4x9x64xf64>) outs(%q : tensor<2x4x3x64xf64>) -> tensor<2x4x3x64xf64>
  return %o : tensor<2x4x3x64xf64>
}

// -----

// The rotated key goes to a cache as well.
// CHECK-LABEL: @cache
// CHECK: attn.rope
// CHECK-NOT: load_key
func.func @cache(%q: tensor<4x1x64xf32>, %k: tensor<4x9x64xf32>) -> (tensor<4x1x64xf32>, tensor<4x9x64xf32>) {
  // expected-remark @+1 {{attn.rope of the key stays: its result has other uses}}
  %b = attn.rope ins(%k : tensor<4x9x64xf32>) outs(%k : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %b, %k : tensor<4x1x64xf32>, tensor<4x9x64xf32>, tensor<4x9x64xf32>) outs(%q : tensor<4x1x64xf32>) -> tensor<4x1x64xf32>
  return %o, %b : tensor<4x1x64xf32>, tensor<4x9x64xf32>
}

// -----

// A dynamic number of query rows may be many.
// CHECK-LABEL: @unknown
// CHECK: attn.rope
func.func @unknown(%q: tensor<4x?x64xf32>, %k: tensor<4x9x64xf32>) -> tensor<4x?x64xf32> {
  // expected-remark @+1 {{attn.rope of the key stays: how often a key is loaded is not known}}
  %b = attn.rope ins(%k : tensor<4x9x64xf32>) outs(%k : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %b, %k : tensor<4x?x64xf32>, tensor<4x9x64xf32>, tensor<4x9x64xf32>) outs(%q : tensor<4x?x64xf32>) -> tensor<4x?x64xf32>
  return %o : tensor<4x?x64xf32>
}

// -----

// Heads, not rows, have positions here.
// CHECK-LABEL: @heads
// CHECK: attn.rope
func.func @heads(%q: tensor<4x9x64xf32>) -> tensor<4x9x64xf32> {
  // expected-remark @+1 {{attn.rope of the query stays: its rows are not those of the attention}}
  %b = attn.rope row_dim(0) ins(%q : tensor<4x9x64xf32>) outs(%q : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%b, %q, %q : tensor<4x9x64xf32>, tensor<4x9x64xf32>, tensor<4x9x64xf32>) outs(%q : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  return %o : tensor<4x9x64xf32>
}

// -----

// The attention's rows run along another dimension than those that turn.
// CHECK-LABEL: @columns
// CHECK: attn.rope
func.func @columns(%q: tensor<64x16xf32>, %k: tensor<9x16xf32>, %i: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-remark @+1 {{attn.rope of the query stays: its rows do not lie along the last dimension}}
  %b = attn.rope ins(%i : tensor<16x16xf32>) outs(%i : tensor<16x16xf32>) -> tensor<16x16xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [affine_map<(m, n, d, e) -> (d, m)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>] ins(%b, %k, %k : tensor<16x16xf32>, tensor<9x16xf32>, tensor<9x16xf32>) outs(%i : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %o : tensor<16x16xf32>
}

// -----

// Without a fast path the rows would be changed element by element.
// CHECK-LABEL: @portable
// CHECK: attn.rope
func.func @portable(%q: tensor<4x9x64xf32>, %k: tensor<4x9x64xf32>, %v: tensor<4x9x?xf32>, %i: tensor<4x9x?xf32>) -> tensor<4x9x?xf32> {
  // expected-remark @+1 {{attn.rope of the query stays: the attention has no fast path}}
  %b = attn.rope ins(%q : tensor<4x9x64xf32>) outs(%q : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%b, %k, %v : tensor<4x9x64xf32>, tensor<4x9x64xf32>, tensor<4x9x?xf32>) outs(%i : tensor<4x9x?xf32>) -> tensor<4x9x?xf32>
  return %o : tensor<4x9x?xf32>
}

// -----

// Tables have a number for each element, where a loaded row takes one for a pair.
// CHECK-LABEL: @tables
// CHECK: attn.rope
// CHECK-NOT: load_query
func.func @tables(%q: tensor<4x9x64xf32>, %t: tensor<9x64xf32>) -> tensor<4x9x64xf32> {
  // expected-remark @+1 {{attn.rope of the query stays: its cosines and sines are given element by element}}
  %a = attn.rope ins(%q : tensor<4x9x64xf32>) cosines(%t : tensor<9x64xf32>) sines(%t : tensor<9x64xf32>) outs(%q : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%a, %q, %q : tensor<4x9x64xf32>, tensor<4x9x64xf32>, tensor<4x9x64xf32>) outs(%q : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  return %o : tensor<4x9x64xf32>
}
