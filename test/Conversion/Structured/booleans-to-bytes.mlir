// RUN: attn-opt %s --attn-booleans-to-bytes | FileCheck %s

// Constants in memory are bytes as well.
// CHECK: memref.global "private" constant @mask : memref<4xi8> = dense<[1, 0, 1, 1]>
memref.global "private" constant @mask : memref<4xi1> = dense<[true, false, true, true]>

// Arguments, views and scratch change their type; any byte but 0 is true.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %[[A:.*]]: memref<?xi8, strided<[1], offset: ?>>, %[[OUT:.*]]: memref<4xi8>
// CHECK: %[[V:.*]] = memref.subview %[[A]]{{.*}} to memref<4xi8,
// CHECK: %[[BYTE:.*]] = memref.load %[[V]]
// CHECK: %[[BIT:.*]] = arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
// CHECK: %[[WIDE:.*]] = arith.extui %[[BIT]] : i1 to i8
// CHECK: memref.store %[[WIDE]], %[[OUT]]
// CHECK-NOT: xi1
func.func @scalars(%a: memref<?xi1, strided<[1], offset: ?>>, %out: memref<4xi1>, %i: index) {
  %v = memref.subview %a[0] [4] [1] : memref<?xi1, strided<[1], offset: ?>> to memref<4xi1, strided<[1], offset: ?>>
  %x = memref.load %v[%i] : memref<4xi1, strided<[1], offset: ?>>
  memref.store %x, %out[%i] : memref<4xi1>
  return
}

// A vector of booleans in memory would be packed bits.
// CHECK-LABEL: func.func @vectors(
// CHECK: %[[BYTES:.*]] = vector.load %{{.*}} : memref<?xi8>, vector<16xi8>
// CHECK: %[[BITS:.*]] = arith.cmpi ne, %[[BYTES]], %{{.*}} : vector<16xi8>
// CHECK: arith.extui %[[BITS]] : vector<16xi1> to vector<16xi8>
// CHECK: vector.store %{{.*}} : memref<?xi8>, vector<16xi8>
func.func @vectors(%a: memref<?xi1>, %i: index) {
  %x = vector.load %a[%i] : memref<?xi1>, vector<16xi1>
  vector.store %x, %a[%i] : memref<?xi1>, vector<16xi1>
  return
}

// Memrefs cross structured control flow and parallel loops.
// CHECK-LABEL: func.func @control_flow(
// CHECK: scf.if %{{.*}} -> (memref<4xi8>)
// CHECK: memref.get_global @mask : memref<4xi8>
// CHECK: scf.forall
// CHECK: memref.load %{{.*}} : memref<4xi8>
func.func @control_flow(%c: i1, %out: memref<4xf32>) {
  %x = arith.constant 1.0 : f32
  %m = scf.if %c -> memref<4xi1> {
    %0 = memref.get_global @mask : memref<4xi1>
    scf.yield %0 : memref<4xi1>
  } else {
    %1 = memref.alloc() : memref<4xi1>
    scf.yield %1 : memref<4xi1>
  }
  scf.forall (%i) in (4) {
    %b = memref.load %m[%i] : memref<4xi1>
    scf.if %b {
      memref.store %x, %out[%i] : memref<4xf32>
    }
  }
  return
}
