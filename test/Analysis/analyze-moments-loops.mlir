// RUN: attn-opt %s -o /dev/null --attn-analyze-moments="text=%t.txt" 2>/dev/null
// RUN: FileCheck %s < %t.txt

// Each iteration is a block of one stream, and each slice of the weights is a
// weight of its own. The x_0 of three blocks of Post Norm has a share of 1/8.
// CHECK-LABEL: Moments of @post
// CHECK: %arg1 weight 0 0.01562
// CHECK: residual block policy x^2 branch^2 result^2 share of x_0 share of branch
// CHECK-NEXT: 0.0 post 1 1 1 0.5 0.5
// CHECK-NEXT: 0.1 post 1 1 1 0.25 0.5
// CHECK-NEXT: 0.2 post 1 1 1 0.125 0.5
// CHECK-NOT: not followed
// CHECK: assumed: weights of different iterations of a loop are independent
func.func @post(%x: tensor<8x64xf32>, %w: tensor<3x64x64xf32>) -> tensor<8x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<8x64xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<8x64xf32> {
    %wi = tensor.extract_slice %w[%i, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<3x64x64xf32> to tensor<64x64xf32>
    %y = attn.residual post(%h : tensor<8x64xf32>) norm {
    ^bb0(%s: tensor<8x64xf32>):
      %n = attn.norm layer axes [1] eps(1.0e-06) ins(%s : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
      attn.yield %n : tensor<8x64xf32>
    } branch {
    ^bb0(%k: tensor<8x64xf32>):
      %f = attn.linear ins(%k, %wi : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
      attn.yield %f : tensor<8x64xf32>
    }
    scf.yield %y : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// A stream goes on behind a loop, through a norm and a cast, and into the next
// loop; what begins from x again is another one, and so is what a branch has
// inside.
// CHECK-LABEL: Moments of @onwards
// CHECK: residual block policy
// CHECK-NEXT: 0.0 pre 1 1 2
// CHECK-NEXT: 0.1 pre 2 1 3
// CHECK-NEXT: 0.2 pre 1 1 2
// CHECK-NEXT: 1.0 pre 1 1 2
// CHECK-NEXT: 2.0 inv_sqrt2
// CHECK-NOT: {{^ +[0-9]+\.[0-9]+ }}
// CHECK: assumed
func.func @onwards(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<8x64xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %x) -> tensor<8x64xf32> {
    %y = func.call @block(%h, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    scf.yield %y : tensor<8x64xf32>
  }
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%r : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %a = func.call @block(%n, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %b = attn.residual inv_sqrt2(%x : tensor<8x64xf32>) branch {
  ^bb0(%k: tensor<8x64xf32>):
    %f = func.call @block(%k, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    attn.yield %f : tensor<8x64xf32>
  }
  %ca = tensor.cast %a : tensor<8x64xf32> to tensor<?x64xf32>
  %cb = tensor.cast %b : tensor<8x64xf32> to tensor<?x64xf32>
  return %ca, %cb : tensor<?x64xf32>, tensor<?x64xf32>
}
func.func private @block(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %y = attn.residual pre(%x : tensor<8x64xf32>) norm {
  ^bb0(%s: tensor<8x64xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-06) ins(%s : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %n : tensor<8x64xf32>
  } branch {
  ^bb0(%k: tensor<8x64xf32>):
    %f = attn.linear ins(%k, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    attn.yield %f : tensor<8x64xf32>
  }
  return %y : tensor<8x64xf32>
}

// Of a loop with an unknown number of iterations: what is the same in each is
// known behind it, what grows is named with its growth, and the numbers of the
// body and the blocks of the stream are those of the first iteration.
// CHECK-LABEL: Moments of @unknown
// CHECK: attn.residual 0 2 2
// CHECK: scf.for 0 1 1
// CHECK-NOT: arith.addf
// CHECK: residual block policy
// CHECK-NEXT: 0.0 pre 1 1 2
// CHECK-NEXT: not followed: %{{.*}}#0 = scf.for at {{.*}}: a loop of an unknown number of iterations, which has not settled after 32: the second moment changes by 1 in each
// CHECK-NOT: not followed
func.func @unknown(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>, %count: index) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x64xf32>
  %r:2 = scf.for %i = %c0 to %count step %c1 iter_args(%g = %x, %h = %x) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
    %y = func.call @block(%g, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %z = attn.linear ins(%h, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    scf.yield %y, %z : tensor<8x64xf32>, tensor<8x64xf32>
  }
  %s = arith.addf %r#0, %r#1 : tensor<8x64xf32>
  return %s, %r#1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// x <- x / 2 + z has a fixed point, E x^2 = 4/3, also after 10^6 iterations; x
// <- 1.1 x has none.
// CHECK-LABEL: Moments of @long
// CHECK: scf.for 0 1.333 1.333
// CHECK: not followed: %{{.*}}#1 = scf.for at {{.*}}: a loop of 1000000 iterations, which has not settled after 512: the second moment changes by the factor 1.21 in each
func.func @long(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>, %y: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 1000000 : index
  %half = arith.constant dense<0.5> : tensor<8x64xf32>
  %more = arith.constant dense<1.1> : tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %r:2 = scf.for %i = %c0 to %many step %c1 iter_args(%g = %x, %h = %x) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
    %s = arith.mulf %g, %half : tensor<8x64xf32>
    %t = attn.linear ins(%s, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    %u = arith.addf %t, %y : tensor<8x64xf32>
    %v = arith.mulf %h, %more : tensor<8x64xf32>
    scf.yield %u, %v : tensor<8x64xf32>, tensor<8x64xf32>
  }
  return %r#0, %r#1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// 100 iterations of 100 each are 10000 in all, more than are followed: the
// inner loop is given up, in time.
// CHECK-LABEL: Moments of @nested
// CHECK: not followed: {{.*}} = scf.for at {{.*}}: a loop of 100 iterations, which has not settled after
// CHECK-LABEL: Moments of @indexed
func.func @nested(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %more = arith.constant dense<1.001> : tensor<8x64xf32>
  %r = scf.for %i = %c0 to %c100 step %c1 iter_args(%g = %x) -> tensor<8x64xf32> {
    %q = scf.for %j = %c0 to %c100 step %c1 iter_args(%h = %g) -> tensor<8x64xf32> {
      %v = arith.mulf %h, %more : tensor<8x64xf32>
      scf.yield %v : tensor<8x64xf32>
    }
    scf.yield %q : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// The elements and slices of a constant are those of the iteration: alpha is
// 0.5 and 1, then 1 and 2.
// CHECK: 0.0 rezero 1 0.25 1.25
// CHECK-NEXT: 0.1 rezero 1.25 1.25 2.5
// CHECK-NEXT: 0.2 rezero 2.5 2.5 5
// CHECK-NEXT: 0.3 rezero 5 20 25
func.func @indexed(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %alphas = arith.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %betas = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %x) -> tensor<8x64xf32> {
    %number = tensor.extract %alphas[%i] : tensor<2xf32>
    %alpha = tensor.from_elements %number : tensor<f32>
    %y = attn.residual rezero(%h : tensor<8x64xf32>) alpha(%alpha : tensor<f32>) branch {
    ^bb0(%k: tensor<8x64xf32>):
      %f = attn.linear ins(%k, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
      attn.yield %f : tensor<8x64xf32>
    }
    %beta = tensor.extract_slice %betas[%i] [1] [1] : tensor<2xf32> to tensor<f32>
    %z = attn.residual rezero(%y : tensor<8x64xf32>) alpha(%beta : tensor<f32>) branch {
    ^bb0(%k: tensor<8x64xf32>):
      %f = attn.linear ins(%k, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
      attn.yield %f : tensor<8x64xf32>
    }
    scf.yield %z : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// A factor that all blocks have in common is one number: alpha of mean 0 and
// variance 0.01 over 20 blocks. The time this takes does not grow with the
// number of blocks to the power of 20.
// CHECK-LABEL: Moments of @common
// CHECK: scf.for {{-?[0-9.e-]+}} 1.2{{[0-9]+}} 1.2
// CHECK: assumed: values of more than four random numbers are one number for what follows
func.func @common(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>, %alpha: tensor<f32> {attn.moments = array<f64: 0.0, 0.01>}) -> tensor<8x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %e = tensor.empty() : tensor<8x64xf32>
  %r = scf.for %i = %c0 to %c20 step %c1 iter_args(%h = %x) -> tensor<8x64xf32> {
    %y = attn.residual rezero(%h : tensor<8x64xf32>) alpha(%alpha : tensor<f32>) branch {
    ^bb0(%k: tensor<8x64xf32>):
      %f = attn.linear ins(%k, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
      attn.yield %f : tensor<8x64xf32>
    }
    scf.yield %y : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// What settles after a while is what it is in the end, and the report says so:
// the first of the unknown number of norms makes 1 of 4. A weight may be
// carried.
// CHECK-LABEL: Moments of @settles
// CHECK: %arg1 weight 0 0.01562
// CHECK: scf.for 0 1 1
// CHECK: residual block policy
// CHECK-NEXT: 0.0 post 4 4 1 0.5 0.5
// CHECK-NEXT: 0.1 post 1 1 1 0.25 0.5
// CHECK-NOT: 0.2
// CHECK-NOT: not followed
// CHECK: assumed: loops of an unknown number of iterations have settled
func.func @settles(%x: tensor<8x64xf32> {attn.moments = array<f64: 0.0, 4.0>}, %w: tensor<64x64xf32>, %count: index) -> tensor<8x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x64xf32>
  %r:2 = scf.for %i = %c0 to %count step %c1 iter_args(%h = %x, %v = %w) -> (tensor<8x64xf32>, tensor<64x64xf32>) {
    %y = attn.residual post(%h : tensor<8x64xf32>) norm {
    ^bb0(%s: tensor<8x64xf32>):
      %n = attn.norm layer axes [1] eps(0.0) ins(%s : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
      attn.yield %n : tensor<8x64xf32>
    } branch {
    ^bb0(%k: tensor<8x64xf32>):
      %f = attn.linear ins(%k, %v : tensor<8x64xf32>, tensor<64x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
      attn.yield %f : tensor<8x64xf32>
    }
    scf.yield %y, %v : tensor<8x64xf32>, tensor<64x64xf32>
  }
  return %r#0 : tensor<8x64xf32>
}

// A loop that ends before it begins leaves everything as it is.
// CHECK-LABEL: Moments of @never
// CHECK: scf.for 0 1 1
// CHECK-NOT: arith.addf
// CHECK-NOT: not followed
func.func @never(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c9 to %c3 step %c2 iter_args(%h = %x) -> tensor<8x64xf32> {
    %s = arith.addf %h, %h : tensor<8x64xf32>
    scf.yield %s : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// Growth in a loop is the body's.
// CHECK-LABEL: Moments of @grows
// CHECK: warning: attn.linear at {{.*}}: second moment 4.295e+09 is above 1e+04
func.func @grows(%x: tensor<8x16xf32>, %w: tensor<16x16xf32> {attn.moments = array<f64: 0.0, 1.0>}) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8x16xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%h = %x) -> tensor<8x16xf32> {
    %a = attn.linear ins(%h, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    scf.yield %a : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}
