// The twins of no-final-norm.mlir.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint=fix | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after

// A norm behind the last block.
func.func @final_norm(%x: tensor<16x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %w3: tensor<64x64xf32>) -> tensor<16x64xf32> {
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
  %n = attn.norm layer axes [1] eps(1.0e-05) ins(%x4 : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %n : tensor<16x64xf32>
}

// A norm of a view of the last block's result, before a linear layer.
func.func @final_norm_of_view(%x: tensor<16x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %table: tensor<64x100xf32>) -> tensor<100xf32> {
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
  %row = tensor.extract_slice %x3[15, 0] [1, 64] [1, 1] : tensor<16x64xf32> to tensor<64xf32>
  %er = tensor.empty() : tensor<64xf32>
  %el = tensor.empty() : tensor<1x100xf32>
  %n = attn.norm layer axes [0] eps(1.0e-05) ins(%row : tensor<64xf32>) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %n2 = tensor.expand_shape %n [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
  %l = attn.linear ins(%n2, %table : tensor<1x64xf32>, tensor<64x100xf32>) outs(%el : tensor<1x100xf32>) -> tensor<1x100xf32>
  %l1 = tensor.collapse_shape %l [[0, 1]] : tensor<1x100xf32> into tensor<100xf32>
  return %l1 : tensor<100xf32>
}

// The sum is returned as well as its norm, as a state beside what heads read.
func.func @norm_beside(%x: tensor<16x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %w3: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
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
  %n = attn.norm layer axes [1] eps(1.0e-05) ins(%x4 : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %n, %x4 : tensor<16x64xf32>, tensor<16x64xf32>
}

// Branches that start at 0 leave the stream as it is: there is nothing for a norm
// to do.
func.func @silent_branches(%x: tensor<16x64xf32>, %seed: i64) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %ew = tensor.empty() : tensor<64x64xf32>
  %w0 = attn.init normal variance(zero) seed(%seed : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
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
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  return %x2 : tensor<16x64xf32>
}

// Post Norm ends in a norm, ReZero begins as the identity, and a stream that an
// op other than a linear layer reads is not followed to its end.
func.func @others(%x: tensor<16x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %w3: tensor<64x64xf32>, %alpha: f32) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<16x64xf32>
  %a = attn.residual post(%x : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %b = attn.residual rezero(%x : tensor<16x64xf32>) alpha(%alpha : f32) branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %c1 = attn.residual pre(%x : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %c = attn.residual pre(%c1 : tensor<16x64xf32>) norm {
  ^bb0(%z: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%z : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%h: tensor<16x64xf32>):
    %f = attn.linear ins(%h, %w3 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %f : tensor<16x64xf32>
  }
  %d = attn.activation gelu %c : tensor<16x64xf32>
  return %a, %b, %d : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
}
