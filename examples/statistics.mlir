// What of a tensor tells that it will not quantise well.
//   attn-run examples/statistics.mlir --check
func.func @outliers(%x: tensor<64x512xf32>) -> (tensor<f32>, tensor<64xf32>) {
  %scalar = tensor.empty() : tensor<f32>
  %rows = tensor.empty() : tensor<64xf32>
  %k = attn.statistics kurtosis ins(%x : tensor<64x512xf32>) outs(%scalar : tensor<f32>) -> tensor<f32>
  %n = attn.statistics infinity_norm axes [1] ins(%x : tensor<64x512xf32>) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  return %k, %n : tensor<f32>, tensor<64xf32>
}
