// RUN: attn-opt %s --split-input-file --verify-diagnostics

// A table must run along the head dimension.
func.func @attention_c16(%q: tensor<4x16x64xf32>, %t: tensor<16xf32>) {
  // expected-error @+1 {{attention_c16: param 'sines and cosines' must vary with the head dimension}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) load_query [#attn.rotate<interleaved, dims = 64>] indexing_maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>, affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (m)>, affine_map<(h, m, n, d, e) -> (h, m, e)>] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%t : tensor<16xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// A row has no more pairs than it has elements.
func.func @attention_c16_dims(%q: tensor<4x16x64xf32>, %t: tensor<16x64xf32>) {
  // expected-error @+1 {{attention_c16: a rotation of 66 elements of rows of 64}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) load_key [#attn.rotate<interleaved, dims = 66>] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%t : tensor<16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// The query's table has query rows, not keys.
func.func @attention_c8_rows(%q: tensor<4x16x64xf32>, %t: tensor<16x64xf32>) {
  // expected-error @+1 {{attention_c8: param 'sines and cosines' must not vary as its map}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) load_query [#attn.rotate<interleaved, dims = 64>] indexing_maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>, affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (n, d)>, affine_map<(h, m, n, d, e) -> (h, m, e)>] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%t : tensor<16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// A key is loaded once for a group of query heads, so gamma has key heads.
func.func @attention_c16_heads(%q: tensor<4x16x64xf32>, %k: tensor<2x16x64xf32>, %g: tensor<4x64xf32>) {
  // expected-error @+1 {{attention_c16: a param of loaded rows is indexed as the rows are}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) load_key [#attn.row_norm<rms, eps = 1.0, gamma>] ins(%q, %k, %k : tensor<4x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf32>) params(%g : tensor<4x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// A list of changes is not empty.
func.func @attention_c16_empty(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c16: without changes of rows there is no load_query}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) {load_query = []} -> tensor<4x16x64xf32>
  return
}

// -----

// A packed query is what attn.pack_query made of it.
#q = affine_map<(h, m, n, d, e) -> (d, m)>
#k = affine_map<(h, m, n, d, e) -> (n, d)>
#v = affine_map<(h, m, n, d, e) -> (n, e)>
#a = affine_map<(h, m, n, d, e) -> (e, m)>
#s = affine_map<(h, m, n, d, e) -> (m)>
#g = affine_map<(h, m, n, d, e) -> (d)>
func.func @attention_c16_packed(%q: tensor<64x48xf32>, %k: tensor<16x64xf32>, %r: tensor<48xf32>, %g: tensor<64xf32>, %i: index) {
  // expected-error @+1 {{attention_c16: a packed query is changed already}}
  %0:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) load_query [#attn.row_norm<rms, eps = 1.0, gamma>] indexing_maps [#q, #k, #v, #s, #g, #a, #s, #s] origin(%i, %i, %i, %i, %i) sizes(%i, %i, %i, %i, %i) ins(%q, %k, %k : tensor<64x48xf32>, tensor<16x64xf32>, tensor<16x64xf32>) params(%r, %g : tensor<48xf32>, tensor<64xf32>) outs(%q, %r, %r : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
  return
}

// -----

// Only changes of rows are done to rows.
func.func @not_a_change(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{loaded rows are changed by #attn.row_norm and #attn.rotate, not by #attn.causal}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) load_query [#attn.causal] ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// Statistics of a row, not of a batch.
// expected-error @+1 {{a row norm is layer, rms or l2, not batch}}
func.func private @kind() attributes {change = #attn.row_norm<batch, eps = 1.0>}

// -----

// Roots of negative numbers are no norms.
// expected-error @+1 {{eps must not be negative, got -1}}
func.func private @eps() attributes {change = #attn.row_norm<rms, eps = -1.0>}

// -----

// Options are named.
// expected-error @+1 {{expected mode, gamma or beta}}
func.func private @option() attributes {change = #attn.row_norm<rms, eps = 1.0, delta>}

// -----

// There are two uses of eps.
// expected-error @+1 {{expected rsqrt_sum or max_norm}}
func.func private @mode() attributes {change = #attn.row_norm<rms, eps = 1.0, mode = min_norm>}

// -----

// Pairs have two elements.
// expected-error @+1 {{dims counts the elements of whole pairs, got 7}}
func.func private @odd() attributes {change = #attn.rotate<interleaved, dims = 7>}
