// Composite ops are looked at as their parts, in the place where they stand:
// the scale of a multi-head attention, the function of a feed-forward layer, and
// the stream that both are branches of. Only a fix expands them; the residual
// blocks stay.

// RUN: attn-opt %s --attn-lint -verify-diagnostics | FileCheck %s --check-prefix=WHOLE
// RUN: attn-opt %s --attn-lint=fix -o %t.mlir 2>/dev/null
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2>&1 | count 0
// RUN: FileCheck %s < %t.mlir

// WHOLE: attn.multi_head_attention
// WHOLE: attn.feed_forward
// CHECK: attn.residual pre
// CHECK-NOT: attn.multi_head_attention
// CHECK: attn.attention scale(#attn.inv_sqrt_dim)
// CHECK: attn.residual pre
// CHECK-NOT: attn.feed_forward
// CHECK: attn.activation {{ ?}}sigmoid unit_moment
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
    // expected-warning@below {{[attn-w101] attn.attention: the predicted variance of the scores is 16; with 1/sqrt(d), d = 16, it would be 1}}
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
    // expected-warning@below {{[attn-w103] attn.activation: sigmoid turns a second moment of 1 into 0.2934, and the layer after it has 0.2934}}
    // expected-note@below {{mend it by unit_moment}}
    %f = attn.feed_forward sigmoid ins(%n : tensor<1x32x64xf32>)
        up(%up : tensor<64x256xf32>) down(%down : tensor<256x64xf32>) -> tensor<1x32x64xf32>
    attn.yield %f : tensor<1x32x64xf32>
  }
  return %y : tensor<1x32x64xf32>
}
