// The twins of loops-and-calls.mlir.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint=fix | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after

// A block that is known outside is no stream that ends: it goes on where it is
// called, and the caller has the final norm, behind a loop of calls.
func.func @block(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
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
func.func private @head(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %z = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %z : tensor<16x64xf32>
}
func.func @model(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    %y = func.call @block(%h, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
    scf.yield %y : tensor<16x64xf32>
  }
  %z = call @head(%r, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  return %z : tensor<16x64xf32>
}

// The factor of the scores is in the weights that the caller gives.
func.func private @attend(%x: tensor<16x64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %q = attn.linear ins(%x, %wq : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%q, %k, %x : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}
func.func @t5(%x: tensor<16x64xf32>, %seed: i64, %other: i64) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %wq = attn.init normal variance(t5) head_dim(64) seed(%seed : i64) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %wk = attn.init normal variance(t5) head_dim(64) seed(%other : i64) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o = call @attend(%x, %wq, %wk) : (tensor<16x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}

// A function that calls itself, and one that only itself calls.
func.func private @ring(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %y = call @ring(%x, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// Three blocks of Post Norm in a loop.
func.func @post(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
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
  return %r : tensor<16x64xf32>
}

// A loop of an unknown number of iterations: nothing is known of its end.
func.func @unknown_loop(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %n: index) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    %y = func.call @block(%h, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
    scf.yield %y : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// A function that calls itself, and two that call each other: one block each,
// whatever their number.
func.func @calls_itself(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %f = attn.linear ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s = arith.addf %x, %f : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-05) ins(%s : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %r = call @calls_itself(%n, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
func.func @there(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %f = attn.linear ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s = arith.addf %x, %f : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-05) ins(%s : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %r = call @back(%n, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
func.func @back(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %r = call @there(%x, %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// Threads that write to memory end with a block that is empty.
func.func @threads(%m: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    memref.store %zero, %m[%i] : memref<8xf32>
  }
  return
}
