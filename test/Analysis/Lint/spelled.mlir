// Faults of models that frameworks export: sums, norms, functions and products
// in arith, math and linalg ops. What they compute counts, not how it is spelled.

// RUN: attn-opt %s --attn-lint -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-lint=fix -o %t.mlir 2>/dev/null
// RUN: FileCheck %s < %t.mlir
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT --implicit-check-not=attn-w
// LEFT: [attn-w104]
// LEFT: [attn-w105]
// LEFT: [attn-w106]

#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#number = affine_map<(i, j) -> ()>

// A stream of sums: one tensor op, one named op. The norm is an op.
// CHECK-LABEL: @sums
// CHECK: arith.addf
// CHECK: %[[SUM:.*]] = linalg.add
// CHECK: %[[LAST:.*]] = attn.norm rms axes [1] eps(1.000000e-06) ins(%[[SUM]] :
// CHECK-NEXT: return %[[LAST]]
func.func @sums(%x: tensor<16x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %a = arith.addf %x, %f : tensor<16x64xf32>
  %m = attn.norm rms axes [1] eps(1.0e-06) ins(%a : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = attn.linear ins(%m, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  // expected-warning@below {{[attn-w102] linalg.add: the stream of 2 Pre Norm blocks ends without a norm; its predicted second moment is 3, that of its input 1}}
  // expected-note@below {{mend it by attn.norm rms behind it}}
  %b = linalg.add ins(%g, %a : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %b : tensor<16x64xf32>
}

// All of it in structured ops, in a loop: the norm as squares, their mean, a
// root and a product, the layer as a product, the sum as a body.
// CHECK-LABEL: @spelled_norm
// CHECK: %[[LOOP:.*]] = scf.for
// CHECK: %[[LAST:.*]] = attn.norm rms axes [1] eps(1.000000e-05) ins(%[[LOOP]] :
// CHECK-NEXT: return %[[LAST]]
func.func @spelled_norm(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 64.0 : f32
  %eps = arith.constant 1.0e-06 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %er = tensor.empty() : tensor<16xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    %z = linalg.fill ins(%zero : f32) outs(%er : tensor<16xf32>) -> tensor<16xf32>
    %squares = linalg.generic {indexing_maps = [#same, #row], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<16x64xf32>) outs(%z : tensor<16xf32>) {
    ^bb0(%a: f32, %s: f32):
      %p = arith.mulf %a, %a : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    } -> tensor<16xf32>
    %n = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]}
      ins(%h, %squares : tensor<16x64xf32>, tensor<16xf32>) outs(%e : tensor<16x64xf32>) {
    ^bb0(%a: f32, %s: f32, %out: f32):
      %m = arith.divf %s, %count : f32
      %v = arith.addf %m, %eps : f32
      %k = math.rsqrt %v : f32
      %p = arith.mulf %a, %k : f32
      linalg.yield %p : f32
    } -> tensor<16x64xf32>
    %zz = linalg.fill ins(%zero : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %f = linalg.matmul ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%zz : tensor<16x64xf32>) -> tensor<16x64xf32>
    // expected-warning@below {{[attn-w102] linalg.generic: the stream of 3 Pre Norm blocks ends without a norm; its predicted second moment is 4, that of its input 1}}
    // expected-note@below {{mend it by attn.norm rms behind the loop}}
    %y = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%h, %f : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<16x64xf32>
    scf.yield %y : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// Post Norm in sums: there is no policy to set. The blocks stay.
// CHECK-LABEL: @post
// CHECK-COUNT-1: attn.norm
// CHECK-NOT: attn.norm
// CHECK: return
func.func @post(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    %f = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    // expected-warning@below {{[attn-w104] arith.addf: after 6 Post Norm blocks the input of the stream weighs 0.125: it has 0.01562 of the predicted second moment}}
    // expected-note@below {{not mended by pre for post in its blocks, and attn.norm layer behind the last: the blocks are spelled out, and have no policy that could be another}}
    %s = arith.addf %h, %f : tensor<16x64xf32>
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%s : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    scf.yield %n : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// tanh as a body, softplus as math ops, a sigmoid as four ops. The gain is a
// product behind it, for all that read it.
// CHECK-LABEL: @functions
// CHECK: math.tanh
// CHECK: arith.constant 1.592
// CHECK: arith.mulf
// CHECK: linalg.matmul
// CHECK: math.log1p
// CHECK: arith.constant 1.04
// CHECK: attn.linear
// CHECK: arith.divf
// CHECK: arith.constant 1.846
// CHECK: attn.linear
func.func @functions(%x: tensor<16x64xf32>, %y: tensor<16x64xf32>, %z: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %ones = arith.constant dense<1.0> : tensor<16x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  // expected-warning@below {{[attn-w103] linalg.generic: tanh turns a second moment of 1 into 0.3943, and the layer after it has 0.3943}}
  // expected-note@below {{mend it by a factor of 1.593 behind it}}
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %f = math.tanh %a : f32
    linalg.yield %f : f32
  } -> tensor<16x64xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %a1 = linalg.matmul ins(%t, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%f0 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %p0 = math.exp %y : tensor<16x64xf32>
  // expected-warning@below {{[attn-w103] math.log1p: softplus turns a second moment of 1 into}}
  // expected-note@below {{mend it by a factor of 1.04}}
  %p1 = math.log1p %p0 : tensor<16x64xf32>
  %a2 = attn.linear ins(%p1, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s0 = arith.negf %z : tensor<16x64xf32>
  %s1 = math.exp %s0 : tensor<16x64xf32>
  %s2 = arith.addf %s1, %ones : tensor<16x64xf32>
  // expected-warning@below {{[attn-w103] arith.divf: sigmoid turns a second moment of 1 into 0.2934, and the layer after it has 0.2934}}
  // expected-note@below {{mend it by a factor of 1.846 behind it}}
  %s3 = arith.divf %ones, %s2 : tensor<16x64xf32>
  %a3 = attn.linear ins(%s3, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %a1, %a2, %a3 : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
}

// A function in an epilogue, after a bias of its columns and factors that are
// numbers, one of them a tensor, and one in the body of an elementwise op.
// CHECK-LABEL: @bodies
// CHECK: attn.activation tanh unit_moment %{{.*}} : f32
// CHECK: attn.activation sigmoid unit_moment %{{.*}} : f32
func.func @bodies(%x: tensor<16x64xf32>, %y: tensor<16x64xf32>, %b: tensor<64xf32> {attn.moments = array<f64: 0.0, 0.0>}, %factor: tensor<f32> {attn.moments = array<f64: 1.0, 1.0>}, %number: f32 {attn.moments = array<f64: 1.0, 1.0>}, %w: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<16x64xf32>
  %h = attn.linear ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) extras(%b, %factor, %number : tensor<64xf32>, tensor<f32>, f32) outs(%e : tensor<16x64xf32>) epilogue {
  ^bb0(%a: f32, %bias: f32, %one: f32, %two: f32):
    %sum = arith.addf %a, %bias : f32
    %first = arith.mulf %sum, %one : f32
    %s = arith.mulf %first, %two : f32
    // expected-warning@below {{[attn-w103] attn.activation: tanh turns a second moment of 1 into 0.3943, and the layer after it has 0.3943}}
    // expected-note@below {{mend it by unit_moment}}
    %t = attn.activation tanh %s : f32
    attn.yield %t : f32
  } -> tensor<16x64xf32>
  %o = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%y : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    // expected-warning@below {{[attn-w103] attn.activation: sigmoid turns a second moment of 1 into 0.2934, and the layer after it has 0.2934}}
    // expected-note@below {{mend it by unit_moment}}
    %f = attn.activation sigmoid %a : f32
    linalg.yield %f : f32
  } -> tensor<16x64xf32>
  %p = attn.linear ins(%g, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %o, %p : tensor<16x64xf32>, tensor<16x64xf32>
}

// Products with weights of their own: drawn with unit variance and not divided,
// drawn with LeCun's and divided by sqrt(256). The first one's attn.init is
// mended; constants have none.
// CHECK-LABEL: @products
// CHECK: attn.init normal variance({{ ?}}lecun)
// CHECK: attn.init normal variance({{ ?}}constant) value(1.000000e+00)
func.func @products(%x: tensor<16x256xf32>, %seed: i64) -> (tensor<16x256xf32>, tensor<16x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %sixteenth = arith.constant dense<0.0625> : tensor<16x256xf32>
  %ew = tensor.empty() : tensor<256x256xf32>
  %e = tensor.empty() : tensor<16x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x256xf32>) -> tensor<16x256xf32>
  %w1 = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%ew : tensor<256x256xf32>) -> tensor<256x256xf32>
  %w2 = attn.init normal variance(lecun) seed(%seed : i64) outs(%ew : tensor<256x256xf32>) -> tensor<256x256xf32>
  // expected-warning@below {{[attn-w106] linalg.matmul: weights of second moment 1 are not divided by sqrt(256): the output has 256 times the input's second moment}}
  // expected-note@below {{mend it by variance(lecun) of its attn.init}}
  %a = linalg.matmul ins(%x, %w1 : tensor<16x256xf32>, tensor<256x256xf32>) outs(%z : tensor<16x256xf32>) -> tensor<16x256xf32>
  // expected-warning@below {{[attn-w105] linalg.matmul: ntk divides by sqrt(256), and so do the weights, of second moment 0.003906: the output has 0.003906 of the input's second moment}}
  // expected-note@below {{mend it by variance(constant) value(1) of its attn.init}}
  %b = linalg.matmul ins(%x, %w2 : tensor<16x256xf32>, tensor<256x256xf32>) outs(%z : tensor<16x256xf32>) -> tensor<16x256xf32>
  %c = arith.mulf %b, %sixteenth : tensor<16x256xf32>
  return %a, %c : tensor<16x256xf32>, tensor<16x256xf32>
}
// CHECK-LABEL: @given_products
func.func @given_products(%x: tensor<16x256xf32>, %w1: tensor<256x256xf32> {attn.moments = array<f64: 0.0, 1.0>}, %w2: tensor<256x256xf32> {attn.moments = array<f64: 0.0, 0.00390625>}) -> (tensor<16x256xf32>, tensor<16x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %sixteenth = arith.constant dense<0.0625> : tensor<16x256xf32>
  %e = tensor.empty() : tensor<16x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x256xf32>) -> tensor<16x256xf32>
  // expected-warning@below {{[attn-w105] linalg.matmul}}
  // expected-note@below {{not mended by parameterisation(standard): a product that is no attn.linear has no attribute for it}}
  %b = linalg.matmul ins(%x, %w2 : tensor<16x256xf32>, tensor<256x256xf32>) outs(%z : tensor<16x256xf32>) -> tensor<16x256xf32>
  %c = arith.mulf %b, %sixteenth : tensor<16x256xf32>
  // expected-warning@below {{[attn-w106] linalg.matmul}}
  // expected-note@below {{not mended by parameterisation(ntk): a product that is no attn.linear has no attribute for it}}
  %a = linalg.matmul ins(%x, %w1 : tensor<16x256xf32>, tensor<256x256xf32>) outs(%z : tensor<16x256xf32>) -> tensor<16x256xf32>
  return %a, %c : tensor<16x256xf32>, tensor<16x256xf32>
}
