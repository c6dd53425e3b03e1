// RUN: attn-opt %s --attn-check-sizes --verify-diagnostics

// A region of ours asks nothing of its numbers.
func.func @remainder(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %z = attn.linear ins(%x, %w : tensor<3x4xf32>, tensor<4x5xf32>) outs(%y : tensor<3x5xf32>) epilogue {
  ^bb0(%s: f32):
    %j = arith.fptosi %s : f32 to i32
    // expected-error @+1 {{'arith.remsi' divides in the region of 'attn.linear' by what may be 0: write a constant, or divide outside of it}}
    %q = arith.remsi %j, %j : i32
    %e = arith.sitofp %q : i32 to f32
    attn.yield %e : f32
  } -> tensor<3x5xf32>
  return %z : tensor<3x5xf32>
}
