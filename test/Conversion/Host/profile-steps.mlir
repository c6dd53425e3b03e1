// RUN: attn-opt %s --attn-name-steps --attn-profile-steps | FileCheck %s
// RUN: attn-opt %s --attn-set-target=target=cpu:aarch64 --attn-name-steps --attn-profile-steps | FileCheck %s --check-prefix=ARM
// ARM-NOT: readcyclecounter
// ARM: llvm.inline_asm has_side_effects {{.*}}"mrs $0, CNTVCT_EL0"

// Loops and structured ops of an entry are counted, by what they are and where;
// both forms of the kernel, behind a branch, are one step. Not what a step
// calls, the call of the other form, nor what is no loop.

// CHECK: module attributes {attn.steps = {{\[\[}}"linalg.fill", "{{.*}}:[[#@LINE + 19]]"], ["scf.for", "{{.*}}:[[#@LINE + 22]]"], ["func.call", "{{.*}}:[[#@LINE + 29]]"]]}
// CHECK: llvm.mlir.global internal @attn.step_counts(dense<0> : tensor<6xi64>)
// CHECK-LABEL: func.func @f(
// CHECK:         scf.if
// CHECK-NOT:       readcyclecounter
// CHECK:           call @f__unit
// CHECK:         else
// CHECK:           %[[BEGIN:.*]] = llvm.call_intrinsic "llvm.readcyclecounter"
// CHECK-NEXT:      linalg.fill
// CHECK-NEXT:      %[[END:.*]] = llvm.call_intrinsic "llvm.readcyclecounter"
// CHECK-NEXT:      %[[TICKS:.*]] = llvm.sub %[[END]], %[[BEGIN]]
// CHECK:           llvm.add %{{.*}}, %[[TICKS]]
// CHECK-COUNT-2:   llvm.call_intrinsic
// CHECK-NOT:       llvm.call_intrinsic
// CHECK:           return
func.func @f(%x: memref<8xf32>, %c: i1, %v: f32, %n: index) {
  scf.if %c {
    func.call @f__unit(%x, %v) : (memref<8xf32>, f32) -> ()
  } else {
    linalg.fill ins(%v : f32) outs(%x : memref<8xf32>)
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %i = %zero to %n step %one {
      memref.store %v, %x[%i] : memref<8xf32>
    }
  }
  return
}
func.func private @f__unit(%x: memref<8xf32>, %v: f32) {
  func.call @shared(%x, %v) : (memref<8xf32>, f32) -> ()
  return
}

// CHECK-LABEL: func.func private @shared(
// CHECK-NOT:     readcyclecounter
// CHECK:         return
func.func private @shared(%x: memref<8xf32>, %v: f32) {
  linalg.fill ins(%v : f32) outs(%x : memref<8xf32>)
  return
}

// CHECK-LABEL: llvm.func @attn_step_counts(%arg0: !llvm.ptr
// CHECK:         %[[TABLE:.*]] = llvm.mlir.addressof @attn.step_counts
// CHECK:         llvm.store %[[TABLE]], %arg0
