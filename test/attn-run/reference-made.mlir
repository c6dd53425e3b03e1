// The reference runs first in --check, so it refuses what a kernel would: sizes
// below 0, more than there is memory for, steps that never end.

// DEFINE: %{run} = %python %S/Inputs/exit_code.py 2 attn-run %s --check --threads=1
// RUN: %{run} --entry=made --shape=0:2x2 --shape=1:5x1 2>&1 | FileCheck %s --check-prefix=MADE
// MADE: the reference cannot run 'made': {{.*}}reference-made.mlir:[[#@LINE+11]]: size 1 of the result must be at least 0 (-1)
func.func @made(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %k = tensor.dim %y, %c0 : tensor<?x?xf32>
  %l = tensor.dim %y, %c1 : tensor<?x?xf32>
  %a = arith.subi %k, %m : index
  %b = arith.subi %l, %n : index
  %r = tensor.splat %z[%a, %b] : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// RUN: %{run} --entry=outer --shape=0:3000000x1 --shape=1:1x3000000 2>&1 | FileCheck %s --check-prefix=OUTER
// OUTER: the reference cannot run 'outer': {{.*}}: the reference needs 72000000000000 bytes of memory for the result; there are {{[0-9]+$}}
func.func @outer(%x: tensor<?x1xf32>, %y: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x1xf32>
  %n = tensor.dim %y, %c1 : tensor<1x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<?x1xf32>, tensor<1x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// RUN: %{run} --entry=reshape --shape=0:6 --shape=1:3x3 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: the reference cannot run 'reshape': {{.*}}: a size of the result is negative
func.func @reshape(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %y, %c0 : tensor<?x?xf32>
  %n = tensor.dim %y, %c1 : tensor<?x?xf32>
  %a = arith.subi %c1, %m : index
  %t = arith.subi %c0, %n : index
  %shape = tensor.from_elements %a, %t : tensor<2xindex>
  %r = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// RUN: %{run} --entry=steps --shape=0:6 --shape=1:0 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: the reference cannot run 'steps': {{.*}}: the step of a loop must be positive
func.func @steps(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.dim %y, %c0 : tensor<?xf32>
  %r = scf.forall (%i) = (0) to (%m) step (%s) shared_outs(%o = %x) -> (tensor<?xf32>) {
    %v = tensor.extract_slice %o[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %w = math.exp %v : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// RUN: %{run} --entry=quotient 2>&1 | FileCheck %s --check-prefix=QUOTIENT
// QUOTIENT: the reference cannot run 'quotient': {{.*}}: undefined integer division
func.func @quotient() -> tensor<2xi32> {
  %a = arith.constant dense<[1, -2147483648]> : tensor<2xi32>
  %b = arith.constant dense<-1> : tensor<2xi32>
  %r = arith.divsi %a, %b : tensor<2xi32>
  return %r : tensor<2xi32>
}
