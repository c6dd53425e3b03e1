// RUN: attn-opt %s --pass-pipeline='builtin.module(func.func(attn-lower-products-to-gpu))' --split-input-file | FileCheck %s

// A kernel for operands that are aligned, and one for others, chosen on the host.
// Two steps are on their way before the loop; what is multiplied and what comes
// in take turns.
// CHECK-LABEL: func.func @aligned
// CHECK: scf.if
// CHECK: gpu.launch {{.*}} in (%{{.*}} = %c8, {{.*}} in (%{{.*}} = %c256{{.*}} dynamic_shared_memory_size
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.ldmatrix
// CHECK: nvvm.mma.sync
// CHECK: } else {
// CHECK: gpu.launch
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: return
func.func @aligned(%x: memref<256x512xbf16>, %w: memref<512x512xbf16>, %y: memref<256x512xbf16>) {
  attn.linear schedule(#attn.gpu_product<rows = 128, columns = 128, depth = 32, rowWarps = 4, columnWarps = 2, stages = 3>)
      ins(%x, %w : memref<256x512xbf16>, memref<512x512xbf16>) outs(%y : memref<256x512xbf16>)
  return
}

// -----

// Other types are multiplied by fused multiply-adds; one stage waits for itself.
// CHECK-LABEL: func.func @f32
// CHECK: scf.for
// CHECK-NEXT: nvvm.barrier
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.barrier
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.intr.fma{{.*}} : (f32, f32, f32)
// CHECK: return
func.func @f32(%x: memref<64x64xf32>, %w: memref<64x64xf32>, %y: memref<64x64xf32>) {
  attn.linear weight(out_in) schedule(#attn.gpu_product<rows = 32, columns = 32, depth = 16, rowWarps = 2, columnWarps = 2>)
      ins(%x, %w : memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  return
}

// -----

// Rows that never lie at multiples of 16 bytes have one kernel only.
// CHECK-LABEL: func.func @odd
// CHECK-NOT: scf.if
// CHECK: gpu.launch
// CHECK: return
func.func @odd(%x: memref<64x33xbf16>, %w: memref<33x64xbf16>, %y: memref<64x64xbf16>) {
  attn.linear schedule(#attn.gpu_product<rows = 32, columns = 32, depth = 32, rowWarps = 2, columnWarps = 2, stages = 2>)
      ins(%x, %w : memref<64x33xbf16>, memref<33x64xbf16>) outs(%y : memref<64x64xbf16>)
  return
}

// -----

// Elements of two types meet in that of the sums, which no copy of bytes makes.
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
// CHECK-LABEL: func.func @two_types
// CHECK-NOT: scf.if
// CHECK: gpu.launch
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: return
func.func @two_types(%x: memref<64x64xf16>, %w: memref<64x64xf32>, %y: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<64x64xf16>, memref<64x64xf32>) outs(%y : memref<64x64xf32>)
      attrs = {attn.contraction = #attn.gpu_product<rows = 32, columns = 32, depth = 16, rowWarps = 2, columnWarps = 2, stages = 2>} {
  ^bb0(%p: f16, %q: f32, %s: f32):
    %wide = arith.extf %p : f16 to f32
    %m = arith.mulf %wide, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Few rows: each lane loads 16 bytes of the weights at once, and the lanes add up
// what they have.
// CHECK-LABEL: func.func @dots
// CHECK: gpu.launch
// CHECK: scf.for
// CHECK-COUNT-3: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: nvvm.shfl.sync
// CHECK: nvvm.barrier
// CHECK: llvm.store {{.*}} !llvm.ptr<1>
// CHECK: return
func.func @dots(%x: memref<1x512xbf16>, %w: memref<64x512xbf16>, %y: memref<1x64xbf16>) {
  attn.linear weight(out_in) schedule(#attn.gpu_dots<rows = 1, columns = 2, blockWarps = 4, width = 8>)
      ins(%x, %w : memref<1x512xbf16>, memref<64x512xbf16>) outs(%y : memref<1x64xbf16>)
  return
}
