// RUN: attn-opt %s --pass-pipeline='builtin.module(func.func(attn-separate-destinations))' --split-input-file | FileCheck %s

// Two results that begin in one tensor.empty get one each.
// CHECK-LABEL: func.func @one_empty
// CHECK: %[[E0:.*]] = tensor.empty
// CHECK: linalg.exp {{.*}} outs(%[[E0]]
// CHECK: %[[E1:.*]] = tensor.empty
// CHECK: linalg.exp {{.*}} outs(%[[E1]]
func.func @one_empty(%x: tensor<4xf32>, %y: tensor<4xf32>, %o: memref<4xf32>, %p: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %a in restrict writable %o : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %p : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// So do reductions that begin in one linalg.fill.
// CHECK-LABEL: func.func @one_fill
// CHECK: %[[E0:.*]] = tensor.empty
// CHECK: %[[F0:.*]] = linalg.fill {{.*}} outs(%[[E0]]
// CHECK: linalg.reduce {{.*}} outs(%[[F0]]
// CHECK: %[[E1:.*]] = tensor.empty
// CHECK: %[[F1:.*]] = linalg.fill {{.*}} outs(%[[E1]]
// CHECK: linalg.reduce {{.*}} outs(%[[F1]]
func.func @one_fill(%x: tensor<4xf32>, %y: tensor<4xf32>, %o: memref<f32>, %p: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<4xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %b = linalg.reduce { arith.addf } ins(%y : tensor<4xf32>) outs(%f : tensor<f32>) dimensions = [0]
  bufferization.materialize_in_destination %a in restrict writable %o : (tensor<f32>, memref<f32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %p : (tensor<f32>, memref<f32>) -> ()
  return
}

// -----

// Results that go on from one value begin in memory of their own.
// CHECK-LABEL: func.func @one_value
// CHECK-NOT: tensor.empty
// CHECK: %[[A:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK: linalg.exp {{.*}} outs(%[[A]]
func.func @one_value(%x: tensor<4xf32>, %s: tensor<2xf32>, %o: memref<4xf32>, %p: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = tensor.insert_slice %s into %a[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %c = tensor.insert_slice %s into %a[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  bufferization.materialize_in_destination %b in restrict writable %o : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %c in restrict writable %p : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// A value and what goes on from it: only the first may lie in its result.
// CHECK-LABEL: func.func @through_loops
// CHECK: bufferization.alloc_tensor
// CHECK: scf.for
func.func @through_loops(%x: tensor<4xf32>, %s: tensor<2xf32>, %o: memref<4xf32>, %p: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4xf32>
  %a = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %e) -> tensor<4xf32> {
    %u = tensor.insert_slice %s into %t[%i] [2] [1] : tensor<2xf32> into tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  %b = tensor.insert_slice %s into %a[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  bufferization.materialize_in_destination %b in restrict writable %o : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %a in restrict writable %p : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// An argument that takes over a result: what it held before is saved where it is
// due, too. Its own new value stays in place.
// CHECK-LABEL: func.func @old_value
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4xf32>
// CHECK: %[[OLD:.*]] = tensor.extract_slice
// CHECK: %[[NEW:.*]] = tensor.insert_slice
// CHECK: %[[SAVED:.*]] = bufferization.alloc_tensor() copy(%[[OLD]])
// CHECK: materialize_in_destination %[[NEW]] in restrict writable %[[C]]
// CHECK: materialize_in_destination %[[SAVED]]
func.func @old_value(%c: memref<4xf32>, %s: tensor<2xf32>, %p: memref<2xf32>) {
  %t = bufferization.to_tensor %c restrict writable : memref<4xf32> to tensor<4xf32>
  %old = tensor.extract_slice %t[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %new = tensor.insert_slice %s into %t[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  bufferization.materialize_in_destination %new in restrict writable %c : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %old in restrict writable %p : (tensor<2xf32>, memref<2xf32>) -> ()
  return
}

// -----

// The new value of an argument does not begin where the old one still lies.
// CHECK-LABEL: func.func @new_value
// CHECK-NOT: tensor.empty
// CHECK: %[[A:.*]] = bufferization.alloc_tensor
// CHECK: linalg.exp {{.*}} outs(%[[A]]
func.func @new_value(%c: memref<4xf32>) {
  %t = bufferization.to_tensor %c restrict writable : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %new = linalg.exp ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %new in restrict writable %c : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// One result needs nothing.
// CHECK-LABEL: func.func @alone
// CHECK: tensor.empty
// CHECK-NOT: alloc_tensor
// CHECK-NOT: tensor.empty
func.func @alone(%x: tensor<4xf32>, %s: tensor<2xf32>, %o: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = tensor.insert_slice %s into %a[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  bufferization.materialize_in_destination %b in restrict writable %o : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A filled tensor that nobody writes to, and one without any use.
// CHECK-LABEL: @only_read
// CHECK: tensor.empty
// CHECK: linalg.fill
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @only_read(%i: index) -> f32 {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %unused = tensor.empty() : tensor<8xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %x = tensor.extract %ones[%i] : tensor<8xf32>
  return %x : f32
}

// -----

// What is put together of slices begins in its destination.
// CHECK-LABEL: func.func @slices
// CHECK-SAME: %[[O:[a-z0-9]+]]: memref<4xf32>
// CHECK-NOT: tensor.empty
// CHECK: %[[D:.*]] = bufferization.to_tensor %[[O]] restrict writable
// CHECK: tensor.insert_slice %{{.*}} into %[[D]]
func.func @slices(%s: tensor<2xf32>, %t: tensor<2xf32>, %o: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = tensor.insert_slice %s into %e[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %b = tensor.insert_slice %t into %a[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  bufferization.materialize_in_destination %b in restrict writable %o : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
