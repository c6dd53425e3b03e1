// RUN: attn-opt %s --attn-lint -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-lint=fix -o %t.mlir 2>/dev/null
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT --implicit-check-not=attn-w
// RUN: FileCheck %s < %t.mlir
// A softmax whose scores are a product is asked what an attention is asked.

// What cannot be mended is still there after the fix.
// LEFT: [attn-w101] attn.softmax
// LEFT: not mended by scale(#attn.inv_sqrt_dim): d is not known
// LEFT: [attn-w101] attn.softmax
// LEFT: not mended by a factor of 0.125 behind the product: the product is read by others, too

// Two products with a softmax between them; its policy gets the d of the
// product.
// CHECK-LABEL: @batch_matmul
// CHECK: linalg.batch_matmul
// CHECK-NEXT: attn.softmax scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) head_dim(64)
func.func @batch_matmul(%q: tensor<4x48x64xf32>, %k: tensor<4x64x48xf32>, %v: tensor<4x48x64xf32>, %i: tensor<4x48x48xf32>, %o: tensor<4x48x64xf32>) -> tensor<4x48x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x48x64xf32>, tensor<4x64x48xf32>) outs(%s0 : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  // expected-warning@below {{[attn-w101] attn.softmax: the predicted variance of the scores is 64; with 1/sqrt(d), d = 64, it would be 1}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax1) ins(%s : tensor<4x48x48xf32>) outs(%i : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%o : tensor<4x48x64xf32>) -> tensor<4x48x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<4x48x48xf32>, tensor<4x48x64xf32>) outs(%o0 : tensor<4x48x64xf32>) -> tensor<4x48x64xf32>
  return %r : tensor<4x48x64xf32>
}

// A generic contraction of two dimensions, with a view and a mask behind it. The
// head dimension that the op states is kept.
// CHECK-LABEL: @generic_masked
// CHECK: attn.softmax scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) head_dim(32)
func.func @generic_masked(%q: tensor<48x4x8xf32>, %k: tensor<48x4x8xf32>, %mask: tensor<48x48xi1>, %i: tensor<48x48xf32>, %j: tensor<1x48x48xf32>) -> tensor<1x48x48xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant dense<-1.0e+09> : tensor<48x48xf32>
  %none = arith.constant dense<0.0> : tensor<48x48xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<48x48xf32>) -> tensor<48x48xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, a, b) -> (i, a, b)>, affine_map<(i, j, a, b) -> (j, a, b)>, affine_map<(i, j, a, b) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%q, %k : tensor<48x4x8xf32>, tensor<48x4x8xf32>) outs(%s0 : tensor<48x48xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %sum, %m : f32
    linalg.yield %n : f32
  } -> tensor<48x48xf32>
  %hidden = arith.select %mask, %none, %low : tensor<48x48xi1>, tensor<48x48xf32>
  %t = arith.addf %s, %hidden : tensor<48x48xf32>
  %u = tensor.expand_shape %t [[0, 1], [2]] output_shape [1, 48, 48] : tensor<48x48xf32> into tensor<1x48x48xf32>
  // expected-warning@below {{[attn-w101] attn.softmax: the predicted variance of the scores is 8; with 1/sqrt(d), d = 32, it would be 1}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %p = attn.softmax scale(#attn.constant<0.5>) softmax(#attn.softmax) head_dim(32) ins(%u : tensor<1x48x48xf32>) outs(%j : tensor<1x48x48xf32>) -> tensor<1x48x48xf32>
  return %p : tensor<1x48x48xf32>
}

// Class vectors of length sqrt(d): weights of unit variance, of a layer that the
// softmax reads. It is one fault and has one warning.
// CHECK-LABEL: @classes
// CHECK: attn.softmax scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) head_dim(64)
func.func @classes(%x: tensor<48x64xf32>, %seed: i64, %i: tensor<48x100xf32>) -> tensor<48x100xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %w = attn.init normal variance(constant) value(1.0) seed(%seed : i64) outs(%e : tensor<64x100xf32>) -> tensor<64x100xf32>
  %s = attn.linear ins(%x, %w : tensor<48x64xf32>, tensor<64x100xf32>) outs(%i : tensor<48x100xf32>) -> tensor<48x100xf32>
  // expected-warning@below {{[attn-w101] attn.softmax: the predicted variance of the scores is 64; with 1/sqrt(d), d = 64, it would be 1}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%s : tensor<48x100xf32>) outs(%i : tensor<48x100xf32>) -> tensor<48x100xf32>
  return %p : tensor<48x100xf32>
}

// A bias stands between: the factor goes behind the product, before the bias.
// CHECK-LABEL: @biased
// CHECK: linalg.matmul
// CHECK: %[[FACTOR:.*]] = arith.constant 1.250000e-01 : f32
// CHECK: arith.mulf %{{.*}}, %[[FACTOR]]
// CHECK: arith.addf
// CHECK: attn.softmax scale(#attn.none)
func.func @biased(%q: tensor<48x64xf32>, %k: tensor<64x48xf32> {attn.moments = array<f64: 0.0, 1.0>}, %bias: tensor<48x48xf32>, %i: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<48x48xf32>) -> tensor<48x48xf32>
  %s = linalg.matmul ins(%q, %k : tensor<48x64xf32>, tensor<64x48xf32>) outs(%s0 : tensor<48x48xf32>) -> tensor<48x48xf32>
  %t = arith.addf %s, %bias : tensor<48x48xf32>
  // expected-warning@below {{[attn-w101] attn.softmax: the predicted variance of the scores is}}
  // expected-note@below {{mend it by a factor of 0.125 behind the product}}
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%t : tensor<48x48xf32>) outs(%i : tensor<48x48xf32>) -> tensor<48x48xf32>
  return %p : tensor<48x48xf32>
}

// An unknown d is taken for 512, but none is written down.
// CHECK-LABEL: @unknown_dim
// CHECK: attn.softmax scale(#attn.none)
func.func @unknown_dim(%q: tensor<4x48x?xf32>, %k: tensor<4x?x48xf32>, %i: tensor<4x48x48xf32>) -> tensor<4x48x48xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x48x?xf32>, tensor<4x?x48xf32>) outs(%s0 : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  // expected-warning@below {{the predicted variance of the scores is 512; with 1/sqrt(d), d = 512, it would be 1}}
  // expected-note@below {{not mended by scale(#attn.inv_sqrt_dim): d is not known, and has been taken for 512}}
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%s : tensor<4x48x48xf32>) outs(%i : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  return %p : tensor<4x48x48xf32>
}

// The product is returned as well: a factor would change that, too.
// CHECK-LABEL: @read_twice
// CHECK: attn.softmax scale(#attn.none)
func.func @read_twice(%q: tensor<48x64xf32>, %k: tensor<64x48xf32> {attn.moments = array<f64: 0.0, 1.0>}, %bias: tensor<48x48xf32>, %i: tensor<48x48xf32>) -> (tensor<48x48xf32>, tensor<48x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<48x48xf32>) -> tensor<48x48xf32>
  %s = linalg.matmul ins(%q, %k : tensor<48x64xf32>, tensor<64x48xf32>) outs(%s0 : tensor<48x48xf32>) -> tensor<48x48xf32>
  %t = arith.addf %s, %bias : tensor<48x48xf32>
  // expected-warning@below {{[attn-w101] attn.softmax}}
  // expected-note@below {{not mended by a factor of 0.125 behind the product: the product is read by others, too}}
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%t : tensor<48x48xf32>) outs(%i : tensor<48x48xf32>) -> tensor<48x48xf32>
  return %p, %s : tensor<48x48xf32>, tensor<48x48xf32>
}

// linalg.softmax has no policy.
// CHECK-LABEL: @upstream
// CHECK: linalg.matmul
// CHECK: arith.constant 1.250000e-01 : f32
// CHECK: linalg.softmax
func.func @upstream(%q: tensor<48x64xf32>, %k: tensor<64x48xf32> {attn.moments = array<f64: 0.0, 1.0>}, %i: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<48x48xf32>) -> tensor<48x48xf32>
  %s = linalg.matmul ins(%q, %k : tensor<48x64xf32>, tensor<64x48xf32>) outs(%s0 : tensor<48x48xf32>) -> tensor<48x48xf32>
  // expected-warning@below {{[attn-w101] linalg.softmax: the predicted variance of the scores is 64; with 1/sqrt(d), d = 64, it would be 1}}
  // expected-note@below {{mend it by a factor of 0.125 behind the product}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<48x48xf32>) outs(%i : tensor<48x48xf32>) -> tensor<48x48xf32>
  return %p : tensor<48x48xf32>
}

// Nor has one that is spelled out: the op that divides is named.
// CHECK-LABEL: @spelled
// CHECK: linalg.matmul
// CHECK: arith.constant 1.250000e-01 : f32
// CHECK: math.exp
func.func @spelled(%q: tensor<48x64xf32>, %k: tensor<64x48xf32> {attn.moments = array<f64: 0.0, 1.0>}, %i: tensor<48x48xf32>, %r: tensor<48xf32>) -> tensor<48x48xf32> {
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<48x48xf32>) -> tensor<48x48xf32>
  %s = linalg.matmul ins(%q, %k : tensor<48x64xf32>, tensor<64x48xf32>) outs(%s0 : tensor<48x48xf32>) -> tensor<48x48xf32>
  %r0 = linalg.fill ins(%inf : f32) outs(%r : tensor<48xf32>) -> tensor<48xf32>
  %max = linalg.reduce ins(%s : tensor<48x48xf32>) outs(%r0 : tensor<48xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %m = arith.maximumf %a, %b : f32
      linalg.yield %m : f32
    }
  %maxes = linalg.broadcast ins(%max : tensor<48xf32>) outs(%i : tensor<48x48xf32>) dimensions = [1]
  %d = arith.subf %s, %maxes : tensor<48x48xf32>
  %x = math.exp %d : tensor<48x48xf32>
  %r1 = linalg.fill ins(%zero : f32) outs(%r : tensor<48xf32>) -> tensor<48xf32>
  %sum = linalg.reduce ins(%x : tensor<48x48xf32>) outs(%r1 : tensor<48xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    }
  %sums = linalg.broadcast ins(%sum : tensor<48xf32>) outs(%i : tensor<48x48xf32>) dimensions = [1]
  // expected-warning@below {{[attn-w101] arith.divf: the predicted variance of the scores is 64; with 1/sqrt(d), d = 64, it would be 1}}
  // expected-note@below {{mend it by a factor of 0.125 behind the product}}
  %p = arith.divf %x, %sums : tensor<48x48xf32>
  return %p : tensor<48x48xf32>
}
