// RUN: attn-opt %s --pass-pipeline='builtin.module(gpu.module(attn-device-to-llvm,reconcile-unrealized-casts,convert-nvvm-to-llvm))' | FileCheck %s --check-prefix=DEVICE
// RUN: attn-opt %s --attn-launch-to-calls | FileCheck %s --check-prefix=HOST

!map = !nvgpu.tensormap.descriptor<tensor = memref<1x8x64xf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>

// The description says that the parameter is a map, and how many bytes it has.
// HOST-DAG: llvm.mlir.global internal constant @attn.kernel.k.parameters() {{.*}} : !llvm.array<2 x struct<(i32, i32)>>
// HOST-DAG: llvm.mlir.constant(128 : i32)
// HOST-DAG: parameters = ["tensor_map", "i64"]

module attributes {gpu.container_module} {
  gpu.module @attn_kernels {
    // A kernel gets the 128 bytes by value, and reads them where they lie.
    // DEVICE-LABEL: llvm.func @k
    // DEVICE-SAME: (%[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %{{.*}}: i64)
    // DEVICE: nvvm.prefetch tensormap, %[[MAP]]
    // DEVICE: llvm.inline_asm {{.*}}mbarrier.try_wait.parity.shared
    gpu.func @k(%map: !map, %n: index) kernel {
      %p = builtin.unrealized_conversion_cast %map : !map to !llvm.ptr
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %bar = llvm.inttoptr %c0 : i32 to !llvm.ptr<3>
      nvvm.prefetch tensormap, %p : !llvm.ptr
      nvvm.mbarrier.try_wait.parity %bar, %c0, %c0 : !llvm.ptr<3>, i32, i32
      gpu.return
    }
  }

  // The host tells the context of the tensor, innermost dimension first; of a
  // single index the distance may be any, and 16 bytes are as good as others.
  // HOST-LABEL: func.func @f
  // HOST-SAME: (%[[CONTEXT:.*]]: !llvm.ptr
  // HOST-DAG: %[[RANK:.*]] = llvm.mlir.constant(3 : i32)
  // HOST-DAG: memref.extract_aligned_pointer_as_index
  // HOST: llvm.store %[[RANK]]
  // HOST: arith.cmpi eq
  // HOST: arith.select
  // HOST: %[[ENCODE:.*]] = llvm.load
  // HOST: llvm.call %[[ENCODE]](%[[CONTEXT]], %[[MAP:.*]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  // HOST: call @attn.return_if_failed
  // HOST: llvm.store %[[MAP]]
  // HOST: llvm.call
  // HOST-NOT: nvgpu
  func.func @f(%context: !llvm.ptr, %m: memref<?x?x?xf16, strided<[?, ?, 1], offset: ?>>, %n: index) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %any = memref.cast %m : memref<?x?x?xf16, strided<[?, ?, 1], offset: ?>> to memref<*xf16>
    %map = nvgpu.tma.create.descriptor %any box[%c1, %c8, %c64] : memref<*xf16> -> !map
    gpu.launch_func @attn_kernels::@k blocks in (%n, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%map : !map, %n : index)
    return %c0 : i32
  }
}
