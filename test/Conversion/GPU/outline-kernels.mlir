// RUN: attn-opt %s --attn-outline-kernels | FileCheck %s

// What a body uses travels as numbers and addresses; constants, constant data
// and loads that nothing disturbs move in.
// CHECK: gpu.module @attn_kernels
// CHECK: memref.global "private" constant @table
// CHECK: gpu.func @f__kernel0(%[[N:.*]]: !llvm.ptr, %[[V:.*]]: f32, %[[P:.*]]: !llvm.ptr, %[[SIZE:.*]]: index, %[[STRIDE:.*]]: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>}
// CHECK: memref.get_global @table
// CHECK: gpu.return
// CHECK-NOT: gpu.func @g
// CHECK: gpu.func @blocks__kernel0{{.*}} kernel attributes {known_block_size = array<i32: 64, 1, 1>, nvvm.minctasm = 2 : i32}

// CHECK-LABEL: func.func @f
memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>

func.func @f(%x: memref<?xf32, strided<[?], offset: ?>>, %n: memref<i32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %t = memref.get_global @table : memref<2xf32>
  %i = memref.load %n[] : memref<i32>
  // CHECK: llvm.inttoptr
  // CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %[[SIZES:.*]], %[[STRIDES:.*]] = memref.extract_strided_metadata %arg0
  // CHECK: %[[ADDRESS:.*]] = llvm.inttoptr
  // CHECK: gpu.launch_func @attn_kernels::@f__kernel0 {{.*}} args(%{{.*}} : !llvm.ptr, %arg2 : f32, %[[ADDRESS]] : !llvm.ptr, %[[SIZES]] : index, %[[STRIDES]] : index)
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %c64, %s1 = %c1, %s2 = %c1) {
    %at = arith.index_cast %i : i32 to index
    %a = memref.load %t[%c1] : memref<2xf32>
    %sum = arith.addf %a, %v : f32
    memref.store %sum, %x[%at] : memref<?xf32, strided<[?], offset: ?>>
    gpu.terminator
  }
  return
}

// Kernels that are the same are one, whatever their functions.
// CHECK-LABEL: func.func @g
// CHECK: gpu.launch_func @attn_kernels::@f__kernel0
func.func @g(%x: memref<?xf32, strided<[?], offset: ?>>, %n: memref<i32>, %v: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %t = memref.get_global @table : memref<2xf32>
  %i = memref.load %n[] : memref<i32>
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %c64, %s1 = %c1, %s2 = %c1) {
    %at = arith.index_cast %i : i32 to index
    %a = memref.load %t[%c1] : memref<2xf32>
    %sum = arith.addf %a, %v : f32
    memref.store %sum, %x[%at] : memref<?xf32, strided<[?], offset: ?>>
    gpu.terminator
  }
  return
}

// PTX has letters, digits and _ in names.
// CHECK-LABEL: func.func @"layer.0-down"
// CHECK: gpu.launch_func @attn_kernels::@layer_0_down__kernel0
func.func @"layer.0-down"(%x: memref<4xf32>, %v: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %c64, %s1 = %c1, %s2 = %c1) {
    memref.store %v, %x[%c1] : memref<4xf32>
    gpu.terminator
  }
  return
}

// A kernel in between writes the number: the host reads it in time.
// CHECK-LABEL: func.func @written
// CHECK: %[[I:.*]] = memref.load
// CHECK: gpu.launch_func {{.*}}@written__kernel0
// CHECK: gpu.launch_func {{.*}}@written__kernel1{{.*}}(%[[I]] : i32
func.func @written(%n: memref<i32>) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %i = memref.load %n[] : memref<i32>
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %c1, %s1 = %c1, %s2 = %c1) {
    memref.store %c7, %n[] : memref<i32>
    gpu.terminator
  }
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %c1, %s1 = %c1, %s2 = %c1) {
    memref.store %i, %n[] : memref<i32>
    gpu.terminator
  }
  return
}

// A position in a cache that only kernels need stays on the device, with all
// that is computed of it: what the first kernel writes is elsewhere.
// CHECK-LABEL: func.func @position
// CHECK-NOT: memref.load
// CHECK: gpu.launch_func {{.*}}@position__kernel0
// CHECK-NOT: memref.load
// CHECK: gpu.launch_func {{.*}}@position__kernel1
// CHECK: return
func.func @position(%cache: memref<8x?xf32>, %n: memref<i32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pair = arith.constant dense<1.0> : vector<2xf32>
  %scratch = memref.alloc() : memref<4xf32>
  %i = memref.load %n[] : memref<i32>
  %at = arith.index_cast %i : i32 to index
  %row = memref.subview %cache[0, %at] [8, 1] [1, 1] : memref<8x?xf32> to memref<8x1xf32, strided<[?, 1], offset: ?>>
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %c1, %s1 = %c1, %s2 = %c1) {
    vector.store %pair, %scratch[%c0] : memref<4xf32>, vector<2xf32>
    %address = memref.extract_aligned_pointer_as_index %scratch : memref<4xf32> -> index
    %number = arith.index_cast %address : index to i64
    %pointer = llvm.inttoptr %number : i64 to !llvm.ptr<1>
    %last = llvm.getelementptr %pointer[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %v, %last : f32, !llvm.ptr<1>
    nvvm.barrier0
    gpu.terminator
  }
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %c1, %s1 = %c1, %s2 = %c1) {
    memref.store %v, %row[%c0, %c0] : memref<8x1xf32, strided<[?, 1], offset: ?>>
    gpu.terminator
  }
  memref.dealloc %scratch : memref<4xf32>
  return
}

// Bytes that an address leads to may be anywhere: the host reads in time.
// CHECK-LABEL: func.func @anywhere
// CHECK: memref.load
// CHECK: gpu.launch_func {{.*}}@anywhere__kernel0
func.func @anywhere(%x: memref<?xf32>, %n: memref<i32>, %p: !llvm.ptr<1>, %v: f32) {
  %c1 = arith.constant 1 : index
  %i = memref.load %n[] : memref<i32>
  %at = arith.index_cast %i : i32 to index
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %c1, %s1 = %c1, %s2 = %c1) {
    llvm.store %v, %p : f32, !llvm.ptr<1>
    gpu.terminator
  }
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %c1, %s1 = %c1, %s2 = %c1) {
    memref.store %v, %x[%at] : memref<?xf32>
    gpu.terminator
  }
  return
}

// One that leaves its threads other registers is another.
// CHECK-LABEL: func.func @blocks
// CHECK: gpu.launch_func @attn_kernels::@blocks__kernel0
func.func @blocks(%x: memref<?xf32, strided<[?], offset: ?>>, %n: memref<i32>, %v: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %t = memref.get_global @table : memref<2xf32>
  %i = memref.load %n[] : memref<i32>
  gpu.launch blocks(%b0, %b1, %b2) in (%g0 = %c1, %g1 = %c1, %g2 = %c1)
      threads(%t0, %t1, %t2) in (%s0 = %c64, %s1 = %c1, %s2 = %c1) {
    %at = arith.index_cast %i : i32 to index
    %a = memref.load %t[%c1] : memref<2xf32>
    %sum = arith.addf %a, %v : f32
    memref.store %sum, %x[%at] : memref<?xf32, strided<[?], offset: ?>>
    gpu.terminator
  } {nvvm.minctasm = 2 : i32}
  return
}
