// RUN: attn-opt %s --verify-roundtrip | FileCheck %s

// Params of the query's changes stand before those of the key's; heads of the
// key are groups of the query's.
// CHECK-LABEL: @both
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) load_query [#attn.row_norm<rms, eps = {{1.0+e-06}}, gamma>, #attn.rotate<interleaved, dims = 32>] load_key [#attn.row_norm<layer, eps = {{1.0+e-05}}, mode = max_norm, gamma, beta>, #attn.rotate<half_split, dims = 64>] ins(
// CHECK-SAME: params(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<64xf16>, tensor<9x64xf32>, tensor<64xf16>, tensor<64xf16>, tensor<2x17x64xf32>)
func.func @both(%q: tensor<2x4x9x64xf16>, %k: tensor<2x2x17x64xf16>, %g: tensor<64xf16>, %s: tensor<9x64xf32>, %t: tensor<2x17x64xf32>) -> tensor<2x4x9x64xf16> {
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      load_query [#attn.row_norm<rms, eps = 1.0e-6, gamma>, #attn.rotate<interleaved, dims = 32>]
      load_key [#attn.row_norm<layer, eps = 1.0e-5, mode = max_norm, gamma, beta>, #attn.rotate<half_split, dims = 64>]
      ins(%q, %k, %k : tensor<2x4x9x64xf16>, tensor<2x2x17x64xf16>, tensor<2x2x17x64xf16>)
      params(%g, %s, %g, %g, %t : tensor<64xf16>, tensor<9x64xf32>, tensor<64xf16>, tensor<64xf16>, tensor<2x17x64xf32>)
      outs(%q : tensor<2x4x9x64xf16>) -> tensor<2x4x9x64xf16>
  return %o : tensor<2x4x9x64xf16>
}

// Params of masks stand before those of loaded rows.
// CHECK-LABEL: @after_masks
// CHECK: masks [#attn.dense_mask] load_key [#attn.row_norm<l2, eps = {{0.0+e\+00}}, beta>] ins(
// CHECK-SAME: params(%{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<9x17xi1>, tensor<64xf32>)
func.func @after_masks(%q: tensor<4x9x64xf32>, %k: tensor<4x17x64xf32>, %m: tensor<9x17xi1>, %b: tensor<64xf32>) -> tensor<4x9x64xf32> {
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask]
      load_key [#attn.row_norm<l2, eps = 0.0, mode = rsqrt_sum, beta>]
      ins(%q, %k, %k : tensor<4x9x64xf32>, tensor<4x17x64xf32>, tensor<4x17x64xf32>)
      params(%m, %b : tensor<9x17xi1>, tensor<64xf32>)
      outs(%q : tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  return %o : tensor<4x9x64xf32>
}
