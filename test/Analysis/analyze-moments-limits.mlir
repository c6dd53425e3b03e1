// RUN: attn-opt %s -o /dev/null --attn-analyze-moments="text=%t.txt json=%t.json html=%t.html" 2> %t.warnings
// RUN: FileCheck %s < %t.txt
// RUN: FileCheck %s --check-prefix=WARN --implicit-check-not=warning: < %t.warnings
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: python3 %S/Inputs/check_overflow.py %t.json

// A second moment that no number can be: 256 times as large in each of 500
// iterations. The values stay in the list, also behind the loop, and the op is
// named once.
// CHECK-LABEL: Moments of @loop
// CHECK: attn.linear - overflows - {{.*}}:[[@LINE+14]]:
// CHECK-NEXT: scf.for - overflows -
// CHECK-NEXT: attn.norm - overflows -
// CHECK-NEXT: warning: attn.linear at {{.*}}:[[@LINE+11]]:{{.*}}: overflows: second moment inf is above 1.158e+77, the square of the largest number of the type
// CHECK-NOT: warning
// WARN: :[[@LINE+9]]:{{.*}}: warning: [attn-w203] overflows: second moment inf
// HTML: warning: attn.linear at {{.*}}: overflows
// HTML: <td>overflows
func.func @loop(%x: tensor<8x16xf32>, %w: tensor<16x16xf32> {attn.moments = array<f64: 0.0, 16.0>}) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c500 = arith.constant 500 : index
  %e = tensor.empty() : tensor<8x16xf32>
  %r = scf.for %i = %c0 to %c500 step %c1 iter_args(%h = %x) -> tensor<8x16xf32> {
    %a = attn.linear ins(%h, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    scf.yield %a : tensor<8x16xf32>
  }
  %n = attn.norm layer axes [1] eps(1.0e-06) ins(%r : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %n : tensor<8x16xf32>
}

// Beyond f32 and within f64; also of an op whose results have no usual size.
// CHECK-LABEL: Moments of @types
// CHECK: arith.mulf - overflows -
// CHECK-NEXT: arith.mulf 0 1e+80 1e+80
// CHECK-NEXT: warning: arith.mulf at {{.*}}:[[@LINE+7]]:{{.*}}: overflows: second moment 1e+80 is above 1.158e+77
// CHECK-NOT: warning
// WARN: :[[@LINE+5]]:{{.*}}: warning: [attn-w203] overflows: second moment 1e+80
func.func @types(%x: tensor<8x16xf32>, %y: tensor<8x16xf64>) -> (tensor<8x16xf32>, tensor<8x16xf64>) {
  %c = arith.constant dense<1.0e+20> : tensor<8x16xf32>
  %d = arith.constant dense<1.0e+40> : tensor<8x16xf64>
  %a = arith.mulf %x, %c : tensor<8x16xf32>
  %b = arith.mulf %a, %c : tensor<8x16xf32>
  %p = arith.mulf %y, %d : tensor<8x16xf64>
  return %b, %p : tensor<8x16xf32>, tensor<8x16xf64>
}

// A mask is no overflow, and hidden scores are not listed.
// CHECK-LABEL: Moments of @mask
// CHECK-NOT: overflows
// CHECK-LABEL: Moments of @explodes
func.func @mask(%x: tensor<8x16xf32>, %m: tensor<8x16xi1>) -> tensor<8x16xf32> {
  %low = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %s = arith.select %m, %x, %low : tensor<8x16xi1>, tensor<8x16xf32>
  return %s : tensor<8x16xf32>
}

// Growth through calls is that of the function: x + F(x) doubles in each of 16
// blocks. What the last call has is said.
// CHECK: residual block policy
// CHECK-NEXT: 0.0 sum 1 1 2
// CHECK: 0.15 sum 3.277e+04 3.277e+04 6.554e+04
// CHECK-NEXT: warning: arith.addf at {{.*}}:[[@LINE+6]]:{{.*}}: second moment 6.554e+04 is above 1e+04
// CHECK-NOT: warning
// WARN: :[[@LINE+4]]:{{.*}}: warning: [attn-w202] second moment 6.554e+04 is above 1e+04
func.func private @twice(%h: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = attn.linear ins(%h, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = arith.addf %h, %f : tensor<8x16xf32>
  return %s : tensor<8x16xf32>
}
func.func @explodes(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %h0 = call @twice(%x, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h1 = call @twice(%h0, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h2 = call @twice(%h1, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h3 = call @twice(%h2, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h4 = call @twice(%h3, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h5 = call @twice(%h4, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h6 = call @twice(%h5, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h7 = call @twice(%h6, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h8 = call @twice(%h7, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h9 = call @twice(%h8, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h10 = call @twice(%h9, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h11 = call @twice(%h10, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h12 = call @twice(%h11, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h13 = call @twice(%h12, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h14 = call @twice(%h13, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h15 = call @twice(%h14, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %h15 : tensor<8x16xf32>
}

// Half of the second moment in each call.
// CHECK-LABEL: Moments of @vanishes
// CHECK: warning: attn.linear at {{.*}}:[[@LINE+5]]:{{.*}}: second moment 6.104e-05 is below 0.0001
// CHECK-NOT: warning
// WARN: :[[@LINE+3]]:{{.*}}: warning: [attn-w201] second moment 6.104e-05 is below 0.0001
func.func private @layer(%h: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = attn.linear ins(%h, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %f : tensor<8x16xf32>
}
func.func @vanishes(%x: tensor<8x16xf32>, %w: tensor<16x16xf32> {attn.moments = array<f64: 0.0, 0.03125>}) -> tensor<8x16xf32> {
  %h0 = call @layer(%x, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h1 = call @layer(%h0, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h2 = call @layer(%h1, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h3 = call @layer(%h2, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h4 = call @layer(%h3, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h5 = call @layer(%h4, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h6 = call @layer(%h5, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h7 = call @layer(%h6, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h8 = call @layer(%h7, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h9 = call @layer(%h8, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h10 = call @layer(%h9, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h11 = call @layer(%h10, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h12 = call @layer(%h11, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h13 = call @layer(%h12, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %h13 : tensor<8x16xf32>
}

// The same function again, of what a layer before it made too large, or of as
// much as before: only that layer is to blame.
// CHECK-LABEL: Moments of @before
// CHECK: warning: attn.linear at {{.*}}:[[@LINE+6]]:{{.*}}: second moment 1.6e+06 is above 1e+04
// CHECK-NOT: warning
// WARN: :[[@LINE+4]]:{{.*}}: warning: [attn-w202] second moment 1.6e+06
func.func @before(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x16xf32> {attn.moments = array<f64: 0.0, 1.0e+05>}) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %a = call @layer(%x, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %b = attn.linear ins(%a, %v : tensor<8x16xf32>, tensor<16x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %h0 = call @layer(%b, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h1 = call @layer(%h0, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %h1 : tensor<8x16xf32>
}

// With a norm nothing grows, in any number of calls.
// CHECK-LABEL: Moments of @normed
// CHECK-NOT: warning
func.func private @post(%h: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = attn.linear ins(%h, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = arith.addf %h, %f : tensor<8x16xf32>
  %n = attn.norm layer axes [1] eps(1.0e-06) ins(%s : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %n : tensor<8x16xf32>
}
func.func @normed(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %h0 = call @post(%x, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h1 = call @post(%h0, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h2 = call @post(%h1, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h3 = call @post(%h2, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h4 = call @post(%h3, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h5 = call @post(%h4, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h6 = call @post(%h5, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h7 = call @post(%h6, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h8 = call @post(%h7, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h9 = call @post(%h8, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h10 = call @post(%h9, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h11 = call @post(%h10, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h12 = call @post(%h11, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h13 = call @post(%h12, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h14 = call @post(%h13, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %h15 = call @post(%h14, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %h15 : tensor<8x16xf32>
}

// An overflow of one call is named, whatever the calls after it have.
// CHECK-LABEL: Moments of @first_only
// CHECK: func.call - overflows -
// CHECK-NEXT: func.call 1 3 2
// CHECK-NEXT: warning: arith.mulf at {{.*}}:[[@LINE+4]]:{{.*}}: overflows: second moment 3e+120 is above 1.158e+77
// CHECK-NOT: warning
// WARN: :[[@LINE+2]]:{{.*}}: warning: [attn-w203] overflows: second moment 3e+120
func.func private @square(%h: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %f = arith.mulf %h, %h : tensor<8x16xf32>
  return %f : tensor<8x16xf32>
}
func.func @first_only(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %k = arith.constant dense<1.0e+30> : tensor<8x16xf32>
  %b = arith.mulf %x, %k : tensor<8x16xf32>
  %a = call @square(%b) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = call @square(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %a, %c : tensor<8x16xf32>, tensor<8x16xf32>
}

// So is that of an op that has limits of its own.
// CHECK-LABEL: Moments of @large_first
// CHECK: warning: attn.linear at {{.*}}:[[@LINE+5]]:{{.*}}: overflows: second moment 4.8e+09 is above 4.291e+09
// CHECK-NOT: warning
// WARN: :[[@LINE+3]]:{{.*}}: warning: [attn-w203] overflows: second moment 4.8e+09
func.func private @half(%h: tensor<8x16xf16>, %w: tensor<16x16xf16>) -> tensor<8x16xf16> {
  %e = tensor.empty() : tensor<8x16xf16>
  %f = attn.linear ins(%h, %w : tensor<8x16xf16>, tensor<16x16xf16>) outs(%e : tensor<8x16xf16>) -> tensor<8x16xf16>
  return %f : tensor<8x16xf16>
}
func.func @large_first(%x: tensor<8x16xf16>, %w: tensor<16x16xf16> {attn.moments = array<f64: 0.0, 3.0e+08>}, %v: tensor<16x16xf16>) -> tensor<8x16xf16> {
  %a = call @half(%x, %w) : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  %c = call @half(%x, %v) : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  return %c : tensor<8x16xf16>
}

// A loop of an unknown number of iterations may end before it overflows.
// CHECK-LABEL: Moments of @unknown
// CHECK-NOT: overflows
func.func @unknown(%x: tensor<8x16xf32>, %n: index) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant dense<1.0e+04> : tensor<8x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<8x16xf32> {
    %a = arith.mulf %h, %k : tensor<8x16xf32>
    scf.yield %a : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}

// Large negative numbers overflow like positive ones, and what reads them is
// behind the overflow.
// CHECK-LABEL: Moments of @negative
// CHECK: arith.mulf - overflows -
// CHECK-NEXT: arith.addf - overflows -
// CHECK-NEXT: warning: arith.mulf at {{.*}}:[[@LINE+6]]:{{.*}}: overflows: second moment 1e+100 is above 1.158e+77
// CHECK-NOT: warning
// WARN: :[[@LINE+4]]:{{.*}}: warning: [attn-w203] overflows: second moment 1e+100
func.func @negative(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %c = arith.constant dense<-1.0e+20> : tensor<8x16xf32>
  %d = arith.constant dense<1.0e+30> : tensor<8x16xf32>
  %a = arith.mulf %c, %d : tensor<8x16xf32>
  %b = arith.addf %a, %x : tensor<8x16xf32>
  return %b : tensor<8x16xf32>
}

// Masks added to each other, to scores in a function, and scaled with them,
// are meant, as are those of a type with few numbers, in the body of a
// linalg.generic, or of an argument.
// CHECK-LABEL: Moments of @masks
// CHECK-NOT: overflows
// CHECK: arith.addf -6.806e+38 4.632e+77
// CHECK-NOT: overflows
// CHECK: func.call -6.806e+38 4.632e+77
// CHECK-NEXT: arith.mulf -1.361e+39
// CHECK-NEXT: arith.addf -6.55e+04
// CHECK-NEXT: linalg.generic -6.806e+38
// CHECK-NEXT: arith.addf -6e+38
// CHECK-NOT: overflows
func.func private @hide(%h: tensor<8x16xf32>, %m: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %f = arith.addf %h, %m : tensor<8x16xf32>
  return %f : tensor<8x16xf32>
}
func.func @masks(%x: tensor<8x16xf32>, %y: tensor<8x16xf16>, %m: tensor<8x16xf32> {attn.moments = array<f64: -3.0e+38, 9.1e+76>}) -> (tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %low = arith.constant dense<0xFF7FFFFF> : tensor<8x16xf32>
  %lowest = arith.constant dense<-6.550400e+04> : tensor<8x16xf16>
  %two = arith.constant dense<2.0> : tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %both = arith.addf %low, %low : tensor<8x16xf32>
  %s = call @hide(%x, %both) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %t = arith.mulf %s, %two : tensor<8x16xf32>
  %u = arith.addf %y, %lowest : tensor<8x16xf16>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%h: f32, %o: f32):
    %k = arith.constant 0xFF7FFFFF : f32
    %sum = arith.addf %h, %k : f32
    %again = arith.addf %sum, %k : f32
    linalg.yield %again : f32
  } -> tensor<8x16xf32>
  %v = arith.addf %m, %m : tensor<8x16xf32>
  return %t, %u, %g, %v : tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>, tensor<8x16xf32>
}

// The block around an op that overflows does so, too.
// CHECK-LABEL: Moments of @block
// CHECK: warning: attn.residual at {{.*}}:[[@LINE+7]]:{{.*}}: overflows: second moment 1e+80 is above 1.158e+77, the square of the largest number of the type; attn.residual post
// CHECK-NEXT: warning: arith.mulf at {{.*}}:[[@LINE+12]]:{{.*}}: overflows
// CHECK-NOT: warning
// WARN: :[[@LINE+4]]:{{.*}}: warning: [attn-w203] overflows: second moment 1e+80
// WARN: :[[@LINE+9]]:{{.*}}: warning: [attn-w203] overflows: second moment 1e+80
func.func @block(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %k = arith.constant dense<1.0e+20> : tensor<8x16xf32>
  %a = attn.residual pre(%x : tensor<8x16xf32>) norm {
  ^bb0(%s: tensor<8x16xf32>):
    attn.yield %s : tensor<8x16xf32>
  } branch {
  ^bb0(%h: tensor<8x16xf32>):
    %f = arith.mulf %h, %k : tensor<8x16xf32>
    %g = arith.mulf %f, %k : tensor<8x16xf32>
    attn.yield %g : tensor<8x16xf32>
  }
  return %a : tensor<8x16xf32>
}

// Scores that hardly vary: each key gets the same weight.
// CHECK-LABEL: Moments of @alike
// CHECK: warning: attn.attention at {{.*}}: scores have variance 6.4e-05 along a row, below 0.01: weights are nearly uniform
// WARN: :[[@LINE+3]]:{{.*}}: warning: [attn-w205] scores have variance 6.4e-05 along a row, below 0.01: weights are nearly uniform; scale(#attn.inv_sqrt_dim) makes it 1
func.func @alike(%q: tensor<1x32x64xf32>, %k: tensor<1x32x64xf32>, %v: tensor<1x32x64xf32>,
                 %o: tensor<1x32x64xf32>) -> tensor<1x32x64xf32> {
  %y = attn.attention scale(#attn.constant<0.001>) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x32x64xf32>, tensor<1x32x64xf32>, tensor<1x32x64xf32>)
      outs(%o : tensor<1x32x64xf32>) -> tensor<1x32x64xf32>
  return %y : tensor<1x32x64xf32>
}
