// Each op is one piece of inline assembly: accumulators are tied to results, a sum that begins at 0 has none, and a wait
// reads the registers of a lhs.
// RUN: attn-opt %s -pass-pipeline='builtin.module(gpu.module(attn-device-to-llvm,reconcile-unrealized-casts))' | FileCheck %s

// CHECK-LABEL: llvm.func @products
gpu.module @kernels {
  gpu.func @products(%a: i64, %b: i64, %r: i32) kernel {
    // CHECK: llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;", "~{memory}"
    attn_nv.wgmma_fence
    // CHECK: llvm.inline_asm has_side_effects
    // CHECK-SAME: setp.ne.b32 %adds, 0, 0;
    // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $4, $5, %adds, 1, 1, 0, 0;
    // CHECK-SAME: "=f,=f,=f,=f,l,l,~{memory}" %{{.*}}, %{{.*}} : (i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
    %s:2 = attn_nv.wgmma bf16(%a), %b : (i64) vector<2xf32>, vector<2xf32>
    // CHECK: llvm.inline_asm has_side_effects
    // CHECK-SAME: setp.ne.b32 %adds, 1, 0;
    // CHECK-SAME: %adds, 1, 1, 1, 1;
    // CHECK-SAME: "=f,=f,=f,=f,l,l,0,1,2,3,~{memory}"
    %t:2 = attn_nv.wgmma bf16(%a), %b plus %s#0, %s#1 lhs_transposed rhs_transposed
        : (i64) plus vector<2xf32>, vector<2xf32> -> vector<2xf32>, vector<2xf32>
    // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
    %sums:2 = attn_nv.wgmma_wait 0(%t#0, %t#1 : vector<2xf32>, vector<2xf32>)
    // CHECK: llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;", "=f,=f,=f,=f,=r,0,1,2,3,4,~{memory}"
    %f:3 = attn_nv.wgmma_fence(%sums#0, %sums#1, %r : vector<2xf32>, vector<2xf32>, i32)
    // CHECK: llvm.inline_asm has_side_effects
    // CHECK-SAME: m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, %adds, 1, 1, 1;
    // CHECK-SAME: "=f,=f,=f,=f,r,r,r,r,l,0,1,2,3,~{memory}"
    %p:2 = attn_nv.wgmma f16(%f#2, %f#2, %f#2, %f#2), %b plus %f#0, %f#1 rhs_transposed
        : (i32, i32, i32, i32) plus vector<2xf32>, vector<2xf32> -> vector<2xf32>, vector<2xf32>
    // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,r,0,1,2,3,~{memory}"
    %q:2 = attn_nv.wgmma_wait 1(%p#0, %p#1 : vector<2xf32>, vector<2xf32>) reading %f#2
    gpu.return
  }
}
