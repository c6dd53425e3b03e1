// Two sequences of any length; the keys are as many as it takes.
func.func @attention(%q: tensor<2x?x40xf32>, %k: tensor<2x?x40xf32>, %v: tensor<2x?x24xf32>)
    -> (tensor<2x?x24xf32>, tensor<2x?xf32>) {
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %q, %c1 : tensor<2x?x40xf32>
  %init = tensor.empty(%rows) : tensor<2x?x24xf32>
  %lse_init = tensor.empty(%rows) : tensor<2x?xf32>
  %o, %lse = attn.attention scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax1)
      align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<2x?x40xf32>, tensor<2x?x40xf32>, tensor<2x?x24xf32>)
      outs(%init, %lse_init : tensor<2x?x24xf32>, tensor<2x?xf32>) -> tensor<2x?x24xf32>, tensor<2x?xf32>
  return %o, %lse : tensor<2x?x24xf32>, tensor<2x?xf32>
}
