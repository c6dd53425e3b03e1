// Causal attention of a usual size, written in the dialect itself: 4 heads of
// 2048 rows and dimension 64. There is no data beside it; it is for measuring.
func.func @causal_2048(%query: tensor<1x4x2048x64xf32>, %key: tensor<1x4x2048x64xf32>,
                       %value: tensor<1x4x2048x64xf32>) -> tensor<1x4x2048x64xf32> {
  %init = tensor.empty() : tensor<1x4x2048x64xf32>
  %out = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(top_left) masks [#attn.causal]
      ins(%query, %key, %value : tensor<1x4x2048x64xf32>, tensor<1x4x2048x64xf32>, tensor<1x4x2048x64xf32>)
      outs(%init : tensor<1x4x2048x64xf32>) -> tensor<1x4x2048x64xf32>
  return %out : tensor<1x4x2048x64xf32>
}
