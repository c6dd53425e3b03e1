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

// Another machine's schedule is not this pass's.
// CHECK-LABEL: @cpu
// CHECK: attn.norm
func.func @cpu(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  attn.norm rms axes [1] eps(1.0e-05)
      schedule(#attn.norm_schedule<rows = 8, lanes = 8, unroll = 4, stream = 0, panel = 0, chunk = 0>)
      ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}
