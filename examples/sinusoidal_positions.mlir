// Sines and cosines of the positions 1 000 000 .. 1 000 063, added to a sequence.
// build/bin/attn-run examples/sinusoidal_positions.mlir --check
func.func @positions(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %first = arith.constant 1000000 : index
  %init = tensor.empty() : tensor<64x32xf32>
  %e = attn.sinusoidal_positions offset(%first : index) outs(%init : tensor<64x32xf32>) -> tensor<64x32xf32>
  %y = arith.addf %x, %e : tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
