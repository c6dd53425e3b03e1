// RUN: attn-opt %s --attn-lower-attention-to-gpu --split-input-file | FileCheck %s

// A kernel for rows that are aligned, and one for others, chosen on the host.
// Full tiles have a loop without selections, the last one masks its tail.
// CHECK-LABEL: func.func @plain
// CHECK: %[[ALIGNED:.*]] = arith.andi
// CHECK: scf.if
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: nvvm.ldmatrix
// CHECK: scf.for
// CHECK-NOT: arith.select {{.*}} : vector<16xi1>
// CHECK: nvvm.mma.sync
// CHECK: llvm.nvvm.ex2.approx.ftz.f
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>
// CHECK: scf.for
// CHECK: arith.cmpi slt, {{.*}} : vector<16xi32>
// CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: } else {
// CHECK: gpu.launch
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: } {nvvm.minctasm = 2 : i32}
// CHECK: return
func.func @plain(%q: memref<2x8x?x64xf16>, %k: memref<2x8x?x64xf16>, %v: memref<2x8x?x64xf16>, %o: memref<2x8x?x64xf16>) {
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4, blocks = 2>)
      ins(%q, %k, %v : memref<2x8x?x64xf16>, memref<2x8x?x64xf16>, memref<2x8x?x64xf16>) outs(%o : memref<2x8x?x64xf16>)
  return
}

// -----

// Heads that do not fill pieces of 16 bytes are loaded by element only.
// CHECK-LABEL: func.func @odd_heads
// CHECK-NOT: scf.if
// CHECK: gpu.launch
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: return
func.func @odd_heads(%q: memref<128x20xbf16>, %o: memref<128x20xbf16>) {
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
      ins(%q, %q, %q : memref<128x20xbf16>, memref<128x20xbf16>, memref<128x20xbf16>) outs(%o : memref<128x20xbf16>)
  return
}

// -----

// Under a mask that hides keys of some rows, values that are not finite take
// products with selections.
// CHECK-LABEL: func.func @causal
// CHECK: nvvm.barrier {{.*}}or
// CHECK: scf.if
// CHECK: math.fma {{.*}} : f32
// CHECK: } else {
// CHECK: nvvm.mma.sync
func.func @causal(%q: memref<4x128x64xbf16>, %o: memref<4x128x64xbf16>, %l: memref<4x128xf32>) {
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
      ins(%q, %q, %q : memref<4x128x64xbf16>, memref<4x128x64xbf16>, memref<4x128x64xbf16>)
      outs(%o, %l : memref<4x128x64xbf16>, memref<4x128xf32>)
  return
}

// -----

// The table of a formula is memory. A factor of 0 is kept above 0, so that
// hidden keys stay at -inf. Beside the tiles, the factors of 64 keys are shared,
// four bytes each.
// CHECK: memref.global "private" constant @[[TABLE:.*]] : memref<47xf64>
// CHECK-LABEL: func.func @table
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size %c24832_i32
// CHECK: memref.get_global @[[TABLE]]
// CHECK-NOT: tensor.extract
// CHECK: arith.constant 1.17549435E-38 : f32
// CHECK: return
func.func @table(%q: memref<4x128x64xf16>, %o: memref<4x128x64xf16>) {
  attn.attention scale(#attn.gradient_max<scores = cosine, n = position>)
      similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
      ins(%q, %q, %q : memref<4x128x64xf16>, memref<4x128x64xf16>, memref<4x128x64xf16>)
      outs(%o : memref<4x128x64xf16>)
  return
}
