// RUN: attn-opt %s --attn-lower-tm-tensor --split-input-file | FileCheck %s
// RUN: attn-opt %s --split-input-file | FileCheck %s --check-prefix=SAME

// A loop along the dimension; the other dimensions are structured.
// CHECK-LABEL: @scan
// CHECK: scf.for %[[I:.*]] = %c0 to %[[N:.*]] step %c1 iter_args(%[[TO:.*]] = %{{.*}}, %[[BEFORE:.*]] = %{{.*}}) -> (tensor<3x?xf32>, tensor<3xf32>)
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %c0
// CHECK: tensor.extract_slice %arg0[0, %[[I]]] [3, 1] [1, 1] : tensor<3x?xf32> to tensor<3xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK: arith.addf
// CHECK: arith.select %[[FIRST]]
// CHECK: tensor.insert_slice %{{.*}} into %[[TO]][0, %[[I]]]
// SAME-LABEL: @scan
// SAME: tm_tensor.scan dimension(1) inclusive(true) ins(%arg0 : tensor<3x?xf32>) outs(%arg1, %arg2 : tensor<3x?xf32>, tensor<3xf32>)
func.func @scan(%x: tensor<3x?xf32>, %out: tensor<3x?xf32>, %last: tensor<3xf32>) -> tensor<3x?xf32> {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<3x?xf32>) outs(%out, %last : tensor<3x?xf32>, tensor<3xf32>) {
  ^bb0(%before: f32, %element: f32):
    %sum = arith.addf %before, %element : f32
    tm_tensor.yield %sum : f32
  } -> tensor<3x?xf32>, tensor<3xf32>
  return %r#0 : tensor<3x?xf32>
}

// -----

// Indices are of dimensions 2 and 0; a slice has the last one and the middle one.
// CHECK-LABEL: @scatter
// CHECK: scf.for %[[U:.*]] = %c0 to %{{.*}} step %c1
// CHECK: tensor.extract_slice %arg0[%[[U]], 0, 0] [1, 4, 1] [1, 1, 1] : tensor<?x4x1xf32> to tensor<4x1xf32>
// CHECK: %[[LAST:.*]] = arith.index_cast
// CHECK: %[[FIRST:.*]] = arith.index_cast
// CHECK: tensor.extract_slice %{{.*}}[%[[FIRST]], 0, %[[LAST]]] [1, 4, 1] [1, 1, 1] : tensor<5x4x9xf32> to tensor<4x1xf32>
// CHECK: tensor.insert_slice %{{.*}}[%[[FIRST]], 0, %[[LAST]]] [1, 4, 1]
func.func @scatter(%updates: tensor<?x4x1xf32>, %at: tensor<?x2xi64>, %x: tensor<5x4x9xf32>) -> tensor<5x4x9xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 2, 0>} unique_indices(false) ins(%updates, %at : tensor<?x4x1xf32>, tensor<?x2xi64>) outs(%x : tensor<5x4x9xf32>) {
  ^bb0(%update: f32, %present: f32):
    %sum = arith.addf %present, %update : f32
    tm_tensor.yield %sum : f32
  } -> tensor<5x4x9xf32>
  return %r : tensor<5x4x9xf32>
}

// -----

// Rows of the middle dimension; log2(n) rounds of merges.
// CHECK-LABEL: @sort
// CHECK-COUNT-2: scf.for
// CHECK: math.ctlz
// CHECK: scf.for %[[ROUND:.*]] = %{{.*}} iter_args(%{{.*}}, %{{.*}}) -> (tensor<?xf32>, tensor<?xi64>)
// CHECK: arith.shli %{{.*}}, %[[ROUND]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.cmpf ole
// CHECK-COUNT-2: linalg.copy
func.func @sort(%x: tensor<2x?x3xf32>, %n: tensor<2x?x3xi64>) -> (tensor<2x?x3xf32>, tensor<2x?x3xi64>) {
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %n : tensor<2x?x3xf32>, tensor<2x?x3xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
    %keep = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %keep : i1
  } -> tensor<2x?x3xf32>, tensor<2x?x3xi64>
  return %r#0, %r#1 : tensor<2x?x3xf32>, tensor<2x?x3xi64>
}

// -----

// CHECK-LABEL: @topk
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (f32, i64, tensor<2xf32>, tensor<2xi64>)
// CHECK: arith.cmpf ogt
func.func @topk(%x: tensor<4x9xf32>, %v: tensor<4x2xf32>, %p: tensor<4x2xi64>) -> (tensor<4x2xf32>, tensor<4x2xi64>) {
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<4x9xf32>) outs(%v, %p : tensor<4x2xf32>, tensor<4x2xi64>) {
  ^bb0(%element: f32, %kept: f32):
    %larger = arith.cmpf ogt, %element, %kept : f32
    tm_tensor.yield %larger : i1
  } -> tensor<4x2xf32>, tensor<4x2xi64>
  return %r#0, %r#1 : tensor<4x2xf32>, tensor<4x2xi64>
}
