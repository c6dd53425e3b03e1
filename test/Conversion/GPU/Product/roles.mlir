// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=nvptx:sm_90a},func.func(attn-lower-products-to-gpu))' --split-input-file --verify-diagnostics | FileCheck %s
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=nvptx:sm_90},func.func(attn-lower-products-to-gpu))' --split-input-file | FileCheck %s --check-prefix=WARPS

// The host makes a map of each operand, where there is one, and takes the other
// schedule where there is none. One warp of the last warpgroup loads, the others
// multiply.
// CHECK-LABEL: func.func @roles
// CHECK: scf.if
// CHECK: %[[A:.*]] = nvgpu.tma.create.descriptor %{{.*}} box[%c128{{.*}}, %c64{{.*}}] : memref<*xbf16> -> <tensor = memref<128x64xbf16, 3>, swizzle = swizzle_128b
// CHECK: %[[B:.*]] = nvgpu.tma.create.descriptor %{{.*}} box[%c64{{.*}}, %c64{{.*}}] : memref<*xbf16> -> <tensor = memref<64x64xbf16, 3>, swizzle = swizzle_128b
// CHECK: gpu.launch {{.*}} in (%{{.*}} = %c384{{.*}} dynamic_shared_memory_size
// CHECK: nvvm.mbarrier.init {{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init {{.*}}, %c8_i32
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier
// CHECK: scf.if
// CHECK-NEXT: nvvm.setmaxregister increase 240
// A step is under way while the next one is waited for; then its stage is free.
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-4: attn_nv.wgmma bf16
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: attn_nv.wgmma_fence
// CHECK-COUNT-4: attn_nv.wgmma bf16
// CHECK: attn_nv.wgmma_wait 1
// CHECK: nvvm.mbarrier.arrive
// CHECK: attn_nv.wgmma_wait 0
// CHECK: nvvm.barrier id
// CHECK: nvvm.setmaxregister decrease 24
// All bytes of a step count at one barrier.
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.arrive.expect_tx {{.*}}, %c49152_i32
// CHECK-COUNT-5: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: minctasm = 1 : i32
// CHECK: } else {
// CHECK: gpu.launch
// CHECK: nvvm.mma.sync
// CHECK: return
func.func @roles(%x: memref<256x512xbf16>, %w: memref<512x512xbf16>, %y: memref<256x512xbf16>) {
  // expected-remark @+1 {{[attn-r244] a warp that loads beside warps that multiply where rows of both operands begin at multiples of 16 bytes}}
  attn.linear schedule(#attn.gpu_product<rows = 128, columns = 256, depth = 64, rowWarps = 8, columnWarps = 1, stages = 4>)
      ins(%x, %w : memref<256x512xbf16>, memref<512x512xbf16>) outs(%y : memref<256x512xbf16>)
  return
}

// -----

// Two blocks of a cluster bring one half of the right operand each to both, and each
// gives its stages back to both.
// CHECK-LABEL: func.func @cluster
// CHECK: nvvm.mbarrier.init {{.*}}, %c16_i32
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: %[[THERE:.*]] = nvvm.mapa
// CHECK-NEXT: nvvm.mbarrier.arrive %[[THERE]] :
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.mbarrier.arrive.expect_tx {{.*}}, %c49152_i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: multicast_mask
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %c3_i16
// CHECK-NOT: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: nvvm.cluster.wait
// CHECK: cluster_dim = array<i32: 2, 1, 1>
func.func @cluster(%x: memref<256x512xbf16>, %w: memref<512x512xbf16>, %y: memref<256x512xbf16>) {
  // expected-remark @+1 {{[attn-r244] a warp that loads beside warps that multiply where rows of both operands begin at multiples of 16 bytes}}
  attn.linear schedule(#attn.gpu_product<rows = 128, columns = 256, depth = 64, rowWarps = 8, columnWarps = 1, stages = 4, cluster = 2>)
      ins(%x, %w : memref<256x512xbf16>, memref<512x512xbf16>) outs(%y : memref<256x512xbf16>)
  return
}

// -----

// Rows that never begin at multiples of 16 bytes.
// CHECK-LABEL: func.func @odd
// CHECK-NOT: nvgpu
// CHECK: gpu.launch
// CHECK: return
func.func @odd(%x: memref<64x33xbf16>, %w: memref<33x64xbf16>, %y: memref<64x64xbf16>) {
  // expected-remark @+1 {{[attn-r245] no warp that loads beside warps that multiply: rows of an operand do not begin at multiples of 16 bytes}}
  attn.linear schedule(#attn.gpu_product<rows = 128, columns = 256, depth = 64, rowWarps = 8, columnWarps = 1, stages = 4>)
      ins(%x, %w : memref<64x33xbf16>, memref<33x64xbf16>) outs(%y : memref<64x64xbf16>)
  return
}

// -----

// Other types have the kernel of all warps, without a remark.
// CHECK-LABEL: func.func @f32
// CHECK-NOT: nvgpu
// CHECK: gpu.launch
// CHECK: return
func.func @f32(%x: memref<64x64xf32>, %w: memref<64x64xf32>, %y: memref<64x64xf32>) {
  attn.linear schedule(#attn.gpu_product<rows = 64, columns = 64, depth = 64, rowWarps = 4, columnWarps = 1, stages = 2>)
      ins(%x, %w : memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  return
}

// GPUs without these instructions, too.
// WARPS-NOT: nvgpu
// WARPS-NOT: attn_nv

// -----

// A constant is a part of the kernels' module, whose addresses the host does not know.
memref.global "private" constant @weights : memref<64x64xf16> = dense<1.0>
// CHECK-LABEL: func.func @constant
// CHECK-NOT: nvgpu
// CHECK: return
func.func @constant(%x: memref<64x64xf16>, %y: memref<64x64xf16>) {
  %w = memref.get_global @weights : memref<64x64xf16>
  // expected-remark @+1 {{[attn-r245] no warp that loads beside warps that multiply: an operand is a constant, which only kernels have}}
  attn.linear schedule(#attn.gpu_product<rows = 64, columns = 64, depth = 64, rowWarps = 4, columnWarps = 1, stages = 2>)
      ins(%x, %w : memref<64x64xf16>, memref<64x64xf16>) outs(%y : memref<64x64xf16>)
  return
}
