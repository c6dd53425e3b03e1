// RUN: attn-opt %s --attn-structured-to-gpu --verify-diagnostics | FileCheck %s

// A thread for each sum, which stays in a register.
// CHECK-LABEL: @sums
// CHECK: %[[DIM:.*]] = memref.dim
// CHECK: gpu.launch blocks(%[[B:.*]], %{{.*}}, %{{.*}}) in {{.*}} threads(%[[T:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c32
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %c32
// CHECK: %[[I:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[I]], %c8
// CHECK: scf.if %[[IN]]
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} to %[[DIM]] {{.*}} iter_args
// CHECK: memref.load %{{.*}}[%[[I]], %[[K]]]
// CHECK: memref.store %[[SUM]], %{{.*}}[%[[I]]]
func.func @sums(%x: memref<8x?xf32, strided<[?, 1], offset: ?>>, %y: memref<8xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : memref<8x?xf32, strided<[?, 1], offset: ?>>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Where a check fails, its thread skips the rest and says so; the host returns.
// CHECK-LABEL: @gather
// CHECK: %[[NOTE:.*]] = memref.alloc() : memref<i32>
// CHECK: gpu.launch
// CHECK: memref.store %c0_i32, %[[NOTE]]
// CHECK: gpu.launch
// CHECK: %[[I:.*]] = memref.load %arg1
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[I]], %c10
// CHECK-NEXT: scf.if %[[OK]] {
// CHECK-NEXT: memref.load %arg0
// CHECK-NEXT: memref.store
// CHECK-NEXT: } else {
// CHECK: memref.atomic_rmw maxu %c1_i32{{.*}}, %[[NOTE]]
// CHECK: %[[READ:.*]] = memref.load %[[NOTE]]
// CHECK: memref.dealloc %[[NOTE]]
// CHECK: %[[HOLDS:.*]] = arith.cmpi ne, %[[READ]], %c1_i32
// CHECK: cf.assert %[[HOLDS]], "an index is past the table" {attn.noted}
func.func @gather(%table: memref<10xf32>, %at: memref<4xindex>, %y: memref<4xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%at : memref<4xindex>) outs(%y : memref<4xf32>) {
  ^bb0(%i: index, %out: f32):
    %c10 = arith.constant 10 : index
    %ok = arith.cmpi ult, %i, %c10 : index
    cf.assert %ok, "an index is past the table"
    %0 = memref.load %table[%i] : memref<10xf32>
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @copy
// CHECK: gpu.launch
// CHECK: %[[COLUMN:.*]] = arith.remui %{{.*}}, %c6
// CHECK: %[[ROW:.*]] = arith.divui %{{.*}}, %c6
// CHECK: memref.load %{{.*}}[%[[ROW]], %[[COLUMN]]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[ROW]], %[[COLUMN]]]
// CHECK-NOT: memref.copy
func.func @copy(%x: memref<4x6xf32>, %y: memref<4x6xf32, strided<[1, 4]>>) {
  memref.copy %x, %y : memref<4x6xf32> to memref<4x6xf32, strided<[1, 4]>>
  return
}

// Loops around stores: iterations side by side where the loop says that they
// may, else one thread.
// CHECK-LABEL: @loops
// CHECK-SAME: (%[[N:[a-z0-9]*]]: index
// CHECK: %[[COUNT:.*]] = arith.maxsi %[[N]]
// CHECK: arith.ceildivui %[[COUNT]], %c256
// CHECK: gpu.launch
// CHECK: memref.store
// CHECK: gpu.launch
// CHECK: scf.for %{{.*}} to %[[N]]
// CHECK: memref.store
// CHECK: gpu.launch
// CHECK: memref.store
func.func @loops(%n: index, %x: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) in (%n) {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  // expected-remark @below {{[attn-r304] this runs on one thread of the GPU}}
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  memref.store %v, %x[%c0] : memref<?xf32>
  return
}

// A dimension that a result does not have twice over has no threads: they would
// race. The result stays in memory.
// CHECK-LABEL: @diagonals
// CHECK: gpu.launch
// CHECK: %[[I:.*]] = arith.addi
// CHECK: scf.if
// CHECK: scf.for %[[J:.*]] =
// CHECK: memref.load
// CHECK: memref.store
func.func @diagonals(%x: memref<4x5xf32>, %y: memref<8xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<4x5xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}

// Threads are of dimensions that every result has: others would share a sum.
// CHECK-LABEL: @two_results
// CHECK: gpu.launch {{.*}} threads{{.*}} = %c32
// CHECK: scf.if
// CHECK: scf.for %[[J:.*]] =
// CHECK: memref.store
// CHECK: memref.store
func.func @two_results(%x: memref<4x40xf32>, %y: memref<4x40xf32>, %sums: memref<4xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : memref<4x40xf32>) outs(%y, %sums : memref<4x40xf32>, memref<4xf32>) {
  ^bb0(%a: f32, %out: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %a, %0 : f32, f32
  }
  return
}
