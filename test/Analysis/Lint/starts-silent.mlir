// The twins of starts.mlir: none is warned of.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0

func.func @fixup(%x: tensor<16x64xf32>, %first: i64, %last: i64) -> tensor<16x64xf32> {
  %ew = tensor.empty() : tensor<64x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %a = attn.init normal variance(lecun) seed(%first : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = attn.init normal variance(zero) seed(%last : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = attn.residual fixup(%x : tensor<16x64xf32>) branch {
  ^bb0(%h: tensor<16x64xf32>):
    %u = attn.linear ins(%h, %a : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %f = attn.activation relu %u : tensor<16x64xf32>
    %d = attn.linear ins(%f, %b : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %d : tensor<16x64xf32>
  }
  return %y : tensor<16x64xf32>
}

// An alpha of a quarter has hardly started; one that is not stated starts at 0.
func.func @rezero(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %alpha: f32, %small: f32 {attn.moments = array<f64: 0.25, 0.0625>}) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %y = attn.residual rezero(%x : tensor<16x64xf32>) alpha(%alpha : f32) branch {
  ^bb0(%h: tensor<16x64xf32>):
    %u = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %u : tensor<16x64xf32>
  }
  %z = attn.residual rezero(%y : tensor<16x64xf32>) alpha(%small : f32) branch {
  ^bb0(%h: tensor<16x64xf32>):
    %u = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %u : tensor<16x64xf32>
  }
  return %z : tensor<16x64xf32>
}

// He's rule, unit_moment, and the two layers of a feed-forward part.
func.func @stacks(%x: tensor<16x64xf32>, %s0: i64, %s1: i64, %s2: i64) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %ew = tensor.empty() : tensor<64x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %w0 = attn.init normal variance(lecun) seed(%s0 : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %w1 = attn.init normal variance(he) seed(%s1 : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %w2 = attn.init normal variance(lecun) seed(%s2 : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = attn.linear ins(%x, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.activation relu %a : tensor<16x64xf32>
  %b = attn.linear ins(%f, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = attn.activation gelu unit_moment %b : tensor<16x64xf32>
  %c = attn.linear ins(%g, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %h = attn.activation relu %c : tensor<16x64xf32>
  %d = attn.linear ins(%f, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %h, %d : tensor<16x64xf32>, tensor<16x64xf32>
}

// n of rows whose keys are known.
func.func @lengths(%q: tensor<2x4x20x16xf32>, %lengths: tensor<2xi32>) -> tensor<2x4x20x16xf32> {
  %r = attn.attention scale(#attn.log_length<base = 16.0, n = visible>) softmax(#attn.softmax) align(top_left)
    masks [#attn.causal, #attn.kv_lengths] ins(%q, %q, %q : tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>)
    params(%lengths : tensor<2xi32>) outs(%q : tensor<2x4x20x16xf32>) -> tensor<2x4x20x16xf32>
  return %r : tensor<2x4x20x16xf32>
}

// Three blocks of each kind: an eighth of the input is still there.
func.func @few(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<16x64xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %blocks = arith.constant 3 : index
  %s:2 = scf.for %i = %zero to %blocks step %one iter_args(%z = %x, %t = %x) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
    %y = attn.residual inv_sqrt2(%z : tensor<16x64xf32>) branch {
    ^bb0(%h: tensor<16x64xf32>):
      %f = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      attn.yield %f : tensor<16x64xf32>
    }
    %f = attn.linear ins(%t, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %u = arith.addf %t, %f : tensor<16x64xf32>
    scf.yield %y, %u : tensor<16x64xf32>, tensor<16x64xf32>
  }
  return %s#0, %s#1 : tensor<16x64xf32>, tensor<16x64xf32>
}

// What is added to each row may be its band.
func.func @rows(%q: tensor<2x4x20x16xf32>, %mask: tensor<20x20xf32>) -> tensor<2x4x20x16xf32> {
  %r = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
    masks [#attn.additive_mask] ins(%q, %q, %q : tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>)
    params(%mask : tensor<20x20xf32>) outs(%q : tensor<2x4x20x16xf32>) -> tensor<2x4x20x16xf32>
  return %r : tensor<2x4x20x16xf32>
}
