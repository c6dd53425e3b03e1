// RUN: attn-opt %s -o /dev/null --attn-analyze-moments=text=- 2>/dev/null | FileCheck %s
// RUN: attn-opt %s --attn-analyze-moments=json=- -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=JSON
// Streams whose sums, or whose inputs, have constant factors.

// 0.5 (x + F(x)), the factor an op of its own or a part of the sum, is one
// stream of Pre Norm blocks. x_0 keeps what it would without the factor, while
// the branches stay as large as they are.
// CHECK-LABEL: Moments of @halved
// CHECK: residual block policy x^2 branch^2 result^2 share of x_0 share of branch
// CHECK-NEXT: 0.0 pre 1 1 0.5 0.5 0.5
// CHECK-NEXT: 0.1 pre 0.5 1 0.375 0.1667 0.6667
// CHECK-NEXT: 0.2 pre 0.375 1 0.3437 0.04545 0.7273
// CHECK-NOT: 1.0
func.func @halved(%x: tensor<48x64xf32>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %half = arith.constant dense<0.5> : tensor<48x64xf32>
  %number = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<48x64xf32>
  %n0 = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %f0 = attn.linear ins(%n0, %u : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %s0 = arith.addf %x, %f0 : tensor<48x64xf32>
  %x1 = arith.mulf %s0, %half : tensor<48x64xf32>
  %n1 = attn.norm rms axes [1] eps(1.0e-06) ins(%x1 : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %f1 = attn.linear ins(%n1, %v : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %x2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x1, %f1 : tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    %h = arith.mulf %s, %number : f32
    linalg.yield %h : f32
  } -> tensor<48x64xf32>
  %n2 = attn.norm rms axes [1] eps(1.0e-06) ins(%x2 : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %f2 = attn.linear ins(%n2, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %s2 = arith.addf %f2, %x2 : tensor<48x64xf32>
  %x3 = arith.mulf %half, %s2 : tensor<48x64xf32>
  return %x3 : tensor<48x64xf32>
}

// The same with 1/sqrt(2): the stream stays as large as it is.
// CHECK-LABEL: Moments of @rooted
// CHECK: 0.0 inv_sqrt2 1 1 1 0.5 0.5
// CHECK-NEXT: 0.1 inv_sqrt2 1 1 1 0.25 0.5
func.func @rooted(%x: tensor<48x64xf32>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %root = arith.constant dense<0.70710678> : tensor<48x64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %n0 = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %f0 = attn.linear ins(%n0, %u : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %s0 = arith.addf %x, %f0 : tensor<48x64xf32>
  %x1 = arith.mulf %s0, %root : tensor<48x64xf32>
  %n1 = attn.norm rms axes [1] eps(1.0e-06) ins(%x1 : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %f1 = attn.linear ins(%n1, %v : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %s1 = arith.addf %x1, %f1 : tensor<48x64xf32>
  %x2 = arith.mulf %s1, %root : tensor<48x64xf32>
  return %x2 : tensor<48x64xf32>
}

// DeepNorm: Norm(2 x + F(x)), the factor an op of its own or in the sum. x has
// 4 of 5 parts, of which 16 of 25 are left behind the second block.
// CHECK-LABEL: Moments of @deepnorm
// CHECK: 0.0 post, x times 2 1 1 1 0.8 0.2
// CHECK-NEXT: 0.1 post, x times 2 1 1 1 0.64 0.2
// CHECK-NEXT: 0.2 post, x times 2 1 0.25 1 0.6024 0.05882
// JSON: "function": "deepnorm"
// JSON: "policy": "post"
// JSON: "input_second_moment": 1,
// JSON-NEXT: "input_factor": 2,
func.func @deepnorm(%x: tensor<48x64xf32>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %two = arith.constant dense<2.0> : tensor<48x64xf32>
  %number = arith.constant 2.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<48x64xf32>
  %f0 = attn.linear ins(%x, %u : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %a0 = arith.mulf %x, %two : tensor<48x64xf32>
  %s0 = arith.addf %a0, %f0 : tensor<48x64xf32>
  %x1 = attn.norm rms axes [1] eps(1.0e-06) ins(%s0 : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %f1 = attn.linear ins(%x1, %v : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%f1, %x1 : tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %b, %number : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<48x64xf32>
  %x2 = attn.norm rms axes [1] eps(1.0e-06) ins(%s1 : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %f2 = attn.linear ins(%x2, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%f2, %x2 : tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %b, %number : f32
    %n = arith.mulf %a, %half : f32
    %s = arith.addf %m, %n : f32
    linalg.yield %s : f32
  } -> tensor<48x64xf32>
  %x3 = attn.norm rms axes [1] eps(1.0e-06) ins(%s2 : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %x3 : tensor<48x64xf32>
}

// A branch that is a call is a block, and so is one whose factor is in the call.
// What overflows on the way is named, with the number of the last call.
// CHECK-LABEL: Moments of @calls
// CHECK: %{{[0-9]+}} func.call - overflows -
// CHECK: 0.0 sum 1 256 257
// CHECK-NEXT: 0.1 sum 257
// CHECK: 0.4 sum
// CHECK: warning: attn.linear at {{.*}}: overflows: second moment 1.117e+12 is above 4.291e+09
func.func private @branch(%x: tensor<48x64xf16>, %w: tensor<64x64xf16>) -> tensor<48x64xf16> {
  %e = tensor.empty() : tensor<48x64xf16>
  %y = attn.linear ins(%x, %w : tensor<48x64xf16>, tensor<64x64xf16>) outs(%e : tensor<48x64xf16>) -> tensor<48x64xf16>
  return %y : tensor<48x64xf16>
}
func.func private @block(%x: tensor<48x64xf16>, %w: tensor<64x64xf16>) -> tensor<48x64xf16> {
  %y = call @branch(%x, %w) : (tensor<48x64xf16>, tensor<64x64xf16>) -> tensor<48x64xf16>
  %z = arith.addf %x, %y : tensor<48x64xf16>
  return %z : tensor<48x64xf16>
}
func.func @calls(%x: tensor<48x64xf16>, %w: tensor<64x64xf16> {attn.moments = array<f64: 0.0, 4.0>}) -> tensor<48x64xf16> {
  %a = call @block(%x, %w) : (tensor<48x64xf16>, tensor<64x64xf16>) -> tensor<48x64xf16>
  %b = call @block(%a, %w) : (tensor<48x64xf16>, tensor<64x64xf16>) -> tensor<48x64xf16>
  %c = call @block(%b, %w) : (tensor<48x64xf16>, tensor<64x64xf16>) -> tensor<48x64xf16>
  %d = call @block(%c, %w) : (tensor<48x64xf16>, tensor<64x64xf16>) -> tensor<48x64xf16>
  %e = call @block(%d, %w) : (tensor<48x64xf16>, tensor<64x64xf16>) -> tensor<48x64xf16>
  return %e : tensor<48x64xf16>
}

// A sum that a residual op reads, whose branch has no norm, is no Post Norm
// block, though there is a norm behind that: the branch reads it as it is.
// CHECK-LABEL: Moments of @read_by_residual
// CHECK: 0.0 sum 1 1 2 0.5 0.5
// CHECK-NEXT: 0.1 rezero 2 0 2 0.5 0
func.func @read_by_residual(%x: tensor<48x64xf32>, %u: tensor<64x64xf32>, %w: tensor<64x64xf32>, %alpha: tensor<f32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %f = attn.linear ins(%x, %u : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %s = arith.addf %x, %f : tensor<48x64xf32>
  %y = attn.residual rezero(%s : tensor<48x64xf32>) alpha(%alpha : tensor<f32>) branch {
  ^bb0(%h: tensor<48x64xf32>):
    %g = attn.linear ins(%h, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    attn.yield %g : tensor<48x64xf32>
  }
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%y : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %n : tensor<48x64xf32>
}
