// A residual addition, its RMS norm, and a layer norm of the same sum. The
// compiler makes one kernel of the addition and the first norm, which returns
// the sum as well.
func.func @norms(%x: tensor<4x37x768xf32>, %branch: tensor<4x37x768xf32>,
                 %gamma: tensor<768xf32>, %beta: tensor<768xf32>)
    -> (tensor<4x37x768xf32>, tensor<4x37x768xf32>) {
  %init = tensor.empty() : tensor<4x37x768xf32>
  %sum = arith.addf %x, %branch : tensor<4x37x768xf32>
  %rms = attn.norm rms axes [2] eps(1.0e-06)
      ins(%sum : tensor<4x37x768xf32>) gamma(%gamma : tensor<768xf32>)
      outs(%init : tensor<4x37x768xf32>) -> tensor<4x37x768xf32>
  %layer = attn.norm layer axes [2] eps(1.0e-05)
      ins(%sum : tensor<4x37x768xf32>) gamma(%gamma : tensor<768xf32>)
      beta(%beta : tensor<768xf32>) outs(%init : tensor<4x37x768xf32>)
      -> tensor<4x37x768xf32>
  return %rms, %layer : tensor<4x37x768xf32>, tensor<4x37x768xf32>
}
