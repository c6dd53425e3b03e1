// A loop that carries a tensor of dynamic size, each iteration of which keeps the
// size: that of the result is known before the kernel runs.

// RUN: attn-run %s --entry=layer --shape=0:5x8 --check | FileCheck %s
// RUN: attn-run %s --entry=sum --shape=0:5x8 --check | FileCheck %s
// CHECK: out0 against f64 reference: match

func.func @layer(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<?x8xf32> {
    %d = tensor.dim %h, %c0 : tensor<?x8xf32>
    %e = tensor.empty(%d) : tensor<?x8xf32>
    %y = attn.linear ins(%h, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %y : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

func.func @sum(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<?x8xf32> {
    %y = arith.addf %h, %x : tensor<?x8xf32>
    scf.yield %y : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}
