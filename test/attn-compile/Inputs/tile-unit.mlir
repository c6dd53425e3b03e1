// An attention without tails, and a linear layer.
func.func @attn(%q: tensor<1x2048x64xbf16>, %k: tensor<1x2048x64xbf16>, %v: tensor<1x2048x64xbf16>, %o: tensor<1x2048x64xbf16>) -> tensor<1x2048x64xbf16> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %v : tensor<1x2048x64xbf16>, tensor<1x2048x64xbf16>, tensor<1x2048x64xbf16>) outs(%o : tensor<1x2048x64xbf16>) -> tensor<1x2048x64xbf16>
  return %0 : tensor<1x2048x64xbf16>
}
func.func @layer(%x: tensor<512x1024xbf16>, %w: tensor<1024x1024xbf16>, %o: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
  %y = attn.linear ins(%x, %w : tensor<512x1024xbf16>, tensor<1024x1024xbf16>) outs(%o : tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  return %y : tensor<512x1024xbf16>
}
