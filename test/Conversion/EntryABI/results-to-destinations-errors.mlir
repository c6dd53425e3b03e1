// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-results-to-destinations

// Hosts could not know how much to allocate.
// expected-error@+1 {{the size of a result cannot be computed from the sizes of the arguments alone: argument #0 would have to be read}}
func.func @data_dependent_size(%n: tensor<i64>) -> tensor<?xf32> {
  %0 = tensor.extract %n[] : tensor<i64>
  %1 = arith.index_cast %0 : i64 to index
  %e = tensor.empty(%1) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// expected-error@+1 {{argument of type 'tensor<*xf32>': kernels take ranked tensors and numbers}}
func.func @unranked_argument(%a: tensor<*xf32>) {
  return
}

// -----

// expected-error@+1 {{result of type 'memref<4xf32>': kernels return ranked tensors and numbers}}
func.func @memref_result() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// expected-error@+1 {{a kernel has one block; its control flow is scf}}
func.func @two_blocks(%a: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %a : tensor<4xf32>
}

// -----

// A loop that carries a tensor may change its size: the note says which one.
// expected-error@+1 {{argument #0 would have to be read}}
func.func @growing_loop(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // expected-note@+1 {{the size depends on this loop, which carries a tensor of dynamic size and is not known to keep it; give that tensor static sizes, or unroll the loop}}
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<?x8xf32> {
    %d = tensor.dim %h, %c0 : tensor<?x8xf32>
    %more = arith.addi %d, %c1 : index
    %y = tensor.empty(%more) : tensor<?x8xf32>
    scf.yield %y : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}
