// Rotary positions on half of each head, for rows that follow a cache of another length in each sequence.
// build/bin/attn-run examples/rope.mlir --check
func.func @rope(%q: tensor<2x8x5x128xf32>, %cached: tensor<2xi64>) -> tensor<2x8x5x128xf32> {
  %init = tensor.empty() : tensor<2x8x5x128xf32>
  %y = attn.rope pairs(half_split) base(5.0e+05) rotary_dim(64) ins(%q : tensor<2x8x5x128xf32>)
      offset(%cached : tensor<2xi64>) outs(%init : tensor<2x8x5x128xf32>) -> tensor<2x8x5x128xf32>
  return %y : tensor<2x8x5x128xf32>
}
