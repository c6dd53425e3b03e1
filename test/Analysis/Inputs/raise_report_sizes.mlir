// Two attentions of unknown length that have nothing in common.
func.func @two(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %u: tensor<32x64xf32>, %n: index) -> (tensor<?x64xf32>, tensor<?x32xf32>) {
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %f = tensor.empty(%n) : tensor<?x32xf32>
  %q = attn.linear weight(out_in) ins(%x, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %a = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
    ins(%q, %x, %x : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %p = attn.linear weight(out_in) ins(%a, %u : tensor<?x64xf32>, tensor<32x64xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %b = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    ins(%p, %p, %p : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %a, %b : tensor<?x64xf32>, tensor<?x32xf32>
}
