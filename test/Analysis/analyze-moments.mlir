// RUN: attn-opt %s -o /dev/null --attn-analyze-moments="text=%t.txt json=%t.json html=%t.html" 2> %t.warnings
// RUN: FileCheck %s < %t.txt
// RUN: FileCheck %s --check-prefix=WARN < %t.warnings
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: python3 %S/Inputs/check_moments.py %t.json
// RUN: attn-opt %s -o /dev/null --attn-analyze-moments 2>&1 >/dev/null | FileCheck %s
// RUN: attn-opt %s --attn-analyze-moments="text=%t.txt" 2>/dev/null | attn-opt -o %t.after
// RUN: attn-opt %s | diff %t.after -

// HTML: <!DOCTYPE html>
// HTML: <meta name="viewport" content="width=device-width
// HTML: prefers-color-scheme: dark
// HTML: <svg
// HTML-NOT: http

// What arguments are is read off their uses: LeCun weights keep the second
// moment, gelu has 0.4252 of it, unit_moment gives it back, biases are 0.
// CHECK-LABEL: Moments of @feed_forward
// CHECK: %arg0 activation 0 1
// CHECK-NEXT: %arg1 weight 0 0.01562
// CHECK-NEXT: %arg2 bias 0 0
// CHECK-NEXT: %arg3 weight 0 0.003906
// CHECK: attn.linear 0 1 1 {{.*}}analyze-moments.mlir:[[@LINE+8]]:
// CHECK: attn.activation 0.2821 0.4252 0.3456
// CHECK: attn.activation 0.4326 1 0.8129
// CHECK: attn.linear 0 1 1
// CHECK: assumed: weights are independent of the data, and of each other
func.func @feed_forward(%x: tensor<8x64xf32>, %u: tensor<64x256xf32>, %b: tensor<256xf32>, %d: tensor<256x64xf32>) -> (tensor<8x64xf32>, tensor<8x256xf32>) {
  %eh = tensor.empty() : tensor<8x256xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %h = attn.linear ins(%x, %u, %b : tensor<8x64xf32>, tensor<64x256xf32>, tensor<256xf32>) outs(%eh : tensor<8x256xf32>) -> tensor<8x256xf32>
  %p = attn.activation gelu %h : tensor<8x256xf32>
  %a = attn.activation gelu unit_moment %h : tensor<8x256xf32>
  %y = attn.linear ins(%a, %d : tensor<8x256xf32>, tensor<256x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y, %p : tensor<8x64xf32>, tensor<8x256xf32>
}

// What an argument states goes before what its uses say, and attn.init is as
// its rule asks: 2 / 64 for He.
// CHECK-LABEL: Moments of @stated
// CHECK: %arg0 stated 1 5
// CHECK: attn.init 0 0.03125 0.03125
// CHECK: attn.linear 0 10 10
// CHECK: attn.norm 0 1 1
func.func @stated(%x: tensor<8x64xf32> {attn.moments = array<f64: 1.0, 5.0>}, %seed: i64) -> tensor<8x64xf32> {
  %ew = tensor.empty() : tensor<64x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %w = attn.init normal variance(he) seed(%seed : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %n = attn.norm layer axes [1] eps(1.0e-06) ins(%y : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %n : tensor<8x64xf32>
}

// A branch of the same second moment: post-norm halves the share of x_0 in each
// block, pre-norm adds 1 to the second moment.
// CHECK-LABEL: Moments of @streams
// CHECK: residual block policy x^2 branch^2 result^2 share of x_0 share of branch
// CHECK-NEXT: 0.0 post 1 1 1 0.5 0.5
// CHECK-NEXT: 0.1 post 1 1 1 0.25 0.5
// CHECK-NEXT: 1.0 pre 1 1 2 0.5 0.5
// CHECK-NEXT: 1.1 pre 2 1 3 0.3333 0.3333
func.func @streams(%x: tensor<8x64xf32>, %z: tensor<8x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %e = tensor.empty() : tensor<8x64xf32>
  %a = attn.residual post(%x : tensor<8x64xf32>) norm {
  ^bb0(%s: tensor<8x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%s : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %n : tensor<8x64xf32>
  } branch {
  ^bb0(%h: tensor<8x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %f : tensor<8x64xf32>
  }
  %b = attn.residual post(%a : tensor<8x64xf32>) norm {
  ^bb0(%s: tensor<8x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%s : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %n : tensor<8x64xf32>
  } branch {
  ^bb0(%h: tensor<8x64xf32>):
    %f = attn.linear ins(%h, %w1 : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %f : tensor<8x64xf32>
  }
  %c = attn.residual pre(%z : tensor<8x64xf32>) norm {
  ^bb0(%s: tensor<8x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%s : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %n : tensor<8x64xf32>
  } branch {
  ^bb0(%h: tensor<8x64xf32>):
    %f = attn.linear ins(%h, %w0 : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %f : tensor<8x64xf32>
  }
  %d = attn.residual pre(%c : tensor<8x64xf32>) norm {
  ^bb0(%s: tensor<8x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%s : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %n : tensor<8x64xf32>
  } branch {
  ^bb0(%h: tensor<8x64xf32>):
    %f = attn.linear ins(%h, %w1 : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %f : tensor<8x64xf32>
  }
  return %b, %d : tensor<8x64xf32>, tensor<8x64xf32>
}

// A value added to itself, and through a norm, is one number, not two.
// CHECK-LABEL: Moments of @twice
// CHECK: arith.addf 0 4 4
// CHECK: attn.norm 0 1 1
// CHECK: arith.addf 0 9 9
func.func @twice(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %s = arith.addf %x, %x : tensor<8x64xf32>
  %n = attn.norm rms axes [1] eps(0.0) ins(%s : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %t = arith.addf %s, %n : tensor<8x64xf32>
  return %t : tensor<8x64xf32>
}

// Without 1/sqrt(d) scores have the variance d, and weights are nearly one-hot.
// WARN: analyze-moments.mlir:[[@LINE+13]]:{{[0-9]+}}: warning: [attn-w204] scores have variance 64 along a row, above 9: weights are nearly one-hot; scale(#attn.inv_sqrt_dim) makes it 1
// CHECK-LABEL: Moments of @scores
// CHECK: scores of variance variance in a row scale keys seen sum of p sum of p^2
// CHECK-NEXT: %{{.*}} 64 64 1 128 1 0.67{{[0-9]+}}
// CHECK-NEXT: %{{.*}} 1 1 0.125 128 1 0.020{{[0-9]+}}
// CHECK-NEXT: %{{.*}} 1 1 0.125 64.{{[0-9]+}} 1 0.07{{[0-9]+}}
// CHECK-NEXT: %{{.*}} 1 1 0.125 128 0.99{{[0-9]+}} 0.0{{2|20[0-9]+|19[0-9]+}}
// CHECK: not followed: {{.*}} attn.attention at {{.*}}: lse of an attention
// CHECK: warning: attn.attention at {{.*}}: scores have variance 64
// CHECK: assumed: the rows of an attention are equally large, also where some of them see fewer keys
func.func @scores(%q: tensor<128x64xf32>, %k: tensor<128x64xf32>, %v: tensor<128x64xf32>) -> (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128xf32>) {
  %e = tensor.empty() : tensor<128x64xf32>
  %el = tensor.empty() : tensor<128xf32>
  %a = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  %b = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  %c = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
    ins(%q, %k, %v : tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  %d, %l = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
    ins(%q, %k, %v : tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>) outs(%e, %el : tensor<128x64xf32>, tensor<128xf32>) -> tensor<128x64xf32>, tensor<128xf32>
  return %a, %b, %c, %d, %l : tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128xf32>
}

// Scores of thousands, whose exponentials have no square among the numbers: the
// weights are one-hot, and rows choose their keys apart from each other. That
// is what the second attention asks for (NumPy: variance 0.94 in a row).
// WARN: analyze-moments.mlir:[[@LINE+7]]:{{[0-9]+}}: warning: [attn-w204] scores have variance 3600 along a row
// CHECK-LABEL: Moments of @one_hot
// CHECK: scores of variance variance in a row scale keys seen sum of p sum of p^2
// CHECK-NEXT: %{{.*}} 3600 3600 0.125 64 1 {{1|0.9[0-9]+}}
// CHECK-NEXT: %{{.*}} 0.98{{[0-9]*}} 0.97{{[0-9]+}} 0.125 64 1 0.038{{[0-9]+}}
func.func @one_hot(%q: tensor<64x64xf32> {attn.moments = array<f64: 0.0, 60.0>}, %k: tensor<64x64xf32> {attn.moments = array<f64: 0.0, 60.0>}, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    ins(%v, %a, %v : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %b : tensor<64x64xf32>
}

// Weights of variance 1 multiply the second moment by 64: the op where it
// passes the limit is named, the ones after it are not.
// WARN-NOT: warning
// WARN: analyze-moments.mlir:[[@LINE+8]]:{{[0-9]+}}: warning: [attn-w202] second moment 2.621e+05 is above 1e+04; variance(lecun)
// WARN-NOT: warning
func.func @explodes(%x: tensor<8x64xf32>, %seed: i64) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %ew = tensor.empty() : tensor<64x64xf32>
  %w = attn.init uniform variance(constant) value(1.0) seed(%seed : i64) outs(%ew : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %b = attn.linear ins(%a, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %c = attn.linear ins(%b, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %d = attn.linear ins(%c, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %d : tensor<8x64xf32>
}

// A loop is followed iteration by iteration; what has no rule is named, and
// what depends on it is not.
// CHECK-LABEL: Moments of @loop
// CHECK: scf.for 0 16 16
// CHECK: not followed: {{.*}} = tensor.gather at
// CHECK-NOT: not followed
// CHECK: assumed: weights of different iterations of a loop are independent
func.func @loop(%x: tensor<8xf32>, %i: tensor<8x1xindex>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = scf.for %t = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %s = arith.addf %a, %a : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  %g = tensor.gather %x[%i] gather_dims([0]) : (tensor<8xf32>, tensor<8x1xindex>) -> tensor<8xf32>
  %z = arith.addf %g, %y : tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}

// A sum over 4 numbers of mean m has 4 E x^2 + 12 m^2, for relu of a normal
// number 2 + 12 / (2 pi). The maximum of 8 normal numbers has mean 1.4236 and
// variance 0.3729.
// CHECK-LABEL: Moments of @reductions
// CHECK: linalg.reduce 1.596 3.91 1.363
// CHECK: linalg.reduce 1.42{{[0-9]+}} 2.{{[0-9]+}} 0.37{{[0-9]+}}
func.func @reductions(%x: tensor<16x4xf32>, %y: tensor<16x8xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %m0 = linalg.fill ins(%least : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = attn.activation relu %x : tensor<16x4xf32>
  %s = linalg.reduce { arith.addf } ins(%r : tensor<16x4xf32>) outs(%s0 : tensor<16xf32>) dimensions = [1]
  %m = linalg.reduce { arith.maximumf } ins(%y : tensor<16x8xf32>) outs(%m0 : tensor<16xf32>) dimensions = [1]
  return %s, %m : tensor<16xf32>, tensor<16xf32>
}

// Numbers without moments are named, the first of a chain only: quotients by
// what may be 0, logarithms of what may be negative, quotients by 0.
// CHECK-LABEL: Moments of @undefined
// CHECK: not followed: {{.*}} = arith.divf at {{.*}}:[[@LINE+5]]:{{.*}}: NaN for some values that its operands may have
// CHECK-NEXT: not followed: {{.*}} = math.log at {{.*}}:[[@LINE+5]]:{{.*}}: NaN for some values
// CHECK-NEXT: not followed: {{.*}} = arith.divf at {{.*}}:[[@LINE+7]]:{{.*}}: its moments are not finite
// CHECK-NOT: {{not followed|hidden scores}}
func.func @undefined(%x: tensor<64x32xf32>, %s: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %y = arith.divf %x, %s : tensor<64x32xf32>
  %log = math.log %s : tensor<64x32xf32>
  %sum = arith.addf %y, %log : tensor<64x32xf32>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %z = arith.divf %x, %zero : tensor<64x32xf32>
  return %sum, %z : tensor<64x32xf32>, tensor<64x32xf32>
}
