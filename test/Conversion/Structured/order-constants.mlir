// Constants stand in the order of their first uses and are named after it; public and unused ones stay as they are.

// RUN: attn-opt %s --attn-order-constants | FileCheck %s

// CHECK: module
// CHECK-NEXT: memref.global "private" constant @constant : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]>
// CHECK-NEXT: memref.global "private" constant @constant_0 : memref<2xf32> = dense<[3.000000e+00, 4.000000e+00]>
// CHECK-NEXT: memref.global constant @public : memref<2xf32>
// CHECK-NEXT: memref.global "private" constant @unused : memref<2xf32>
memref.global constant @public : memref<2xf32> = dense<[7.0, 8.0]>
memref.global "private" constant @constant : memref<2xf32> = dense<[3.0, 4.0]>
memref.global "private" constant @unused : memref<2xf32> = dense<[5.0, 6.0]>
memref.global "private" constant @z : memref<2xf32> = dense<[1.0, 2.0]>

// CHECK: func.func @first
// CHECK: memref.get_global @constant : memref<2xf32>
// CHECK: memref.get_global @public : memref<2xf32>
func.func @first() -> (memref<2xf32>, memref<2xf32>) {
  %0 = memref.get_global @z : memref<2xf32>
  %1 = memref.get_global @public : memref<2xf32>
  return %0, %1 : memref<2xf32>, memref<2xf32>
}

// CHECK: func.func @second
// CHECK: memref.get_global @constant_0 : memref<2xf32>
// CHECK: memref.get_global @constant : memref<2xf32>
func.func @second() -> (memref<2xf32>, memref<2xf32>) {
  %0 = memref.get_global @constant : memref<2xf32>
  %1 = memref.get_global @z : memref<2xf32>
  return %0, %1 : memref<2xf32>, memref<2xf32>
}
