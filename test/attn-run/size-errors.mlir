// Where the size of a result depends on what control flow does with tensors, the
// input is at fault, and so is told.

// RUN: %python %S/Inputs/exit_code.py 2 attn-run %s --entry=two_sizes --shape=0:3 --shape=1:7 2>&1 | FileCheck %s
// CHECK: attn-run: error: {{.*}}size-errors.mlir:[[#@LINE+4]]: the size of a result cannot be computed from the sizes of the arguments alone: the tensor of 'scf.if' would have to be computed
// CHECK-NEXT: note: {{.*}}size-errors.mlir:[[#@LINE+10]]: the size depends on the way that this 'scf.if' takes; compute the size apart, in numbers, and cut the tensor to it with tensor.extract_slice
// CHECK-NOT: {{[^[:space:]]}}

func.func @two_sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %few = arith.cmpi ult, %n, %c5 : index
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

// What the note advises: the size is a number, and the tensor is cut to it.
// RUN: attn-run %s --entry=cut --shape=0:3 --shape=1:7 --check | FileCheck %s --check-prefix=CUT
// CUT: out0 against f64 reference: match
func.func @cut(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %few = arith.cmpi ult, %n, %c5 : index
  %r = scf.if %few -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  } else {
    %e = tensor.empty(%m) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  }
  %size = arith.select %few, %n, %m : index
  %s = tensor.extract_slice %r[0] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// A constant that is looked into needs no memory.
// RUN: attn-run %s --entry=table --shape=0:2 --check | FileCheck %s --check-prefix=TABLE
// TABLE: out0 against f64 reference: match
func.func @table(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %sizes = arith.constant dense<[3, 5, 7, 9]> : tensor<4xindex>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.extract %sizes[%n] : tensor<4xindex>
  %e = tensor.empty(%s) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %f : tensor<?xf32>
}
