// An ntk layer with weights drawn for the standard one, for the analyses: see ntk.md.
func.func @mixed(%x: tensor<64x512xf32>, %seed: i64) -> tensor<64x512xf32> {
  %we = tensor.empty() : tensor<512x512xf32>
  %w = attn.init normal variance(lecun) seed(%seed : i64) outs(%we : tensor<512x512xf32>) -> tensor<512x512xf32>
  %e = tensor.empty() : tensor<64x512xf32>
  %y = attn.linear parameterisation(ntk) ins(%x, %w : tensor<64x512xf32>, tensor<512x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
