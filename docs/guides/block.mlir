// Half of a block: a residual sum, its norm, a linear layer and its activation.
// Somebody looks at the layer's sums, too.
func.func @watched(%x: tensor<128x64xf32>, %y: tensor<128x64xf32>, %w: tensor<64x256xf32>)
    -> (tensor<128x256xf32>, tensor<128x64xf32>, tensor<128x256xf32>) {
  %rows = tensor.empty() : tensor<128x64xf32>
  %wide = tensor.empty() : tensor<128x256xf32>
  %sum = arith.addf %x, %y : tensor<128x64xf32>
  %norm = attn.norm rms axes [1] eps(1.0e-5) ins(%sum : tensor<128x64xf32>) outs(%rows : tensor<128x64xf32>) -> tensor<128x64xf32>
  %up = attn.linear ins(%norm, %w : tensor<128x64xf32>, tensor<64x256xf32>) outs(%wide : tensor<128x256xf32>) -> tensor<128x256xf32>
  %act = attn.activation gelu %up : tensor<128x256xf32>
  return %act, %sum, %up : tensor<128x256xf32>, tensor<128x64xf32>, tensor<128x256xf32>
}

// Nobody does.
func.func @alone(%x: tensor<128x64xf32>, %y: tensor<128x64xf32>, %w: tensor<64x256xf32>) -> (tensor<128x256xf32>, tensor<128x64xf32>) {
  %rows = tensor.empty() : tensor<128x64xf32>
  %wide = tensor.empty() : tensor<128x256xf32>
  %sum = arith.addf %x, %y : tensor<128x64xf32>
  %norm = attn.norm rms axes [1] eps(1.0e-5) ins(%sum : tensor<128x64xf32>) outs(%rows : tensor<128x64xf32>) -> tensor<128x64xf32>
  %up = attn.linear ins(%norm, %w : tensor<128x64xf32>, tensor<64x256xf32>) outs(%wide : tensor<128x256xf32>) -> tensor<128x256xf32>
  %act = attn.activation gelu %up : tensor<128x256xf32>
  return %act, %sum : tensor<128x256xf32>, tensor<128x64xf32>
}
