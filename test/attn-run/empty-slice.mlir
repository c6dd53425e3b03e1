// RUN: attn-run %s --shape=0:4x8 --check | FileCheck %s
// CHECK: match

// A slice of no rows may begin where the tensor ends.
func.func @at_end(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %none = arith.subi %n, %n : index
  %s = tensor.extract_slice %x[%n, 0] [%none, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %y = tensor.concat dim(0) %x, %s : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
