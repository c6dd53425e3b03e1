// RUN: attn-opt %s --attn-lower-rows-to-gpu | FileCheck %s

// A warp a row: the row is read once, and sums meet in shuffles.
// CHECK-LABEL: @warp
// CHECK: gpu.launch blocks(%{{.*}}) in (%{{.*}}) threads(%{{.*}}) in (%{{.*}} = %c128{{.*}}) {
// CHECK: scf.if
// CHECK-COUNT-2: memref.load %arg0
// CHECK-NOT: memref.load %arg0
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.barrier
// CHECK-COUNT-2: memref.store %{{.*}}, %arg1
// CHECK-NOT: memref.store
func.func @warp(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  attn.norm rms axes [1] eps(1.0e-05)
      schedule(#attn.gpu_rows<rowWarps = 1, blockWarps = 4, pieces = 2>)
      ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// Two warps a row: their sums meet in shared memory. A row of unknown length is
// read again, and its weights lie in scratch.
// CHECK-LABEL: @block
// CHECK: %[[KEPT:.*]] = memref.alloc({{.*}}) : memref<3x?xf32>
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size
// CHECK: gpu.dynamic_shared_memory
// CHECK: scf.for
// CHECK: memref.load %arg0
// CHECK: nvvm.barrier
// CHECK: scf.for
// CHECK: memref.load %arg0
// CHECK: memref.store %{{.*}}, %[[KEPT]]
// CHECK: scf.for
// CHECK: memref.load %[[KEPT]]
// CHECK: memref.store %{{.*}}, %arg1
// CHECK: memref.dealloc %[[KEPT]]
func.func @block(%x: memref<3x?xf32>, %y: memref<3x?xf32>) {
  attn.softmax scale(#attn.constant<1.0>) softmax(#attn.softmax)
      schedule(#attn.gpu_rows<rowWarps = 2, blockWarps = 2>)
      ins(%x : memref<3x?xf32>) outs(%y : memref<3x?xf32>)
  return
}

// Pieces of 16 bytes where the host finds all rows aligned, and elements else.
// Each input is read once, and each result written once. The lanes of a warp
// have two rows.
// CHECK-LABEL: @wide
// CHECK: memref.extract_aligned_pointer_as_index %arg0
// CHECK: scf.if
// CHECK: gpu.launch
// CHECK: arith.remui %{{.*}}, %c16
// CHECK-COUNT-1: vector.load %arg0{{.*}} {alignment = 16 : i64} : memref<9x128xf16>, vector<8xf16>
// CHECK-COUNT-1: vector.load %arg1{{.*}} {alignment = 16 : i64} : memref<9x128xf16>, vector<8xf16>
// CHECK-NOT: vector.load
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK: vector.store %{{.*}}, %arg3{{.*}} {alignment = 16 : i64}
// CHECK: vector.store %{{.*}}, %arg2{{.*}} {alignment = 16 : i64}
// CHECK: } else {
// CHECK: gpu.launch
// CHECK-NOT: vector.load
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: vector.store
// CHECK: return
func.func @wide(%x: memref<9x128xf16>, %r: memref<9x128xf16>, %y: memref<9x128xf16>, %s: memref<9x128xf16>) {
  attn.norm rms axes [1] eps(1.0e-05)
      schedule(#attn.gpu_rows<rowWarps = 1, blockWarps = 4, pieces = 8, width = 8>)
      ins(%x : memref<9x128xf16>) residual(%r : memref<9x128xf16>)
      outs(%y : memref<9x128xf16>) sum(%s : memref<9x128xf16>)
  return
}

// Rows side by side: nothing is shuffled, warps meet in shared memory, and lanes
// past the last row touch no memory but come to the barrier.
// CHECK-LABEL: @strided
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult
// CHECK: arith.minui
// CHECK: %[[IN:.*]] = arith.andi %{{.*}}, %[[EXISTS]]
// CHECK: memref.load %arg0
// CHECK-NOT: nvvm.shfl
// CHECK: nvvm.barrier
// CHECK: memref.store %{{.*}}, %arg1
func.func @strided(%x: memref<9x40xf32>, %y: memref<9x40xf32>) {
  attn.norm layer axes [0] eps(1.0e-05)
      schedule(#attn.gpu_rows<rowWarps = 2, blockWarps = 2, pieces = 5, strided = true>)
      ins(%x : memref<9x40xf32>) outs(%y : memref<9x40xf32>)
  return
}

// Four rows at a position: their sines are computed once, for pairs of a lane.
// CHECK-LABEL: @rope
// CHECK: scf.if
// CHECK: gpu.launch
// CHECK-COUNT-8: memref.load %{{.*}} : memref<16xf64>
// CHECK-NOT: memref.load %{{.*}} : memref<16xf64>
// CHECK: } else {
func.func @rope(%x: memref<6x9x32xf16>, %y: memref<6x9x32xf16>) {
  attn.rope pairs(half_split)
      schedule(#attn.gpu_rows<rowWarps = 1, blockWarps = 4, pieces = 8, width = 8>)
      ins(%x : memref<6x9x32xf16>) outs(%y : memref<6x9x32xf16>)
  return
}

// Another machine's schedule is not this pass's.
// CHECK-LABEL: @cpu
// CHECK: attn.norm
func.func @cpu(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  attn.norm rms axes [1] eps(1.0e-05)
      schedule(#attn.norm_schedule<rows = 8, lanes = 8, unroll = 4, stream = 0, panel = 0, chunk = 0>)
      ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}
