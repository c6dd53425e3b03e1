// Sizes of a layer, and a sequence at once or row by row: see transformer.md.

// Four heads of d = 64 over h = 256 numbers: 4 h^2 weights. The two layers behind them: 8 h^2, and 5 h of biases.
func.func @layer(%x: tensor<1x128x256xf32>, %wq: tensor<256x256xf32>, %wk: tensor<256x256xf32>, %wv: tensor<256x256xf32>, %wo: tensor<256x256xf32>,
                 %up: tensor<256x1024xf32>, %up_bias: tensor<1024xf32>, %down: tensor<1024x256xf32>, %down_bias: tensor<256xf32>) -> tensor<1x128x256xf32> {
  %a = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<1x128x256xf32>) query(%wq : tensor<256x256xf32>) key(%wk : tensor<256x256xf32>)
      value(%wv : tensor<256x256xf32>) output(%wo : tensor<256x256xf32>) -> tensor<1x128x256xf32>
  %f = attn.feed_forward gelu ins(%a : tensor<1x128x256xf32>) up(%up, %up_bias : tensor<256x1024xf32>, tensor<1024xf32>)
      down(%down, %down_bias : tensor<1024x256xf32>, tensor<256xf32>) -> tensor<1x128x256xf32>
  return %f : tensor<1x128x256xf32>
}

// A decoder's attention over 64 rows: all at once, as in training with the right tokens at hand (teacher forcing), and
// row by row, as in use: row i sees the keys 0 ... i. The last result is the largest difference.
func.func @steps() -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %s0 = arith.constant 1 : i64
  %s1 = arith.constant 2 : i64
  %s2 = arith.constant 3 : i64
  %e = tensor.empty() : tensor<64x64xf32>
  %q = attn.init normal variance(constant) value(1.0) seed(%s0 : i64) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %k = attn.init normal variance(constant) value(1.0) seed(%s1 : i64) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %v = attn.init normal variance(constant) value(1.0) seed(%s2 : i64) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %all = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      ins(%q, %k, %v : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %re = tensor.empty() : tensor<1x64xf32>
  %steps = scf.for %i = %c0 to %c64 step %c1 iter_args(%t = %e) -> tensor<64x64xf32> {
    %keys = arith.addi %i, %c1 : index
    %row = tensor.extract_slice %q[%i, 0] [1, 64] [1, 1] : tensor<64x64xf32> to tensor<1x64xf32>
    %kc = tensor.extract_slice %k[0, 0] [%keys, 64] [1, 1] : tensor<64x64xf32> to tensor<?x64xf32>
    %vc = tensor.extract_slice %v[0, 0] [%keys, 64] [1, 1] : tensor<64x64xf32> to tensor<?x64xf32>
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%row, %kc, %vc : tensor<1x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) outs(%re : tensor<1x64xf32>) -> tensor<1x64xf32>
    %next = tensor.insert_slice %o into %t[%i, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %d = linalg.sub ins(%all, %steps : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %scalar = tensor.empty() : tensor<f32>
  %largest = attn.statistics infinity_norm ins(%d : tensor<64x64xf32>) outs(%scalar : tensor<f32>) -> tensor<f32>
  return %all, %steps, %largest : tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>
}
