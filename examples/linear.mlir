// A linear layer with its weight as PyTorch stores it, [out, in], in the parameterisation of the neural tangent kernel.
// build/bin/attn-run examples/linear.mlir --check --remarks --shape=0:2x50x64
func.func @linear(%x: tensor<2x?x64xf32>, %w: tensor<256x64xf32>, %b: tensor<256xf32>) -> tensor<2x?x256xf32> {
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c1 : tensor<2x?x64xf32>
  %init = tensor.empty(%rows) : tensor<2x?x256xf32>
  %y = attn.linear parameterisation(ntk) weight(out_in)
      ins(%x, %w, %b : tensor<2x?x64xf32>, tensor<256x64xf32>, tensor<256xf32>)
      outs(%init : tensor<2x?x256xf32>) -> tensor<2x?x256xf32>
  return %y : tensor<2x?x256xf32>
}
