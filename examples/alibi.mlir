// ALiBi: a key loses -slope_h for each position that it lies behind the query, with
// the slopes 2^-2, 2^-4, 2^-6 and 2^-8 of four heads.
//   attn-run examples/alibi.mlir --check
func.func @alibi(%q: tensor<1x4x160x32xf32>, %k: tensor<1x4x160x32xf32>, %v: tensor<1x4x160x32xf32>) -> tensor<1x4x160x32xf32> {
  %init = tensor.empty() : tensor<1x4x160x32xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) bias [#attn.alibi] masks [#attn.causal]
      ins(%q, %k, %v : tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>)
      outs(%init : tensor<1x4x160x32xf32>) -> tensor<1x4x160x32xf32>
  return %o : tensor<1x4x160x32xf32>
}
