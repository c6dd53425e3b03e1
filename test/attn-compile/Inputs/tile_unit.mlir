// A product and attentions in bf16 that a tile unit takes: all keys, and with a
// mask, whose edge tiles have a form of their own.
func.func @unit(%x: tensor<96x256xbf16>, %w: tensor<256x128xbf16>, %q: tensor<64x128xbf16>, %k: tensor<256x128xbf16>, %v: tensor<256x128xbf16>)
    -> (tensor<96x128xf32>, tensor<64x128xbf16>, tensor<64x128xbf16>) {
  %e = tensor.empty() : tensor<96x128xf32>
  %y = attn.linear ins(%x, %w : tensor<96x256xbf16>, tensor<256x128xbf16>) outs(%e : tensor<96x128xf32>) -> tensor<96x128xf32>
  %init = tensor.empty() : tensor<64x128xbf16>
  %plain = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left)
      ins(%q, %k, %v : tensor<64x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>)
      outs(%init : tensor<64x128xbf16>) -> tensor<64x128xbf16>
  %causal = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<64x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>)
      outs(%init : tensor<64x128xbf16>) -> tensor<64x128xbf16>
  return %y, %plain, %causal : tensor<96x128xf32>, tensor<64x128xbf16>, tensor<64x128xbf16>
}
