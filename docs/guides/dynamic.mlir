// An attention whose head dimension is known at run time only.
func.func @heads(%q: tensor<4x64x?xf32>, %o: tensor<4x64x?xf32>) -> tensor<4x64x?xf32> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    ins(%q, %q, %q : tensor<4x64x?xf32>, tensor<4x64x?xf32>, tensor<4x64x?xf32>) outs(%o : tensor<4x64x?xf32>) -> tensor<4x64x?xf32>
  return %r : tensor<4x64x?xf32>
}
