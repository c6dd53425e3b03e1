// Blocks of products, with the right operand in panels, and attentions of types
// that are widened.
func.func @products(%x: tensor<480x512xf32>, %w: tensor<512x384xf32>, %t: tensor<384x512xf32>)
    -> (tensor<480x384xf32>, tensor<480x384xf32>) {
  %e = tensor.empty() : tensor<480x384xf32>
  %0 = attn.linear ins(%x, %w : tensor<480x512xf32>, tensor<512x384xf32>) outs(%e : tensor<480x384xf32>)
      -> tensor<480x384xf32>
  %1 = attn.linear weight(out_in) ins(%x, %t : tensor<480x512xf32>, tensor<384x512xf32>)
      outs(%e : tensor<480x384xf32>) -> tensor<480x384xf32>
  return %0, %1 : tensor<480x384xf32>, tensor<480x384xf32>
}

func.func @widened(%q: tensor<48x64xbf16>, %k: tensor<256x64xbf16>, %v: tensor<256x64xbf16>,
                   %q16: tensor<48x64xf16>, %k16: tensor<256x64xf16>, %v16: tensor<256x64xf16>)
    -> (tensor<48x64xbf16>, tensor<48x64xf16>) {
  %init = tensor.empty() : tensor<48x64xbf16>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left)
      ins(%q, %k, %v : tensor<48x64xbf16>, tensor<256x64xbf16>, tensor<256x64xbf16>)
      outs(%init : tensor<48x64xbf16>) -> tensor<48x64xbf16>
  %init16 = tensor.empty() : tensor<48x64xf16>
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left)
      ins(%q16, %k16, %v16 : tensor<48x64xf16>, tensor<256x64xf16>, tensor<256x64xf16>)
      outs(%init16 : tensor<48x64xf16>) -> tensor<48x64xf16>
  return %0, %1 : tensor<48x64xbf16>, tensor<48x64xf16>
}
