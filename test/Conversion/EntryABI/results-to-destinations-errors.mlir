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

// -----

// A loop may change the size also of a tensor that is no argument.
// expected-error@+1 {{the size of a result cannot be computed from the sizes of the arguments alone: the tensor of 'scf.for' would have to be computed}}
func.func @growing_fill(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%n) : tensor<?x8xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  // expected-note@+1 {{the size depends on this loop, which carries a tensor of dynamic size}}
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %fill) -> tensor<?x8xf32> {
    %d = tensor.dim %h, %c0 : tensor<?x8xf32>
    %more = arith.addi %d, %c1 : index
    %e = tensor.empty(%more) : tensor<?x8xf32>
    %y = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %y : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// -----

// The branches make tensors of different sizes.
// expected-error@+1 {{the tensor of 'scf.if' would have to be computed}}
func.func @two_sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %few = arith.cmpi ult, %n, %c5 : index
  // expected-note@+1 {{the size depends on the way that this 'scf.if' takes; compute the size apart, in numbers, and cut the tensor to it with tensor.extract_slice}}
  %r = scf.if %few -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  } else {
    %e = tensor.empty(%m) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// The size is looked up in a tensor that is computed.
// expected-error@+1 {{the tensor of 'tensor.from_elements' would have to be computed}}
func.func @computed_table(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  // expected-note@+1 {{the size depends on this tensor; compute the size in numbers of type index, or look it up in a constant}}
  %t = tensor.from_elements %n, %m : tensor<2xindex>
  %k = arith.remui %n, %c2 : index
  %s = tensor.extract %t[%k] : tensor<2xindex>
  %e = tensor.empty(%s) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// The verifier lets the size of a dimension pass that does not exist.
// expected-error@+1 {{argument #0 has no dimension 1000000000000}}
func.func @no_dimension(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  %far = arith.constant 1000000000000 : index
  %q = tensor.dim %x, %far : tensor<?x8xf32>
  %e = tensor.empty(%q) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Such dimensions may be below 0.
// expected-error@+1 {{argument #0 has no dimension -1}}
func.func @negative_dimension(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  %before = arith.constant -1 : index
  %q = tensor.dim %x, %before : tensor<?x8xf32>
  %e = tensor.empty(%q) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// It is not looked for in what a loop carries.
// expected-error@+1 {{argument #0 would have to be read}}
func.func @no_carried_dimension(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %far = arith.constant 1000000000000 : index
  // expected-note@+1 {{the size depends on this loop}}
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<?x8xf32> {
    %d = tensor.dim %h, %c0 : tensor<?x8xf32>
    %e = tensor.empty(%d) : tensor<?x8xf32>
    scf.yield %e : tensor<?x8xf32>
  }
  %q = tensor.dim %r, %far : tensor<?x8xf32>
  %e = tensor.empty(%q) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// expected-error@+1 {{a kernel ends with func.return}}
func.func @endless(%x: tensor<4xf32>) -> tensor<4xf32> {
  llvm.unreachable
}
