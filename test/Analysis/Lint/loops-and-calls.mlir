// A stream runs through loops and functions; its end is where it leaves them. A
// fault in a function that is called from several places has one mend, and one
// that is right in some of them has none.

// RUN: attn-opt %s --attn-lint -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-lint=fix -o %t.mlir 2>/dev/null
// RUN: FileCheck %s < %t.mlir
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT --implicit-check-not=attn-w
// LEFT: [attn-w101]
// LEFT: not mended by
// LEFT: [attn-w102]
// LEFT: not mended by

// Nine Pre Norm blocks: one norm, behind the loop.
// CHECK-LABEL: @pre_loop
// CHECK: %[[LOOP:.*]] = scf.for
// CHECK-COUNT-1: attn.norm layer
// CHECK: scf.yield
// CHECK: %[[LAST:.*]] = attn.norm layer axes [1] eps(1.000000e-06) ins(%[[LOOP]] :
// CHECK-NEXT: return %[[LAST]]
func.func @pre_loop(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    // expected-warning@below {{[attn-w102] attn.residual: the stream of 9 Pre Norm blocks ends without a norm; its predicted second moment is 10, that of its input 1}}
    // expected-note@below {{mend it by attn.norm layer behind the loop}}
    %y = attn.residual pre(%h : tensor<16x64xf32>) norm {
    ^bb0(%k: tensor<16x64xf32>):
      %n = attn.norm layer axes [1] eps(1.0e-06) ins(%k : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      attn.yield %n : tensor<16x64xf32>
    } branch {
    ^bb0(%k: tensor<16x64xf32>):
      %q = attn.linear ins(%k, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      attn.yield %q : tensor<16x64xf32>
    }
    scf.yield %y : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// As many iterations of a loop as the one around it counts, which one that never
// runs comes before: six blocks, each with a slice of the weights.
// CHECK-LABEL: @nested_loops
// CHECK: scf.for
// CHECK: %[[LOOP:.*]] = scf.for
// CHECK: scf.for
// CHECK: scf.yield
// CHECK: scf.yield
// CHECK: %[[LAST:.*]] = attn.norm layer axes [1] eps(1.000000e-06) ins(%[[LOOP]] :
// CHECK-NEXT: return %[[LAST]]
func.func @nested_loops(%x: tensor<16x64xf32>, %w: tensor<3x64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %z = scf.for %i = %c0 to %c0 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    %y = arith.addf %h, %h : tensor<16x64xf32>
    scf.yield %y : tensor<16x64xf32>
  }
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %z) -> tensor<16x64xf32> {
    %count = arith.addi %i, %c1 : index
    %s = scf.for %j = %c0 to %count step %c1 iter_args(%g = %h) -> tensor<16x64xf32> {
      %v = tensor.extract_slice %w[%j, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<3x64x64xf32> to tensor<64x64xf32>
      %n = attn.norm layer axes [1] eps(1.0e-06) ins(%g : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      %q = attn.linear ins(%n, %v : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      // expected-warning@below {{[attn-w102] arith.addf: the stream of 6 Pre Norm blocks ends without a norm; its predicted second moment is 7, that of its input 1}}
      // expected-note@below {{mend it by attn.norm layer behind the loop}}
      %y = arith.addf %g, %q : tensor<16x64xf32>
      scf.yield %y : tensor<16x64xf32>
    }
    scf.yield %s : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// The first blocks with Post Norm, six of them, and a layer that reads the loop.
// CHECK-LABEL: @post_loop
// CHECK: %[[LOOP:.*]] = scf.for
// CHECK: attn.residual pre
// CHECK: scf.yield
// CHECK: %[[LAST:.*]] = attn.norm rms axes [1] eps(1.000000e-06) ins(%[[LOOP]] :
// CHECK: attn.linear ins(%[[LAST]],
func.func @post_loop(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    // expected-warning@below {{[attn-w104] attn.residual: after 6 Post Norm blocks the input of the stream weighs 0.125}}
    // expected-note@below {{mend it by pre for post in its blocks, and attn.norm rms behind the last}}
    %y = attn.residual post(%h : tensor<16x64xf32>) norm {
    ^bb0(%k: tensor<16x64xf32>):
      %n = attn.norm rms axes [1] eps(1.0e-06) ins(%k : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      attn.yield %n : tensor<16x64xf32>
    } branch {
    ^bb0(%k: tensor<16x64xf32>):
      %q = attn.linear ins(%k, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      attn.yield %q : tensor<16x64xf32>
    }
    scf.yield %y : tensor<16x64xf32>
  }
  %z = attn.linear ins(%r, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %z : tensor<16x64xf32>
}

// One block, called three times: the norm goes behind the last call, whether the
// function is known outside the module or not.
// CHECK-LABEL: @block
// CHECK: %[[SUM:.*]] = attn.residual pre
// CHECK: return %[[SUM]]
func.func @block(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  // expected-warning@below {{[attn-w102] attn.residual: the stream of 3 Pre Norm blocks ends without a norm; its predicted second moment is 4, that of its input 1}}
  // expected-note@below {{mend it by attn.norm rms behind the call of @block}}
  %y = attn.residual pre(%x : tensor<16x64xf32>) norm {
  ^bb0(%k: tensor<16x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%k : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%k: tensor<16x64xf32>):
    %q = attn.linear ins(%k, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %q : tensor<16x64xf32>
  }
  return %y : tensor<16x64xf32>
}
// CHECK-LABEL: @calls
// CHECK-COUNT-2: call @block
// CHECK: %[[LAST:.*]] = call @block
// CHECK: %[[NORM:.*]] = attn.norm rms axes [1] eps(1.000000e-06) ins(%[[LAST]] :
// CHECK-NEXT: return %[[NORM]]
func.func @calls(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %a = call @block(%x, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  %b = call @block(%a, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  %c = call @block(%b, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  return %c : tensor<16x64xf32>
}

// A whole stack in a function that two others call; its own head reads the
// stream. One warning, one norm in it.
// CHECK-LABEL: @stack
// CHECK: %[[LOOP:.*]] = scf.for
// CHECK: %[[NORM:.*]] = attn.norm rms axes [1] eps(1.000000e-06) ins(%[[LOOP]] :
// CHECK-NEXT: attn.linear ins(%[[NORM]],
func.func private @stack(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    // expected-warning@below {{[attn-w102] attn.residual: the stream of 4 Pre Norm blocks ends without a norm}}
    // expected-note@below {{mend it by attn.norm rms behind the loop}}
    %y = attn.residual pre(%h : tensor<16x64xf32>) norm {
    ^bb0(%k: tensor<16x64xf32>):
      %n = attn.norm rms axes [1] eps(1.0e-06) ins(%k : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      attn.yield %n : tensor<16x64xf32>
    } branch {
    ^bb0(%k: tensor<16x64xf32>):
      %q = attn.linear ins(%k, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
      attn.yield %q : tensor<16x64xf32>
    }
    scf.yield %y : tensor<16x64xf32>
  }
  %z = attn.linear ins(%r, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %z : tensor<16x64xf32>
}
// CHECK-LABEL: @first
// CHECK-NOT: attn.norm
func.func @first(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %a = call @stack(%x, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  return %a : tensor<16x64xf32>
}
func.func @second(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %a = call @stack(%x, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  return %a : tensor<16x64xf32>
}

// A missing scale, a lost second moment and weights that do not fit, in a
// function that is called twice, and in a loop.
// CHECK-LABEL: @attend
// CHECK: attn.attention scale(#attn.inv_sqrt_dim)
func.func private @attend(%q: tensor<16x64xf32>, %k: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  // expected-warning@below {{[attn-w101] attn.attention: the predicted variance of the scores is 64}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%q, %k, %k : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}
// CHECK-LABEL: @layer
// CHECK: attn.activation sigmoid unit_moment
// CHECK: attn.linear ins(
func.func private @layer(%x: tensor<16x64xf32>, %w: tensor<64x64xf32> {attn.moments = array<f64: 0.0, 1.0>}) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  // expected-warning@below {{[attn-w103] attn.activation: sigmoid turns a second moment of 1 into 0.2934}}
  // expected-note@below {{mend it by unit_moment}}
  %f = attn.activation sigmoid %x : tensor<16x64xf32>
  // expected-warning@below {{[attn-w105] attn.linear: ntk divides by sqrt(64), and so do the weights}}
  // expected-note@below {{mend it by parameterisation(standard)}}
  %y = attn.linear parameterisation(ntk) ins(%f, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}
func.func @called_twice(%x: tensor<16x64xf32>, %y: tensor<16x64xf32>, %w: tensor<64x64xf32> {attn.moments = array<f64: 0.0, 0.015625>}) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %a = call @attend(%x, %y) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %b = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %a) -> tensor<16x64xf32> {
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%h : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %c = func.call @attend(%n, %y) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    scf.yield %c : tensor<16x64xf32>
  }
  %d = call @layer(%x, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  %f = call @layer(%y, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  %s = arith.addf %d, %f : tensor<16x64xf32>
  return %b, %s : tensor<16x64xf32>, tensor<16x64xf32>
}

// One caller has the factor in its queries, the other has not: no scale in the
// function is right for both.
// CHECK-LABEL: @attend_either
// CHECK: attn.attention scale(#attn.none)
func.func private @attend_either(%q: tensor<16x64xf32>, %k: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  // expected-warning@below {{[attn-w101] attn.attention: the predicted variance of the scores is 64}}
  // expected-note@below {{not mended by scale(#attn.inv_sqrt_dim): other places where it runs, or other parts of it, are right as they are}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%q, %k, %k : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}
func.func @with_factor(%q: tensor<16x64xf32>, %k: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %factors = arith.constant dense<0.125> : tensor<16x64xf32>
  %s = arith.mulf %q, %factors : tensor<16x64xf32>
  %a = call @attend_either(%s, %k) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return %a : tensor<16x64xf32>
}
func.func @without_factor(%q: tensor<16x64xf32>, %k: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %a = call @attend_either(%q, %k) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return %a : tensor<16x64xf32>
}

// The head inside of the function reads the stream bare in every call, but the
// stream goes on behind the first of them: a norm there would change it.
// CHECK-LABEL: @block_with_head
// CHECK: %[[SUM:.*]] = attn.residual pre
// CHECK: attn.linear ins(%[[SUM]],
func.func private @block_with_head(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<16x64xf32>
  // expected-warning@below {{[attn-w102] attn.residual: the stream of 2 Pre Norm blocks ends without a norm}}
  // expected-note@below {{not mended by attn.norm rms behind it: in other places where it runs the stream goes on}}
  %y = attn.residual pre(%x : tensor<16x64xf32>) norm {
  ^bb0(%k: tensor<16x64xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%k : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %n : tensor<16x64xf32>
  } branch {
  ^bb0(%k: tensor<16x64xf32>):
    %q = attn.linear ins(%k, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    attn.yield %q : tensor<16x64xf32>
  }
  %z = attn.linear ins(%y, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y, %z : tensor<16x64xf32>, tensor<16x64xf32>
}
func.func @heads(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %a, %z = call @block_with_head(%x, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>)
  %b, %u = call @block_with_head(%a, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>)
  return %z, %u : tensor<16x64xf32>, tensor<16x64xf32>
}
