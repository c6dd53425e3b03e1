// A gated activation with the second moment 1: silu(gate), scaled so that
// E f(z)^2 = 1, times the other half.
//   attn-run examples/activation.mlir --check
func.func @gated(%gate: tensor<64x2816xf32>, %up: tensor<64x2816xf32>) -> tensor<64x2816xf32> {
  %0 = attn.activation silu unit_moment %gate : tensor<64x2816xf32>
  %1 = arith.mulf %0, %up : tensor<64x2816xf32>
  return %1 : tensor<64x2816xf32>
}
