// Sizes and elements that are not what attn-simplify-sizes looks for: all stay.

// RUN: attn-opt %s --attn-simplify-sizes --mlir-print-local-scope | FileCheck %s --implicit-check-not=cf.assert
// RUN: attn-opt %s --attn-simplify-sizes | attn-opt --attn-simplify-sizes | FileCheck %s --check-prefix=AGAIN
// AGAIN-COUNT-4: tensor.extract

#id = affine_map<(i, j) -> (i, j)>

// Index 0 where the size is 2: no broadcast.
// CHECK-LABEL: @other_size
// CHECK: tensor.extract
func.func @other_size(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %m = tensor.dim %x, %c0 : tensor<?x8xf32>
    %is2 = arith.cmpi eq, %m, %c2 : index
    %k = arith.select %is2, %c0, %i : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    linalg.yield %a : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// The size of another tensor.
// CHECK-LABEL: @other_tensor
// CHECK: tensor.extract
func.func @other_tensor(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %m = tensor.dim %y, %c0 : tensor<?x8xf32>
    %is1 = arith.cmpi eq, %m, %c1 : index
    %k = arith.select %is1, %c0, %i : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    linalg.yield %a : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// A diagonal, and an index of the loop's own less one.
// CHECK-LABEL: @other_indices
// CHECK-COUNT-2: tensor.extract
func.func @other_indices(%x: tensor<?x?xf32>, %n: index) -> tensor<?x8xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %j, %c1 : index
    %a = tensor.extract %x[%i, %i] : tensor<?x?xf32>
    %b = tensor.extract %x[%i, %k] : tensor<?x?xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Rows and keys are no batch of heads: 4 n m and m n 4 are the same number, but
// no groups.
// CHECK-LABEL: @regrouped
// CHECK: tensor.reshape
func.func @regrouped(%x: tensor<4x?x?xf32>, %a: index, %b: index) -> tensor<?x?xf32> {
  %s = tensor.from_elements %a, %b : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<4x?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A comparison that some sizes decide otherwise.
// CHECK-LABEL: @compared
// CHECK: arith.cmpi
func.func @compared(%x: tensor<?x?xf32>) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %d = arith.subi %m, %n : index
  %r = arith.cmpi sge, %d, %c0 : index
  return %r : i1
}
