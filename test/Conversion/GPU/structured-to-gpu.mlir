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

// Few enough elements for divisions of 32 bits.
// CHECK-LABEL: @copy
// CHECK: gpu.launch
// CHECK: %[[C32:.*]] = arith.remui %{{.*}}, %c6_i32
// CHECK: %[[COLUMN:.*]] = arith.index_castui %[[C32]]
// CHECK: %[[R32:.*]] = arith.divui %{{.*}}, %c6_i32
// CHECK: %[[ROW:.*]] = arith.index_castui %[[R32]]
// CHECK: memref.load %{{.*}}[%[[ROW]], %[[COLUMN]]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[ROW]], %[[COLUMN]]]
// CHECK-NOT: memref.copy
func.func @copy(%x: memref<4x6xf32>, %y: memref<4x6xf32, strided<[1, 4]>>) {
  memref.copy %x, %y : memref<4x6xf32> to memref<4x6xf32, strided<[1, 4]>>
  return
}

// Nobody knows whether these are few enough.
// CHECK-LABEL: @copy_unknown
// CHECK: gpu.launch
// CHECK: arith.remui %{{.*}}, %{{.*}} : index
// CHECK: arith.divui %{{.*}}, %{{.*}} : index
// CHECK: memref.store
func.func @copy_unknown(%x: memref<?x6xf32>, %y: memref<?x6xf32, strided<[1, ?]>>) {
  memref.copy %x, %y : memref<?x6xf32> to memref<?x6xf32, strided<[1, ?]>>
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

// Where nothing is reduced, threads take neighbours of 16 bytes of tensors that
// the host finds aligned. What all rows share is one number for a thread.
// CHECK-LABEL: @wide
// CHECK: memref.extract_aligned_pointer_as_index %arg0
// CHECK: memref.extract_aligned_pointer_as_index %arg2
// CHECK: scf.if
// CHECK: gpu.launch
// CHECK-COUNT-1: vector.load %arg0{{.*}} {alignment = 16 : i64} : memref<8x64xf16>, vector<8xf16>
// CHECK-COUNT-8: arith.mulf
// CHECK: vector.store %{{.*}}, %arg2{{.*}} {alignment = 16 : i64}
// CHECK: } else {
// CHECK: gpu.launch
// CHECK-NOT: vector
// CHECK: return
func.func @wide(%x: memref<8x64xf16>, %r: memref<8xf16>, %y: memref<8x64xf16>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x, %r : memref<8x64xf16>, memref<8xf16>) outs(%y : memref<8x64xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %0 = arith.mulf %a, %b : f16
    linalg.yield %0 : f16
  }
  return
}

// Where a tensor begins is its memory's address and its offset.
// CHECK-LABEL: @offset
// CHECK: %{{.*}}, %[[OFFSET:[^,:]*]], %{{.*}} = memref.extract_strided_metadata %arg0
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK: %[[BYTES:.*]] = arith.muli %[[OFFSET]], %c2
// CHECK: %[[BITS:.*]] = arith.ori %[[ADDRESS]], %[[BYTES]]
// CHECK: arith.remui %[[BITS]], %c16
// CHECK: gpu.launch
func.func @offset(%x: memref<8x64xf16, strided<[64, 1], offset: ?>>, %y: memref<8x64xf16>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<8x64xf16, strided<[64, 1], offset: ?>>) outs(%y : memref<8x64xf16>) {
  ^bb0(%a: f16, %out: f16):
    %0 = arith.mulf %a, %a : f16
    linalg.yield %0 : f16
  }
  return
}

// 12 elements of 2 bytes are three accesses of 8.
// CHECK-LABEL: @fill
// CHECK: vector.store %{{.*}} {alignment = 8 : i64} : memref<3x12xf16>, vector<4xf16>
func.func @fill(%v: f16, %y: memref<3x12xf16>) {
  linalg.fill ins(%v : f16) outs(%y : memref<3x12xf16>)
  return
}

// Rows that are columns of the result go through shared memory, in squares whose
// rows are 33 elements apart there.
// CHECK-LABEL: @transpose
// CHECK: %c4224_i32 = arith.constant
// CHECK: gpu.launch {{.*}} threads{{.*}}%c256{{.*}} dynamic_shared_memory_size %c4224_i32
// CHECK: gpu.dynamic_shared_memory
// CHECK-COUNT-4: memref.load %arg0
// CHECK: nvvm.barrier
// CHECK-COUNT-4: memref.store %{{.*}}, %arg1
func.func @transpose(%x: memref<64x40xf32>, %y: memref<40x64xf32>) {
  linalg.transpose ins(%x : memref<64x40xf32>) outs(%y : memref<40x64xf32>) permutation = [1, 0]
  return
}
