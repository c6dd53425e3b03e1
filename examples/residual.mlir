// Two residual blocks around linear layers: ReZero, whose branch has a trained factor, and a branch that grows in with time.
// build/bin/attn-run examples/residual.mlir --check
func.func @residual(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %alpha: tensor<f32>, %time: tensor<i64>) -> tensor<16x64xf32> {
  %init = tensor.empty() : tensor<16x64xf32>
  %h = attn.residual rezero(%x : tensor<16x64xf32>) alpha(%alpha : tensor<f32>) branch {
  ^bb0(%z: tensor<16x64xf32>):
    %f = attn.linear ins(%z, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%init : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %y = attn.residual scheduled(%h : tensor<16x64xf32>) time(%time : tensor<i64>) step(1.0e-01) branch {
  ^bb0(%z: tensor<16x64xf32>):
    %f = attn.linear weight(out_in) ins(%z, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%init : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  return %y : tensor<16x64xf32>
}
