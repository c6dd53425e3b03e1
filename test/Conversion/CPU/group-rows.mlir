// RUN: attn-opt %s --attn-group-rows --cse --canonicalize --split-input-file | FileCheck %s

// Rows of 4096 elements: 16 of them are a work item, which has the scratch of a
// row once, and copies without a call.
// CHECK-LABEL: @rows
// CHECK: scf.forall (%[[OUTER:.*]], %{{.*}}) in (%{{.*}}, 63)
// CHECK: %[[SCRATCH:.*]] = memref.alloc() : memref<1xf32>
// CHECK: scf.for %[[ROW:.*]] =
// CHECK-NOT: memref.alloc
// CHECK: memref.subview %{{.*}}[%[[OUTER]], %[[ROW]], 0]
// CHECK: linalg.generic {{.*}} outs(%[[SCRATCH]]
// CHECK-NOT: memref.copy
// CHECK: }
// CHECK: memref.dealloc %[[SCRATCH]]
// CHECK-NOT: attn.rows
#id = affine_map<(i) -> (i)>
func.func @rows(%x: memref<?x1000x4096xf32>, %n: index) {
  scf.forall (%i, %j) in (%n, 1000) {
    %scratch = memref.alloc() : memref<1xf32>
    %row = memref.subview %x[%i, %j, 0] [1, 1, 4096] [1, 1, 1] : memref<?x1000x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %first = memref.subview %row[0] [1] [1] : memref<4096xf32, strided<[1], offset: ?>> to memref<1xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%row : memref<4096xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32):
      %b = math.exp %a : f32
      linalg.yield %b : f32
    }
    memref.copy %first, %scratch : memref<1xf32, strided<[1], offset: ?>> to memref<1xf32>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%scratch : memref<1xf32>) {
    ^bb0(%a: f32):
      %b = math.exp %a : f32
      linalg.yield %b : f32
    }
    memref.copy %scratch, %first : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
    memref.dealloc %scratch : memref<1xf32>
  } {attn.rows}
  return
}

// -----

// Scratch whose size changes from row to row is each row's own, and so are
// loops that nobody has marked.
// CHECK-LABEL: @left_alone
// CHECK-COUNT-2: scf.forall (%{{.*}}) in (%{{.*}}) {
// CHECK-NOT: scf.for %
func.func @left_alone(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (%n) {
    %scratch = memref.alloc(%i) : memref<?xf32>
    %a = memref.load %scratch[%c0] : memref<?xf32>
    memref.store %a, %x[%i] : memref<?xf32>
    memref.dealloc %scratch : memref<?xf32>
  } {attn.rows}
  scf.forall (%i) in (%n) {
    %a = memref.load %x[%i] : memref<?xf32>
    memref.store %a, %x[%i] : memref<?xf32>
  }
  return
}
