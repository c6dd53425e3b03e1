// Blocks that are to begin as the identity and do not, streams that nothing holds, weights that do
// not fit their function, and n that counts padding.
// RUN: attn-opt %s --attn-lint -o /dev/null --verify-diagnostics
// RUN: attn-opt %s --attn-lint=fix 2>/dev/null | tee %t.mended | FileCheck %s
// RUN: attn-opt %t.mended --attn-lint -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT

// Fixup, whose last weight is drawn by LeCun.
// CHECK-LABEL: @fixup
// CHECK: attn.init normal variance(lecun)
// CHECK: attn.init normal variance(zero)
func.func @fixup(%x: tensor<16x64xf32>, %first: i64, %last: i64) -> tensor<16x64xf32> {
  %ew = tensor.empty() : tensor<64x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %a = attn.init normal variance(lecun) seed(%first : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = attn.init normal variance(lecun) seed(%last : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-warning@below {{[attn-w112] attn.residual: the branch of a fixup block has second moment 0.5 at the start, where it is to be 0}}
  // expected-note@below {{mend it by variance(zero) of its last attn.init}}
  %y = attn.residual fixup(%x : tensor<16x64xf32>) branch {
  ^bb0(%h: tensor<16x64xf32>):
    %u = attn.linear ins(%h, %a : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %f = attn.activation relu %u : tensor<16x64xf32>
    %d = attn.linear ins(%f, %b : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %d : tensor<16x64xf32>
  }
  return %y : tensor<16x64xf32>
}

// ReZero with an alpha of 1.
// LEFT: [attn-w112] attn.residual: the alpha of a rezero block has second moment 1
func.func @rezero(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %alpha: f32 {attn.moments = array<f64: 1.0, 1.0>}) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  // expected-warning@below {{[attn-w112] attn.residual: the alpha of a rezero block has second moment 1 at the start, where it is to be 0}}
  // expected-note@below {{not mended by an alpha of 0: alpha comes from outside}}
  %y = attn.residual rezero(%x : tensor<16x64xf32>) alpha(%alpha : f32) branch {
  ^bb0(%h: tensor<16x64xf32>):
    %u = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %u : tensor<16x64xf32>
  }
  return %y : tensor<16x64xf32>
}

// Three layers with relu between them, of LeCun's weights: the second one loses half. The last one
// says nothing of a depth.
// CHECK-LABEL: @relu_stack
// CHECK: attn.init normal variance(lecun)
// CHECK: attn.init normal variance(he)
// CHECK: attn.init normal variance(lecun)
func.func @relu_stack(%x: tensor<16x64xf32>, %s0: i64, %s1: i64, %s2: i64) -> tensor<16x64xf32> {
  %ew = tensor.empty() : tensor<64x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %w0 = attn.init normal variance(lecun) seed(%s0 : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %w1 = attn.init normal variance(lecun) seed(%s1 : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %w2 = attn.init normal variance(lecun) seed(%s2 : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = attn.linear ins(%x, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.activation relu %a : tensor<16x64xf32>
  // expected-warning@below {{[attn-w113] attn.linear: behind relu a second moment of 1 becomes 0.5: lecun does not make up for what it loses}}
  // expected-note@below {{mend it by variance(he) of its attn.init}}
  %b = attn.linear ins(%f, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = attn.activation relu %b : tensor<16x64xf32>
  %c = attn.linear ins(%g, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %c : tensor<16x64xf32>
}

// The same with gelu, which has no rule with a name.
// CHECK-LABEL: @gelu_stack
// CHECK: variance(solved) of(gelu)
func.func @gelu_stack(%x: tensor<16x64xf32>, %s0: i64, %s1: i64) -> tensor<16x64xf32> {
  %ew = tensor.empty() : tensor<64x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %w0 = attn.init normal variance(lecun) seed(%s0 : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %w1 = attn.init normal variance(lecun) seed(%s1 : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = attn.linear ins(%x, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.activation gelu %a : tensor<16x64xf32>
  // expected-warning@below {{[attn-w113] attn.linear: behind gelu a second moment of 1 becomes 0.4252: lecun does not make up for what it loses}}
  // expected-note@below {{mend it by variance(solved) of(gelu) of its attn.init}}
  %b = attn.linear ins(%f, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = attn.activation gelu %b : tensor<16x64xf32>
  return %g : tensor<16x64xf32>
}

// Padding that is given as a mask of segments counts in n.
func.func @packed(%q: tensor<2x4x20x16xf32>, %ids: tensor<2x20xi32>) -> tensor<2x4x20x16xf32> {
  // expected-warning@below {{[attn-w114] attn.attention: n of #attn.log_length<base = 5.120000e+02, n = keys> counts the keys that #attn.segment_ids hides}}
  // expected-note@below {{mend it by scale(#attn.log_length<base = 5.120000e+02, n = seen>)}}
  %r = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
    masks [#attn.segment_ids] ins(%q, %q, %q : tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>)
    params(%ids, %ids : tensor<2x20xi32>, tensor<2x20xi32>) outs(%q : tensor<2x4x20x16xf32>) -> tensor<2x4x20x16xf32>
  return %r : tensor<2x4x20x16xf32>
}

// So does padding as numbers that are added, the same for all rows.
func.func @padded(%q: tensor<2x4x20x16xf32>, %mask: tensor<2x1x1x20xf32>) -> tensor<2x4x20x16xf32> {
  // expected-warning@below {{[attn-w114] attn.attention: n of #attn.log_length<base = 5.120000e+02, n = keys> counts the keys that #attn.additive_mask hides}}
  // expected-note@below {{mend it by scale(#attn.log_length<base = 5.120000e+02, n = seen>)}}
  %r = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
    masks [#attn.additive_mask] ins(%q, %q, %q : tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>)
    params(%mask : tensor<2x1x1x20xf32>) outs(%q : tensor<2x4x20x16xf32>) -> tensor<2x4x20x16xf32>
  return %r : tensor<2x4x20x16xf32>
}

// Each sum over sqrt(2) halves the share of what came before, as a Post Norm does.
// LEFT: [attn-w104] attn.residual: after 8 (x + F(x)) / sqrt(2) blocks
func.func @inv_sqrt2(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %blocks = arith.constant 8 : index
  %s = scf.for %i = %zero to %blocks step %one iter_args(%z = %x) -> tensor<16x64xf32> {
    // expected-warning@below {{[attn-w104] attn.residual: after 8 (x + F(x)) / sqrt(2) blocks the input of the stream weighs 0.0625: it has 0.003906 of the predicted second moment}}
    // expected-note@below {{not mended by pre for inv_sqrt2 in its blocks}}
    %y = attn.residual inv_sqrt2(%z : tensor<16x64xf32>) branch {
    ^bb0(%h: tensor<16x64xf32>):
      %f = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      attn.yield %f : tensor<16x64xf32>
    }
    scf.yield %y : tensor<16x64xf32>
  }
  return %s : tensor<16x64xf32>
}

// Sums without a norm double in each block.
// LEFT: [attn-w111] arith.addf: the stream of 8 blocks x + F(x) without a norm grows from a second moment of 1 to 256
func.func @bare(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %blocks = arith.constant 8 : index
  %s = scf.for %i = %zero to %blocks step %one iter_args(%z = %x) -> tensor<16x64xf32> {
    %f = attn.linear ins(%z, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    // expected-warning@below {{[attn-w111] arith.addf: the stream of 8 blocks x + F(x) without a norm grows from a second moment of 1 to 256}}
    // expected-note@below {{not mended by attn.residual pre, post or rezero: a sum has no policy}}
    %y = arith.addf %z, %f : tensor<16x64xf32>
    scf.yield %y : tensor<16x64xf32>
  }
  return %s : tensor<16x64xf32>
}
