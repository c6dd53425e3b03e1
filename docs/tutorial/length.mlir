// The attention of the model of length.md, with the scale that carries it to longer sequences.
func.func @head(%q: tensor<1x?x32xf32>, %k: tensor<1x?x32xf32>, %v: tensor<1x?x32xf32>, %init: tensor<1x?x32xf32>) -> tensor<1x?x32xf32> {
  %o = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x?x32xf32>, tensor<1x?x32xf32>, tensor<1x?x32xf32>) outs(%init : tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
  return %o : tensor<1x?x32xf32>
}
