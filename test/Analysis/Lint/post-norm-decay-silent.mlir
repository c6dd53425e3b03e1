// The twins of post-norm-decay.mlir.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint=fix | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after

// The same depth with Pre Norm and a final norm.
func.func @pre_norm(%x: tensor<16x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %w3: tensor<64x64xf32>, %w4: tensor<64x64xf32>, %w5: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %x1 = attn.residual pre(%x : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x2 = attn.residual pre(%x1 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x3 = attn.residual pre(%x2 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x4 = attn.residual pre(%x3 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w3 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x5 = attn.residual pre(%x4 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w4 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x6 = attn.residual pre(%x5 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w5 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %n = attn.norm layer axes [1] eps(1.0e-05) ins(%x6 : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %n : tensor<16x64xf32>
}

// A shallow stream with Post Norm keeps 2^-3 of its input.
func.func @shallow(%x: tensor<16x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %x1 = attn.residual post(%x : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x2 = attn.residual post(%x1 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x3 = attn.residual post(%x2 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  return %x3 : tensor<16x64xf32>
}

// A deep one whose branches are small: each weight is drawn with a hundredth of
// LeCun's variance.
func.func @small_branches(%x: tensor<16x64xf32>, %seed: i64) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %ew = tensor.empty() : tensor<64x64xf32>
  %w0 = attn.init normal variance(constant) value(1.5625e-04) seed(%seed : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x1 = attn.residual post(%x : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x2 = attn.residual post(%x1 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x3 = attn.residual post(%x2 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x4 = attn.residual post(%x3 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x5 = attn.residual post(%x4 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %x6 = attn.residual post(%x5 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  return %x6 : tensor<16x64xf32>
}
