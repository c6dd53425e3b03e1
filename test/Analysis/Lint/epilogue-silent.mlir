// The twins of epilogue.mlir.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint=fix | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after

// The factor is there; relu is no function that loses; a spelled-out sigmoid is
// a gate, or the probability that the model gives.
func.func @functions(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %he: tensor<64x64xf32> {attn.moments = array<f64: 0.0, 0.03125>}) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<16x64xf32>
  %h1 = attn.linear ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) epilogue {
  ^bb0(%a: f32):
    %gain = arith.constant 1.5925 : f32
    %t = math.tanh %a : f32
    %g = arith.mulf %t, %gain : f32
    attn.yield %g : f32
  } -> tensor<16x64xf32>
  %y1 = attn.linear ins(%h1, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %h2 = attn.linear ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) epilogue {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %t = arith.maximumf %a, %zero : f32
    attn.yield %t : f32
  } -> tensor<16x64xf32>
  %y2 = attn.linear ins(%h2, %he : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %h3 = attn.linear ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) extras(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) epilogue {
  ^bb0(%a: f32, %value: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %q = arith.addf %p, %one : f32
    %s = arith.divf %one, %q : f32
    %g = arith.mulf %value, %s : f32
    attn.yield %g : f32
  } -> tensor<16x64xf32>
  %y3 = attn.linear ins(%h3, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) epilogue {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %q = arith.addf %p, %one : f32
    %s = arith.divf %one, %q : f32
    attn.yield %s : f32
  } -> tensor<16x64xf32>
  return %y1, %y2, %y3 : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
}
