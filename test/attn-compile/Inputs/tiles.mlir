// Register tiles of three and, under a narrow window, of two vectors; under a
// causal mask the tiles at the edge have registers for their state, too.
func.func @tiles(%q: tensor<48x64xf32>, %k: tensor<256x64xf32>, %v: tensor<256x64xf32>)
    -> (tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) {
  %init = tensor.empty() : tensor<48x64xf32>
  %plain = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left)
      ins(%q, %k, %v : tensor<48x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>)
      outs(%init : tensor<48x64xf32>) -> tensor<48x64xf32>
  %band = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right)
      masks [#attn.causal, #attn.window<left = 16, right = -1>]
      ins(%q, %k, %v : tensor<48x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>)
      outs(%init : tensor<48x64xf32>) -> tensor<48x64xf32>
  %causal = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<48x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>)
      outs(%init : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %plain, %band, %causal : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>
}
