// RUN: attn-opt %s --attn-launch-to-calls --verify-diagnostics | FileCheck %s

// A description of the kernel is data of the object, and says what each
// parameter is: its bytes, and whether it is an address.
// CHECK-DAG: llvm.mlir.global internal constant @attn.kernel.k.name("k\00")
// CHECK-DAG: llvm.mlir.global internal constant @attn.kernel.k.parameters() {{.*}} : !llvm.array<3 x struct<(i32, i32)>>
// CHECK-DAG: llvm.mlir.global internal constant @attn.kernel.k() {{.*}} : !llvm.struct<(ptr, ptr, array<3 x i32>, array<3 x i32>, i32, i32, ptr)>
// CHECK-DAG: llvm.mlir.global external constant @attn.device_module()

// What each launch gives its kernel stays with the kernels, for the metadata.
// CHECK: gpu.module @attn_kernels attributes {attn.launches = [{block = array<i64: 64, 1, 1>, cluster = array<i32: 1, 1, 1>, entry = "f", grid = ["?", "1", "1"], kernel = "k", parameters = ["pointer", "i64", "f32"], shared = "0"}]}

module attributes {gpu.container_module} {
  gpu.module @attn_kernels {
    gpu.func @k(%p: !llvm.ptr, %n: index, %x: f32) kernel {
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @f
  // CHECK-SAME: (%[[CONTEXT:.*]]: !llvm.ptr, %[[P:[^:]*]]: !llvm.ptr
  func.func @f(%context: !llvm.ptr, %p: !llvm.ptr, %n: index, %x: f32) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    // CHECK: llvm.store %[[P]]
    // CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @attn.kernel.k : !llvm.ptr
    // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CONTEXT]]
    // CHECK: %[[LAUNCH:.*]] = llvm.load %[[FIELD]]
    // CHECK: %[[STATUS:.*]] = llvm.call %[[LAUNCH]](%[[CONTEXT]], %[[KERNEL]], %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr) -> i32
    // CHECK: call @attn.return_if_failed(%[[STATUS]])
    gpu.launch_func @attn_kernels::@k blocks in (%n, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%p : !llvm.ptr, %n : index, %x : f32)
    return %c0 : i32
  }

  // A number that the host needs.
  // CHECK-LABEL: func.func @read
  // CHECK: %[[READ:.*]] = llvm.load
  // CHECK: llvm.call %[[READ]](%{{.*}}, %[[SLOT:.*]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
  // CHECK: call @attn.return_if_failed
  // CHECK: llvm.load %[[SLOT]] : !llvm.ptr -> i32
  func.func @read(%context: !llvm.ptr, %m: memref<4xi32>, %i: index) -> i32 {
    // expected-remark @below {{[attn-r305] the host waits for the device to read an element of type i32}}
    %0 = memref.load %m[%i] : memref<4xi32>
    return %0 : i32
  }

  // Constants of the host are where they are.
  memref.global "private" constant @table : memref<2xi32> = dense<[1, 2]>
  // CHECK-LABEL: func.func @constant
  // CHECK: memref.load
  func.func @constant(%context: !llvm.ptr, %i: index) -> i32 {
    %t = memref.get_global @table : memref<2xi32>
    %0 = memref.load %t[%i] : memref<2xi32>
    return %0 : i32
  }
}
