// Weights of a feed-forward layer before training: the variance that keeps the
// second moment through gelu, and its kurtosis (below 3: a normal with its tails
// cut). The same seed gives the same weights on every machine.
//   attn-run examples/init.mlir --check
func.func @feed_forward(%seed: i64) -> (tensor<256x1024xf32>, tensor<f32>) {
  %empty = tensor.empty() : tensor<256x1024xf32>
  %w = attn.init truncated_normal variance(solved) of(gelu) seed(%seed : i64)
      outs(%empty : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  %scalar = tensor.empty() : tensor<f32>
  %k = attn.statistics kurtosis ins(%w : tensor<256x1024xf32>) outs(%scalar : tensor<f32>) -> tensor<f32>
  return %w, %k : tensor<256x1024xf32>, tensor<f32>
}
