// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-fuse-rope --attn-fuse-qk-norm --split-input-file --verify-diagnostics=only-expected | FileCheck %s

// Norms of heads before rotations come first; the key's norm stays where its
// rotation does, with gamma for each head of its own.
// CHECK: #[[GAMMA:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3)>
// CHECK: #[[TABLE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3)>
// CHECK-LABEL: @prefill
// CHECK-SAME: (%[[Q:[a-z0-9]+]]: tensor<512x4x64xf32>, %[[K:[a-z0-9]+]]: tensor<512x4x64xf32>, %[[G:[a-z0-9]+]]: tensor<64xf32>
// CHECK: attn.norm {{.*}} ins(%[[K]]
// CHECK-NOT: attn.norm
// CHECK: attn.attention {{.*}} load_query [#attn.row_norm<rms, eps = {{1.0+e-06}}, gamma>, #attn.rotate<interleaved, dims = 64>] schedule(#attn.schedule<{{.*}}>) indexing_maps [{{.*}}, #[[GAMMA]], #[[TABLE]], #{{[a-z0-9]+}}] ins(%[[Q]], {{.*}} params(%[[G]], %{{.*}} : tensor<64xf32>, tensor<512x64xf32>)
func.func @prefill(%q: tensor<512x4x64xf32>, %k: tensor<512x4x64xf32>, %g: tensor<64xf32>, %h: tensor<4x64xf32>, %e: tensor<512x4x64xf32>) -> tensor<512x4x64xf32> {
  // expected-remark @+1 {{[attn-r421] attn.norm of the query is done when the attention loads its rows}}
  %a = attn.norm rms axes [2] eps(1.0e-6) ins(%q : tensor<512x4x64xf32>) gamma(%g : tensor<64xf32>) outs(%e : tensor<512x4x64xf32>) -> tensor<512x4x64xf32>
  // expected-remark @+1 {{[attn-r421] attn.rope of the query is done when the attention loads its rows}}
  %b = attn.rope row_dim(0) ins(%a : tensor<512x4x64xf32>) outs(%e : tensor<512x4x64xf32>) -> tensor<512x4x64xf32>
  // expected-remark @+1 {{[attn-r422] attn.norm of the key stays: a key is loaded 6 times}}
  %c = attn.norm rms axes [2] eps(1.0e-6) affine_axes [1, 2] ins(%k : tensor<512x4x64xf32>) gamma(%h : tensor<4x64xf32>) outs(%e : tensor<512x4x64xf32>) -> tensor<512x4x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [affine_map<(h, m, n, d, e) -> (m, h, d)>, affine_map<(h, m, n, d, e) -> (n, h, d)>, affine_map<(h, m, n, d, e) -> (n, h, e)>, affine_map<(h, m, n, d, e) -> (m, h, e)>] ins(%b, %c, %k : tensor<512x4x64xf32>, tensor<512x4x64xf32>, tensor<512x4x64xf32>) outs(%e : tensor<512x4x64xf32>) -> tensor<512x4x64xf32>
  return %o : tensor<512x4x64xf32>
}

// -----

// Decoding loads a key once. An uncentred layer norm is an rms norm, and a
// centred rms norm is a layer norm; gamma by head follows the key's heads.
// CHECK: #[[BETA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4)>
// CHECK: #[[GAMMA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1 floordiv 2, d4)>
// CHECK-LABEL: @decode
// CHECK-NOT: attn.norm
// CHECK: load_query [#attn.row_norm<rms, eps = {{1.0+e-05}}, beta>] load_key [#attn.row_norm<layer, eps = {{1.0+e-05}}, mode = max_norm, gamma>] schedule(#attn.schedule<{{.*}}>) indexing_maps [{{.*}}, #[[BETA]], #[[GAMMA]], #{{[a-z0-9]+}}] ins(
func.func @decode(%q: tensor<1x4x1x64xf16>, %k: tensor<1x2x?x64xf16>, %g: tensor<2x64xf16>, %b: tensor<64xf16>) -> tensor<1x4x1x64xf16> {
  // expected-remark @+1 {{attn.norm of the query is done when the attention loads its rows}}
  %x = attn.norm layer uncentered axes [3] eps(1.0e-5) ins(%q : tensor<1x4x1x64xf16>) beta(%b : tensor<64xf16>) outs(%q : tensor<1x4x1x64xf16>) -> tensor<1x4x1x64xf16>
  // expected-remark @+1 {{attn.norm of the key is done when the attention loads its rows}}
  %y = attn.norm rms centered axes [3] eps(max_norm 1.0e-5) affine_axes [1, 3] ins(%k : tensor<1x2x?x64xf16>) gamma(%g : tensor<2x64xf16>) outs(%k : tensor<1x2x?x64xf16>) -> tensor<1x2x?x64xf16>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%x, %y, %k : tensor<1x4x1x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>) outs(%q : tensor<1x4x1x64xf16>) -> tensor<1x4x1x64xf16>
  return %o : tensor<1x4x1x64xf16>
}

// -----

// A norm over heads and elements is not one of rows.
// CHECK-LABEL: @over_heads
// CHECK: attn.norm
// CHECK-NOT: load_query
func.func @over_heads(%q: tensor<9x4x64xf32>, %k: tensor<9x4x64xf32>) -> tensor<9x4x64xf32> {
  // expected-remark @+1 {{attn.norm of the query stays: it is more than a norm of each row}}
  %x = attn.norm rms axes [1, 2] eps(1.0e-5) ins(%q : tensor<9x4x64xf32>) outs(%q : tensor<9x4x64xf32>) -> tensor<9x4x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [affine_map<(h, m, n, d, e) -> (m, h, d)>, affine_map<(h, m, n, d, e) -> (n, h, d)>, affine_map<(h, m, n, d, e) -> (n, h, e)>, affine_map<(h, m, n, d, e) -> (m, h, e)>] ins(%x, %k, %k : tensor<9x4x64xf32>, tensor<9x4x64xf32>, tensor<9x4x64xf32>) outs(%q : tensor<9x4x64xf32>) -> tensor<9x4x64xf32>
  return %o : tensor<9x4x64xf32>
}

// -----

// Neither is one whose gamma differs by row, nor one with a residual.
// CHECK-LABEL: @by_row
// CHECK: attn.norm
// CHECK: attn.norm
// CHECK-NOT: load_
func.func @by_row(%q: tensor<4x9x64xf32>, %k: tensor<4x9x64xf32>, %g: tensor<9x64xf32>) -> tensor<4x9x64xf32> {
  // expected-remark @+1 {{attn.norm of the query stays: it is more than a norm of each row}}
  %x = attn.norm rms axes [2] eps(1.0e-5) affine_axes [1, 2] ins(%q : tensor<4x9x64xf32>) gamma(%g : tensor<9x64xf32>) outs(%q : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  // expected-remark @+1 {{attn.norm of the key stays: it is more than a norm of each row}}
  %y = attn.norm rms axes [2] eps(1.0e-5) ins(%k : tensor<4x9x64xf32>) residual(%q : tensor<4x9x64xf32>) outs(%k : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%x, %y, %k : tensor<4x9x64xf32>, tensor<4x9x64xf32>, tensor<4x9x64xf32>) outs(%q : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  return %o : tensor<4x9x64xf32>
}

// -----

// A norm before a rotation that stays is not seen by the attention's loads.
// CHECK-LABEL: @behind_rotation
// CHECK: attn.norm
// CHECK: attn.rope
// CHECK-NOT: load_
func.func @behind_rotation(%q: tensor<4x9x64xf32>, %k: tensor<4x700x64xf32>, %e: tensor<4x700x64xf32>, %o: tensor<4x9x64xf32>) -> (tensor<4x9x64xf32>, tensor<4x700x64xf32>) {
  // expected-remark @+1 {{[attn-r422] attn.norm of the key stays: attn.rope, which follows it, is not part of the attention (attn-fuse-rope comes first)}}
  %x = attn.norm rms axes [2] eps(1.0e-5) ins(%k : tensor<4x700x64xf32>) outs(%e : tensor<4x700x64xf32>) -> tensor<4x700x64xf32>
  // expected-remark @+1 {{attn.rope of the key stays: its result has other uses}}
  %y = attn.rope ins(%x : tensor<4x700x64xf32>) outs(%e : tensor<4x700x64xf32>) -> tensor<4x700x64xf32>
  %z = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %y, %k : tensor<4x9x64xf32>, tensor<4x700x64xf32>, tensor<4x700x64xf32>) outs(%o : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  return %z, %y : tensor<4x9x64xf32>, tensor<4x700x64xf32>
}
