// RUN: attn-opt %s --pass-pipeline='builtin.module(gpu.module(attn-device-to-llvm,reconcile-unrealized-casts,attn-verify-device-code))' | FileCheck %s

gpu.module @attn_kernels {
  // CHECK: llvm.func @k(%arg0: !llvm.ptr, %arg1: i64) attributes {{.*}}nvvm.kernel
  gpu.func @k(%p: !llvm.ptr, %n: index) kernel {
    // CHECK: nvvm.read.ptx.sreg.tid.x
    %t = gpu.thread_id x
    %in = arith.cmpi ult, %t, %n : index
    // Upstream's pass for GPU modules leaves branches with i64 and index mixed.
    // CHECK: llvm.cond_br %{{.*}}, ^[[STORE:bb[0-9]+]], ^
    // CHECK: ^[[STORE]]:
    cf.cond_br %in, ^store(%t : index), ^end
  ^store(%i: index):
    %v = arith.index_cast %i : index to i64
    llvm.store %v, %p : i64, !llvm.ptr
    cf.br ^end
  ^end:
    // CHECK: llvm.return
    gpu.return
  }
}

// An extremum is one instruction, and no comparison with selections. Stores hold
// the results, so that each is there once.
// CHECK-LABEL: llvm.func @extrema
// CHECK-NOT: llvm.fcmp
// CHECK-NOT: llvm.icmp
// CHECK-NOT: llvm.select
// CHECK: llvm.intr.maximum(%arg1, %arg2) : (f32, f32) -> f32
// CHECK: llvm.intr.minimum(%arg1, %arg2) : (f32, f32) -> f32
// CHECK: llvm.intr.maxnum(%arg1, %arg2) : (f32, f32) -> f32
// CHECK: llvm.intr.minnum(%arg1, %arg2) : (f32, f32) -> f32
// CHECK: llvm.intr.maximum(%arg3, %arg4) : (vector<2xf16>, vector<2xf16>) -> vector<2xf16>
// CHECK: llvm.intr.smax(%arg5, %arg6) : (i32, i32) -> i32
// CHECK-NOT: llvm.fcmp
// CHECK-NOT: llvm.icmp
// CHECK-NOT: llvm.select
// CHECK: llvm.return
gpu.module @extremum_kernels {
  gpu.func @extrema(%p: !llvm.ptr, %x: f32, %y: f32, %v: vector<2xf16>, %w: vector<2xf16>, %i: i32, %j: i32) kernel {
    %0 = arith.maximumf %x, %y : f32
    llvm.store volatile %0, %p : f32, !llvm.ptr
    %1 = arith.minimumf %x, %y : f32
    llvm.store volatile %1, %p : f32, !llvm.ptr
    %2 = arith.maxnumf %x, %y : f32
    llvm.store volatile %2, %p : f32, !llvm.ptr
    %3 = arith.minnumf %x, %y : f32
    llvm.store volatile %3, %p : f32, !llvm.ptr
    %4 = arith.maximumf %v, %w : vector<2xf16>
    llvm.store volatile %4, %p : vector<2xf16>, !llvm.ptr
    %5 = arith.maxsi %i, %j : i32
    llvm.store volatile %5, %p : i32, !llvm.ptr
    gpu.return
  }
}
