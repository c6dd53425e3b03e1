// A classifier by similarity: cosines of 32 embeddings with 1000 class vectors of dimension 128, scaled with the number of
// classes, and a class that says "none of them".
// build/bin/attn-run examples/softmax.mlir --check
func.func @classify(%cosines: tensor<32x1000xf32>) -> tensor<32x1000xf32> {
  %init = tensor.empty() : tensor<32x1000xf32>
  %p = attn.softmax scale(#attn.gradient_max_fit<scores = cosine, n = keys>) softmax(#attn.softmax1) head_dim(128)
      ins(%cosines : tensor<32x1000xf32>) outs(%init : tensor<32x1000xf32>) -> tensor<32x1000xf32>
  return %p : tensor<32x1000xf32>
}
