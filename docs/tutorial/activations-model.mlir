// Three layers with a sigmoid and no gain, for the analyses: see activations.md.
func.func @sigmoids(%x: tensor<64x512xf32>, %w0: tensor<512x512xf32>, %w1: tensor<512x512xf32>, %w2: tensor<512x512xf32>)
    -> tensor<64x512xf32> {
  %e = tensor.empty() : tensor<64x512xf32>
  %h0 = attn.linear ins(%x, %w0 : tensor<64x512xf32>, tensor<512x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  %y0 = attn.activation sigmoid %h0 : tensor<64x512xf32>
  %h1 = attn.linear ins(%y0, %w1 : tensor<64x512xf32>, tensor<512x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  %y1 = attn.activation sigmoid %h1 : tensor<64x512xf32>
  %y = attn.linear ins(%y1, %w2 : tensor<64x512xf32>, tensor<512x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
