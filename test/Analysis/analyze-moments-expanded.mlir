// attn-expand-blocks takes residual blocks and composite ops apart; the arguments,
// the residual streams and the scores in the report are those of before.

// RUN: attn-opt %s -o /dev/null --attn-analyze-moments=json=%t.json 2>/dev/null
// RUN: attn-opt %s -o /dev/null --attn-expand-blocks --attn-analyze-moments=json=%t.parts.json 2>/dev/null
// RUN: attn-opt %s -o /dev/null --attn-expand-blocks --canonicalize --cse --attn-analyze-moments=json=%t.simple.json 2>/dev/null
// RUN: python3 %S/Inputs/check_expanded.py %t.json %t.parts.json %t.simple.json
// RUN: attn-opt %s -o /dev/null --attn-expand-blocks --attn-analyze-moments=text=- 2>/dev/null | FileCheck %s

// Every policy, one after the other, as one stream; alpha is 0, the time step 1,
// the last weight of fixup 0.
// CHECK-LABEL: Moments of @policies
// CHECK: residual block policy x^2 branch^2 result^2
// CHECK-NEXT: 0.0 pre 1 1 2
// CHECK-NEXT: 0.1 post 2 2 1
// CHECK-NEXT: 0.2 rezero 1 0 1
// CHECK-NEXT: 0.3 scheduled 1 0.01 1.01
// CHECK-NEXT: 0.4 fixup 1.01 0 1.01
// CHECK-NEXT: 0.5 inv_sqrt2 1.01 1.01 1.01
func.func @policies(%x: tensor<16x64xf32>, %alpha: tensor<f32>, %time: tensor<i64>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>,
                    %w3: tensor<64x64xf32>, %w4: tensor<64x64xf32>, %w5: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %a = attn.residual pre(%x : tensor<16x64xf32>) norm {
  ^bb0(%k: tensor<16x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-09) ins(%k : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%k: tensor<16x64xf32>):
    %q = attn.linear ins(%k, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %q : tensor<16x64xf32>
  }
  %b = attn.residual post(%a : tensor<16x64xf32>) norm {
  ^bb0(%k: tensor<16x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-09) ins(%k : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%k: tensor<16x64xf32>):
    %q = attn.linear ins(%k, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %q : tensor<16x64xf32>
  }
  %c = attn.residual rezero(%b : tensor<16x64xf32>) alpha(%alpha : tensor<f32>) branch {
  ^bb0(%k: tensor<16x64xf32>):
    %q = attn.linear ins(%k, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %q : tensor<16x64xf32>
  }
  %d = attn.residual scheduled(%c : tensor<16x64xf32>) time(%time : tensor<i64>) step(1.0e-01) branch {
  ^bb0(%k: tensor<16x64xf32>):
    %q = attn.linear ins(%k, %w3 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %q : tensor<16x64xf32>
  }
  %f = attn.residual fixup(%d : tensor<16x64xf32>) branch {
  ^bb0(%k: tensor<16x64xf32>):
    %q = attn.linear ins(%k, %w4 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %q : tensor<16x64xf32>
  }
  %g = attn.residual inv_sqrt2(%f : tensor<16x64xf32>) branch {
  ^bb0(%k: tensor<16x64xf32>):
    %q = attn.linear ins(%k, %w5 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %q : tensor<16x64xf32>
  }
  return %g : tensor<16x64xf32>
}

// A decoder layer of composite ops in a function that a loop calls, bf16, a
// factor that is a number and not a tensor.
// CHECK-LABEL: Moments of @model
// CHECK: scores of
// CHECK: 0.5 pre
// CHECK-NEXT: 1.0 rezero
func.func private @layer(%x: tensor<1x32x64xbf16>, %wq: tensor<64x64xbf16>, %wk: tensor<64x64xbf16>, %wv: tensor<64x64xbf16>, %wo: tensor<64x64xbf16>,
                         %up: tensor<64x256xbf16>, %down: tensor<256x64xbf16>) -> tensor<1x32x64xbf16> {
  %e = tensor.empty() : tensor<1x32x64xbf16>
  %a = attn.residual pre(%x : tensor<1x32x64xbf16>) norm {
  ^bb0(%r: tensor<1x32x64xbf16>):
    %n = attn.norm rms axes [2] eps(1.0e-06) ins(%r : tensor<1x32x64xbf16>) outs(%e : tensor<1x32x64xbf16>) -> tensor<1x32x64xbf16>
    attn.yield %n : tensor<1x32x64xbf16>
  } branch {
  ^bb0(%n: tensor<1x32x64xbf16>):
    %f = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
        ins(%n : tensor<1x32x64xbf16>) query(%wq : tensor<64x64xbf16>) key(%wk : tensor<64x64xbf16>)
        value(%wv : tensor<64x64xbf16>) output(%wo : tensor<64x64xbf16>) -> tensor<1x32x64xbf16>
    attn.yield %f : tensor<1x32x64xbf16>
  }
  %y = attn.residual pre(%a : tensor<1x32x64xbf16>) norm {
  ^bb0(%r: tensor<1x32x64xbf16>):
    %n = attn.norm rms axes [2] eps(1.0e-06) ins(%r : tensor<1x32x64xbf16>) outs(%e : tensor<1x32x64xbf16>) -> tensor<1x32x64xbf16>
    attn.yield %n : tensor<1x32x64xbf16>
  } branch {
  ^bb0(%n: tensor<1x32x64xbf16>):
    %f = attn.feed_forward gelu ins(%n : tensor<1x32x64xbf16>)
        up(%up : tensor<64x256xbf16>) down(%down : tensor<256x64xbf16>) -> tensor<1x32x64xbf16>
    attn.yield %f : tensor<1x32x64xbf16>
  }
  return %y : tensor<1x32x64xbf16>
}
func.func @model(%x: tensor<1x32x64xbf16>, %wq: tensor<64x64xbf16>, %wk: tensor<64x64xbf16>, %wv: tensor<64x64xbf16>, %wo: tensor<64x64xbf16>,
                 %up: tensor<64x256xbf16>, %down: tensor<256x64xbf16>, %alpha: f32) -> (tensor<1x32x64xbf16>, tensor<1x32x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<1x32x64xbf16> {
    %y = func.call @layer(%h, %wq, %wk, %wv, %wo, %up, %down) : (tensor<1x32x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x256xbf16>, tensor<256x64xbf16>) -> tensor<1x32x64xbf16>
    scf.yield %y : tensor<1x32x64xbf16>
  }
  %z = attn.residual rezero(%x : tensor<1x32x64xbf16>) alpha(%alpha : f32) branch {
  ^bb0(%n: tensor<1x32x64xbf16>):
    %f = attn.feed_forward silu ins(%n : tensor<1x32x64xbf16>)
        up(%up : tensor<64x256xbf16>) down(%down : tensor<256x64xbf16>) -> tensor<1x32x64xbf16>
    attn.yield %f : tensor<1x32x64xbf16>
  }
  return %r, %z : tensor<1x32x64xbf16>, tensor<1x32x64xbf16>
}

// x + x^3 is a function of each element, a sum of two branches has no stream.
// CHECK-LABEL: Moments of @no_blocks
// CHECK-NOT: residual block
func.func @no_blocks(%x: tensor<16x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<16x64xf32>
  %x2 = arith.mulf %x, %x : tensor<16x64xf32>
  %x3 = arith.mulf %x2, %x : tensor<16x64xf32>
  %c = arith.addf %x, %x3 : tensor<16x64xf32>
  %f = attn.linear ins(%x, %w0 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = attn.linear ins(%x, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s = arith.addf %f, %g : tensor<16x64xf32>
  return %c, %s : tensor<16x64xf32>, tensor<16x64xf32>
}
