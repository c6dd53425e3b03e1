// The model of docs/Analyses.md: two Pre Norm blocks with three faults.
func.func @model(%x: tensor<48x64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>, %wo: tensor<64x64xf32>,
                 %up: tensor<64x256xf32>, %down: tensor<256x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %wide = tensor.empty() : tensor<48x256xf32>
  %y = attn.residual pre(%x : tensor<48x64xf32>) norm {
  ^bb0(%z: tensor<48x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-05) ins(%z : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    attn.yield %n : tensor<48x64xf32>
  } branch {
  ^bb0(%h: tensor<48x64xf32>):
    %q = attn.linear ins(%h, %wq : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    %k = attn.linear ins(%h, %wk : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    %v = attn.linear ins(%h, %wv : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
      outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    %p = attn.linear ins(%o, %wo : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    attn.yield %p : tensor<48x64xf32>
  }
  %r = attn.residual pre(%y : tensor<48x64xf32>) norm {
  ^bb0(%z: tensor<48x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-05) ins(%z : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    attn.yield %n : tensor<48x64xf32>
  } branch {
  ^bb0(%h: tensor<48x64xf32>):
    %u = attn.linear ins(%h, %up : tensor<48x64xf32>, tensor<64x256xf32>) outs(%wide : tensor<48x256xf32>) -> tensor<48x256xf32>
    %f = attn.activation tanh %u : tensor<48x256xf32>
    %d = attn.linear ins(%f, %down : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    attn.yield %d : tensor<48x64xf32>
  }
  return %r : tensor<48x64xf32>
}
