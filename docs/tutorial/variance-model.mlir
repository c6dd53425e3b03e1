// An attention layer that forgot its scale, for the analyses: see variance.md.
func.func @unscaled(%x: tensor<512x256xf32>, %wq: tensor<256x64xf32>, %wk: tensor<256x64xf32>, %wv: tensor<256x64xf32>)
    -> tensor<512x64xf32> {
  %e = tensor.empty() : tensor<512x64xf32>
  %q = attn.linear ins(%x, %wq : tensor<512x256xf32>, tensor<256x64xf32>) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<512x256xf32>, tensor<256x64xf32>) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %v = attn.linear ins(%x, %wv : tensor<512x256xf32>, tensor<256x64xf32>) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %q1 = tensor.expand_shape %q [[0, 1], [2]] output_shape [1, 512, 64] : tensor<512x64xf32> into tensor<1x512x64xf32>
  %k1 = tensor.expand_shape %k [[0, 1], [2]] output_shape [1, 512, 64] : tensor<512x64xf32> into tensor<1x512x64xf32>
  %v1 = tensor.expand_shape %v [[0, 1], [2]] output_shape [1, 512, 64] : tensor<512x64xf32> into tensor<1x512x64xf32>
  %oe = tensor.empty() : tensor<1x512x64xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q1, %k1, %v1 : tensor<1x512x64xf32>, tensor<1x512x64xf32>, tensor<1x512x64xf32>)
      outs(%oe : tensor<1x512x64xf32>) -> tensor<1x512x64xf32>
  %r = tensor.collapse_shape %o [[0, 1], [2]] : tensor<1x512x64xf32> into tensor<512x64xf32>
  return %r : tensor<512x64xf32>
}
