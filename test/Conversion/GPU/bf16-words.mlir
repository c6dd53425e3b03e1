// Numbers of bf16 come two in a word: one is shifted, of the other the lower half is cleared. They are rounded by an
// instruction.
// RUN: attn-opt %s -pass-pipeline='builtin.module(gpu.module(attn-device-to-llvm,reconcile-unrealized-casts))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @pairs
  gpu.func @pairs(%x: vector<4xbf16>, %z: vector<4xf32>, %p: !llvm.ptr) kernel {
    // CHECK: %[[WORDS:.*]] = llvm.bitcast %{{.*}} : vector<4xbf16> to vector<2xi32>
    // CHECK: %[[LOW:.*]] = llvm.shl %[[WORDS]], %{{.*}} : vector<2xi32>
    // CHECK: %[[HIGH:.*]] = llvm.and %[[WORDS]], %{{.*}} : vector<2xi32>
    // CHECK: llvm.shufflevector %[[LOW]], %[[HIGH]] [0, 2, 1, 3] : vector<2xi32>
    // CHECK-NOT: fpext
    %wide = arith.extf %x : vector<4xbf16> to vector<4xf32>
    // CHECK: llvm.fptrunc %{{.*}} : vector<4xf32> to vector<4xbf16>
    llvm.store %wide, %p : vector<4xf32>, !llvm.ptr
    %narrow = arith.truncf %z : vector<4xf32> to vector<4xbf16>
    llvm.store %narrow, %p : vector<4xbf16>, !llvm.ptr
    gpu.return
  }
  // CHECK-LABEL: llvm.func @odd
  gpu.func @odd(%x: vector<3xbf16>, %y: bf16, %p: !llvm.ptr) kernel {
    // CHECK: llvm.zext %{{.*}} : vector<3xi16> to vector<3xi32>
    // CHECK: llvm.shl %{{.*}} : vector<3xi32>
    %wide = arith.extf %x : vector<3xbf16> to vector<3xf32>
    llvm.store %wide, %p : vector<3xf32>, !llvm.ptr
    // CHECK: llvm.zext %{{.*}} : i16 to i32
    // CHECK: llvm.shl %{{.*}} : i32
    %one = arith.extf %y : bf16 to f32
    llvm.store %one, %p : f32, !llvm.ptr
    // Other types have an instruction.
    // CHECK: llvm.fpext %{{.*}} : bf16 to f64
    %double = arith.extf %y : bf16 to f64
    llvm.store %double, %p : f64, !llvm.ptr
    gpu.return
  }
}
