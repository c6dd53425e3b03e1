// All scores at once have 2^62 - 2^32 + 1 elements.
func.func @f(%q: tensor<2147483647x8xf32>, %k: tensor<2147483647x8xf32>) -> tensor<2147483647x8xf32> {
  %o = tensor.empty() : tensor<2147483647x8xf32>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2147483647x8xf32>, tensor<2147483647x8xf32>, tensor<2147483647x8xf32>)
      outs(%o : tensor<2147483647x8xf32>) -> tensor<2147483647x8xf32>
  return %r : tensor<2147483647x8xf32>
}
