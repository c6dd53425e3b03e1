// RUN: attn-opt %s --attn-expand-copies | FileCheck %s

// LLVM has no copy of strided memory.
// CHECK-LABEL: func.func @strided(
// CHECK-SAME: %[[A:[^:]*]]: memref<4x4xf32, strided<[?, 1]>>, %[[B:[^:]*]]: memref<4x4xf32>
// CHECK-NOT: memref.copy
// CHECK: linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[B]] :
func.func @strided(%a: memref<4x4xf32, strided<[?, 1]>>, %b: memref<4x4xf32>) {
  memref.copy %a, %b : memref<4x4xf32, strided<[?, 1]>> to memref<4x4xf32>
  return
}

// This one becomes memcpy.
// CHECK-LABEL: func.func @contiguous(
// CHECK: memref.copy
func.func @contiguous(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  memref.copy %a, %b : memref<4x4xf32> to memref<4x4xf32>
  return
}
