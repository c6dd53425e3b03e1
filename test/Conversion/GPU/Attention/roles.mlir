// RUN: attn-opt %s --attn-lower-attention-to-gpu --split-input-file | FileCheck %s

// Two kernels, of which the host chooses: with roles where the copy engine takes query, key, value and output. Consumers
// first: they take registers, wait for what they need, multiply, and give it back; the producer has few registers and
// one thread.
// CHECK-LABEL: func.func @plain
// CHECK: %[[MAPS:.*]] = arith.andi
// CHECK: scf.if
// CHECK-COUNT-4: nvgpu.tma.create.descriptor
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size
// CHECK-COUNT-3: nvvm.fence.mbarrier.init
// CHECK: scf.if
// CHECK: nvvm.setmaxregister increase 240
// CHECK: nvvm.mbarrier.try_wait
// CHECK: attn_nv.wgmma_fence
// CHECK-COUNT-4: attn_nv.wgmma bf16(
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: attn_nv.wgmma_wait 0
// The edge comes first, and hides what is not there. The end of the keys makes one at most.
// CHECK: arith.select {{.*}} : vector<32xi1>, vector<32xf32>
// The loop over full tiles: products of scores and of the weights before in one hand-over, and no masks.
// CHECK: scf.for
// CHECK-NOT: arith.select {{.*}}xi1
// CHECK: attn_nv.wgmma_fence
// CHECK-COUNT-4: attn_nv.wgmma bf16(
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-COUNT-8: attn_nv.wgmma bf16({{.*}} rhs_transposed
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: attn_nv.wgmma_wait 1
// CHECK: llvm.nvvm.ex2.approx.ftz.f
// Behind all exponentials, over which the assembler would move the wait for products otherwise.
// CHECK-NOT: attn_nv.wgmma_wait
// CHECK: nvvm.mbarrier.try_wait
// CHECK-NOT: llvm.nvvm.ex2.approx.ftz.f
// CHECK: attn_nv.wgmma_wait 0({{.*}}) reading
// The output leaves as the query came.
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: nvvm.setmaxregister decrease 24
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: } {nvvm.minctasm = 1 : i32}
// CHECK: } else {
// CHECK: gpu.launch
// CHECK-NOT: attn_nv
// CHECK: return
func.func @plain(%q: memref<8x?x64xbf16>, %k: memref<8x?x64xbf16>, %v: memref<8x?x64xbf16>, %o: memref<8x?x64xbf16>) {
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.gpu_attention<rows = 128, keys = 128, warps = 8, stages = 2>)
      ins(%q, %k, %v : memref<8x?x64xbf16>, memref<8x?x64xbf16>, memref<8x?x64xbf16>) outs(%o : memref<8x?x64xbf16>)
  return
}

// -----

// Under a mask the tiles that it crosses are tested for values that are not finite. Where tiles have as many keys as rows,
// it crosses one, whatever the sizes are: the first tile, and no loop of edges follows it.
// CHECK-LABEL: func.func @causal
// CHECK: scf.if
// CHECK: gpu.launch
// CHECK: llvm.nvvm.barrier.cta.red.or.aligned.count
// CHECK-NOT: llvm.nvvm.barrier.cta.red.or.aligned.count
// CHECK: nvvm.setmaxregister decrease
// CHECK: return
func.func @causal(%q: memref<8x?x64xbf16>, %k: memref<8x?x64xbf16>, %v: memref<8x?x64xbf16>, %o: memref<8x?x64xbf16>) {
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      schedule(#attn.gpu_attention<rows = 128, keys = 128, warps = 8, stages = 2>)
      ins(%q, %k, %v : memref<8x?x64xbf16>, memref<8x?x64xbf16>, memref<8x?x64xbf16>) outs(%o : memref<8x?x64xbf16>)
  return
}

// -----

// Sizes that are not known leave open where the mask begins within a tile: there may be two edges, the second one in a loop.
// CHECK-LABEL: func.func @bottom_right
// CHECK-COUNT-2: llvm.nvvm.barrier.cta.red.or.aligned.count
// CHECK: nvvm.setmaxregister decrease
// CHECK: return
func.func @bottom_right(%q: memref<8x?x64xbf16>, %k: memref<8x?x64xbf16>, %v: memref<8x?x64xbf16>, %o: memref<8x?x64xbf16>) {
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal]
      schedule(#attn.gpu_attention<rows = 128, keys = 128, warps = 8, stages = 2>)
      ins(%q, %k, %v : memref<8x?x64xbf16>, memref<8x?x64xbf16>, memref<8x?x64xbf16>) outs(%o : memref<8x?x64xbf16>)
  return
}

// -----

// So do rows that see two keys ahead.
// CHECK-LABEL: func.func @ahead
// CHECK-COUNT-2: llvm.nvvm.barrier.cta.red.or.aligned.count
// CHECK: nvvm.setmaxregister decrease
// CHECK: return
func.func @ahead(%q: memref<8x?x64xbf16>, %k: memref<8x?x64xbf16>, %v: memref<8x?x64xbf16>, %o: memref<8x?x64xbf16>) {
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = -1, right = 2>]
      schedule(#attn.gpu_attention<rows = 128, keys = 128, warps = 8, stages = 2>)
      ins(%q, %k, %v : memref<8x?x64xbf16>, memref<8x?x64xbf16>, memref<8x?x64xbf16>) outs(%o : memref<8x?x64xbf16>)
  return
}

// -----

// One key less than a tile ahead, the mask begins with a tile's last key. Batches that end early have no more edges.
// CHECK-LABEL: func.func @lengths
// CHECK: llvm.nvvm.barrier.cta.red.or.aligned.count
// CHECK-NOT: llvm.nvvm.barrier.cta.red.or.aligned.count
// CHECK: nvvm.setmaxregister decrease
// CHECK: return
func.func @lengths(%q: memref<8x200x64xbf16>, %k: memref<8x200x64xbf16>, %v: memref<8x200x64xbf16>, %n: memref<8xi32>, %o: memref<8x200x64xbf16>) {
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = -1, right = 127>, #attn.kv_lengths]
      schedule(#attn.gpu_attention<rows = 128, keys = 128, warps = 8, stages = 2>)
      ins(%q, %k, %v : memref<8x200x64xbf16>, memref<8x200x64xbf16>, memref<8x200x64xbf16>) params(%n : memref<8xi32>) outs(%o : memref<8x200x64xbf16>)
  return
}

// -----

// Rows that never begin at multiples of 16 bytes have no tensor map, and one kernel.
// CHECK-LABEL: func.func @unaligned
// CHECK-NOT: attn_nv
// CHECK-NOT: nvgpu.tma
// CHECK: gpu.launch
// CHECK-NOT: attn_nv
// CHECK: return
func.func @unaligned(%q: memref<128x64xbf16, strided<[68, 1]>>, %o: memref<128x64xbf16>) {
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.gpu_attention<rows = 128, keys = 128, warps = 8, stages = 2>)
      ins(%q, %q, %q : memref<128x64xbf16, strided<[68, 1]>>, memref<128x64xbf16, strided<[68, 1]>>, memref<128x64xbf16, strided<[68, 1]>>) outs(%o : memref<128x64xbf16>)
  return
}
