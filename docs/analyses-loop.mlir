// Twelve Pre Norm blocks, each a call of one function, in a loop: the model of a
// section of Analyses.md.

func.func @stack(%x: tensor<48x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %r = scf.for %i = %c0 to %c12 step %c1 iter_args(%h = %x) -> tensor<48x64xf32> {
    %y = func.call @block(%h, %w) : (tensor<48x64xf32>, tensor<64x64xf32>) -> tensor<48x64xf32>
    scf.yield %y : tensor<48x64xf32>
  }
  return %r : tensor<48x64xf32>
}

func.func private @block(%x: tensor<48x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %y = attn.residual pre(%x : tensor<48x64xf32>) norm {
  ^bb0(%z: tensor<48x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%z : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    attn.yield %n : tensor<48x64xf32>
  } branch {
  ^bb0(%h: tensor<48x64xf32>):
    %f = attn.linear ins(%h, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    attn.yield %f : tensor<48x64xf32>
  }
  return %y : tensor<48x64xf32>
}
