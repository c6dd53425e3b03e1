func.func @product(%x: tensor<36x128xbf16>, %w: tensor<128x64xbf16>) -> tensor<36x64xf32> {
  %e = tensor.empty() : tensor<36x64xf32>
  %y = attn.linear ins(%x, %w : tensor<36x128xbf16>, tensor<128x64xbf16>) outs(%e : tensor<36x64xf32>) -> tensor<36x64xf32>
  return %y : tensor<36x64xf32>
}
