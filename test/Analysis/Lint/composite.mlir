// Composite ops are looked at as their parts, in the place where they stand:
// the scale of a multi-head attention, the function of a feed-forward layer, and
// the stream that both are branches of. The warnings are at the composite op, and
// so is what mends them.

// RUN: attn-opt %s --attn-lint -verify-diagnostics | FileCheck %s --check-prefix=WHOLE
// RUN: attn-opt %s --attn-lint=fix -o %t.mlir 2>/dev/null
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT --implicit-check-not=attn-w
// LEFT: [attn-w106] attn.feed_forward
// RUN: FileCheck %s < %t.mlir

// WHOLE: attn.multi_head_attention
// WHOLE: attn.feed_forward
// CHECK: attn.residual pre
// CHECK: attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim)
// CHECK: attn.residual pre
// CHECK: attn.feed_forward sigmoid unit_moment
// CHECK: attn.norm rms axes [2] eps(1.000000e-06)
// CHECK-NEXT: return
func.func @layer(%x: tensor<1x32x64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>, %wo: tensor<64x64xf32>,
                 %up: tensor<64x256xf32>, %down: tensor<256x64xf32>) -> tensor<1x32x64xf32> {
  %e = tensor.empty() : tensor<1x32x64xf32>
  %a = attn.residual pre(%x : tensor<1x32x64xf32>) norm {
  ^bb0(%r: tensor<1x32x64xf32>):
    %n = attn.norm rms axes [2] eps(1.0e-06) ins(%r : tensor<1x32x64xf32>) outs(%e : tensor<1x32x64xf32>) -> tensor<1x32x64xf32>
    attn.yield %n : tensor<1x32x64xf32>
  } branch {
  ^bb0(%n: tensor<1x32x64xf32>):
    // expected-warning@below {{[attn-w101] attn.multi_head_attention: the predicted variance of the scores is 16; with 1/sqrt(d), d = 16, it would be 1}}
    // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
    %f = attn.multi_head_attention heads(4) scale(#attn.none) softmax(#attn.softmax)
        ins(%n : tensor<1x32x64xf32>)
        query(%wq : tensor<64x64xf32>) key(%wk : tensor<64x64xf32>)
        value(%wv : tensor<64x64xf32>) output(%wo : tensor<64x64xf32>)
        -> tensor<1x32x64xf32>
    attn.yield %f : tensor<1x32x64xf32>
  }
  // expected-warning@below {{[attn-w102] attn.residual: the stream of 2 Pre Norm blocks ends without a norm}}
  // expected-note@below {{mend it by attn.norm rms behind it}}
  %y = attn.residual pre(%a : tensor<1x32x64xf32>) norm {
  ^bb0(%r: tensor<1x32x64xf32>):
    %n = attn.norm rms axes [2] eps(1.0e-06) ins(%r : tensor<1x32x64xf32>) outs(%e : tensor<1x32x64xf32>) -> tensor<1x32x64xf32>
    attn.yield %n : tensor<1x32x64xf32>
  } branch {
  ^bb0(%n: tensor<1x32x64xf32>):
    // expected-warning@below {{[attn-w103] attn.feed_forward: sigmoid turns a second moment of 1 into 0.2934, and the layer after it has 0.2934}}
    // expected-note@below {{mend it by unit_moment}}
    %f = attn.feed_forward sigmoid ins(%n : tensor<1x32x64xf32>)
        up(%up : tensor<64x256xf32>) down(%down : tensor<256x64xf32>) -> tensor<1x32x64xf32>
    attn.yield %f : tensor<1x32x64xf32>
  }
  return %y : tensor<1x32x64xf32>
}

// The initial weights of a part: its own attn.init changes. Two projections
// share one here, which is one mend.
// CHECK-LABEL: @weights
// CHECK: attn.init normal variance({{ ?}}lecun)
// CHECK: attn.init normal variance({{ ?}}lecun)
func.func @weights(%x: tensor<32x64xf32>, %wv: tensor<64x64xf32>, %wo: tensor<64x64xf32>, %seed: i64) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %w = attn.init normal variance(lecun) seed(%seed : i64) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %u = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-warning@below {{[attn-w106] attn.multi_head_attention: weights of second moment 1 are not divided by sqrt(64)}}
  // expected-note@below {{mend it by variance(lecun) of its attn.init}}
  %y = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<32x64xf32>) query(%w : tensor<64x64xf32>) key(%w : tensor<64x64xf32>)
      value(%u : tensor<64x64xf32>) output(%wo : tensor<64x64xf32>) -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}

// A parameterisation is of all layers of the op: it is no mend where one of them
// has fitting weights.
// CHECK-LABEL: @mixed_weights
// CHECK: attn.feed_forward relu ins
func.func @mixed_weights(%x: tensor<32x64xf32>, %up: tensor<64x256xf32> {attn.moments = array<f64: 0.0, 1.0>}, %down: tensor<256x64xf32>) -> tensor<32x64xf32> {
  // expected-warning@below {{[attn-w106] attn.feed_forward: weights of second moment 1 are not divided by sqrt(64)}}
  // expected-note@below {{not mended by parameterisation(ntk): other places where it runs, or other parts of it, are right as they are}}
  %y = attn.feed_forward relu ins(%x : tensor<32x64xf32>) up(%up : tensor<64x256xf32>) down(%down : tensor<256x64xf32>) -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}
