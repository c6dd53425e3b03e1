// RUN: attn-opt %s | attn-opt | FileCheck %s

// CHECK-LABEL: gpu.func @products
gpu.module @kernels {
  gpu.func @products(%a: i64, %b: i64, %r: i32) kernel {
    // CHECK: attn_nv.wgmma_fence
    attn_nv.wgmma_fence
    // CHECK: %[[S:.*]]:2 = attn_nv.wgmma bf16(%{{.*}}), %{{.*}} : (i64) vector<16xf32>, vector<16xf32>
    %s:2 = attn_nv.wgmma bf16(%a), %b : (i64) vector<16xf32>, vector<16xf32>
    // CHECK: attn_nv.wgmma bf16(%{{.*}}), %{{.*}} plus %[[S]]#0, %[[S]]#1 lhs_transposed rhs_transposed : (i64) plus vector<16xf32>, vector<16xf32> -> vector<16xf32>, vector<16xf32>
    %t:2 = attn_nv.wgmma bf16(%a), %b plus %s#0, %s#1 lhs_transposed rhs_transposed
        : (i64) plus vector<16xf32>, vector<16xf32> -> vector<16xf32>, vector<16xf32>
    // CHECK: attn_nv.wgmma_wait 0(%{{.*}}#0, %{{.*}}#1 : vector<16xf32>, vector<16xf32>)
    %sums:2 = attn_nv.wgmma_wait 0(%t#0, %t#1 : vector<16xf32>, vector<16xf32>)
    // CHECK: %[[F:.*]]:3 = attn_nv.wgmma_fence(%{{.*}}#0, %{{.*}}#1, %{{.*}} : vector<16xf32>, vector<16xf32>, i32)
    %f:3 = attn_nv.wgmma_fence(%sums#0, %sums#1, %r : vector<16xf32>, vector<16xf32>, i32)
    // CHECK: %[[P:.*]]:2 = attn_nv.wgmma f16(%[[F]]#2, %[[F]]#2, %[[F]]#2, %[[F]]#2), %{{.*}} plus
    %p:2 = attn_nv.wgmma f16(%f#2, %f#2, %f#2, %f#2), %b plus %f#0, %f#1
        : (i32, i32, i32, i32) plus vector<16xf32>, vector<16xf32> -> vector<16xf32>, vector<16xf32>
    // CHECK: attn_nv.wgmma_wait 1(%[[P]]#0, %[[P]]#1 : vector<16xf32>, vector<16xf32>) reading %[[F]]#2
    %q:2 = attn_nv.wgmma_wait 1(%p#0, %p#1 : vector<16xf32>, vector<16xf32>) reading %f#2
    gpu.return
  }
}
