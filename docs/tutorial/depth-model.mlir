// Four Pre Norm blocks without a final norm, for the analyses: see depth.md.
func.func @pre_norm(%x0: tensor<64x256xf32>, %w0: tensor<256x256xf32>, %w1: tensor<256x256xf32>, %w2: tensor<256x256xf32>, %w3: tensor<256x256xf32>)
    -> tensor<64x256xf32> {
  %e = tensor.empty() : tensor<64x256xf32>
  %x1 = attn.residual pre(%x0 : tensor<64x256xf32>) norm {
  ^bb0(%z: tensor<64x256xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-6) ins(%z : tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    attn.yield %n : tensor<64x256xf32>
  } branch {
  ^bb0(%z: tensor<64x256xf32>):
    %f = attn.linear ins(%z, %w0 : tensor<64x256xf32>, tensor<256x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    attn.yield %f : tensor<64x256xf32>
  }
  %x2 = attn.residual pre(%x1 : tensor<64x256xf32>) norm {
  ^bb0(%z: tensor<64x256xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-6) ins(%z : tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    attn.yield %n : tensor<64x256xf32>
  } branch {
  ^bb0(%z: tensor<64x256xf32>):
    %f = attn.linear ins(%z, %w1 : tensor<64x256xf32>, tensor<256x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    attn.yield %f : tensor<64x256xf32>
  }
  %x3 = attn.residual pre(%x2 : tensor<64x256xf32>) norm {
  ^bb0(%z: tensor<64x256xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-6) ins(%z : tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    attn.yield %n : tensor<64x256xf32>
  } branch {
  ^bb0(%z: tensor<64x256xf32>):
    %f = attn.linear ins(%z, %w2 : tensor<64x256xf32>, tensor<256x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    attn.yield %f : tensor<64x256xf32>
  }
  %x4 = attn.residual pre(%x3 : tensor<64x256xf32>) norm {
  ^bb0(%z: tensor<64x256xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-6) ins(%z : tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    attn.yield %n : tensor<64x256xf32>
  } branch {
  ^bb0(%z: tensor<64x256xf32>):
    %f = attn.linear ins(%z, %w3 : tensor<64x256xf32>, tensor<256x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
    attn.yield %f : tensor<64x256xf32>
  }
  return %x4 : tensor<64x256xf32>
}
