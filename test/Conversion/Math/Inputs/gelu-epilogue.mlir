// One term with a weight of 1: the sums are the numbers themselves.
func.func @main(%x: tensor<?x1xf32>, %w: tensor<1x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x1xf32>
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %v = attn.linear ins(%x, %w : tensor<?x1xf32>, tensor<1x64xf32>) outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = attn.activation gelu %v : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
