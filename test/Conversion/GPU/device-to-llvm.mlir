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
