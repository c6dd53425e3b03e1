// RUN: attn-opt %s --attn-host-to-llvm --reconcile-unrealized-casts | FileCheck %s

// All dialects at once: memory, control flow, vectors, and a function that only
// the C library has.

// CHECK:       llvm.func @erfcf(f32) -> f32
// CHECK-LABEL: llvm.func @all
// CHECK:         llvm.load {{.*}} : !llvm.ptr -> f32
// CHECK:         llvm.intr.exp
// CHECK:         llvm.call @erfcf
// CHECK:         llvm.cond_br
// CHECK:         llvm.intr.fmuladd{{.*}}vector<8xf32>
// CHECK-NOT:     {{memref|vector|arith|math|cf|func}}.{{[a-z]}}
func.func @all(%x: memref<?xf32>, %i: index, %a: vector<8xf32>) -> vector<8xf32> {
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %0 = memref.load %x[%next] : memref<?xf32>
  %1 = math.exp %0 : f32
  %2 = math.erfc %1 : f32
  %zero = arith.constant 0.0 : f32
  %positive = arith.cmpf ogt, %2, %zero : f32
  cf.cond_br %positive, ^bb1, ^bb2
^bb1:
  %3 = vector.broadcast %2 : f32 to vector<8xf32>
  %4 = vector.fma %3, %a, %a : vector<8xf32>
  return %4 : vector<8xf32>
^bb2:
  return %a : vector<8xf32>
}

// A size by a constant number is a field; by another one it would be looked up
// in memory.

// CHECK-LABEL: llvm.func @size
// CHECK-NOT:     llvm.alloca
// CHECK:         llvm.return
func.func @size(%x: memref<?x?xf32>) -> index {
  %one = arith.constant 1 : index
  %0 = memref.dim %x, %one : memref<?x?xf32>
  return %0 : index
}

// Narrow floats are widened and rounded by integers.

// CHECK-LABEL: llvm.func @narrow
// CHECK-NOT:     llvm.fptrunc
// CHECK:         llvm.trunc {{.*}} : i32 to i16
func.func @narrow(%x: f32) -> bf16 {
  %0 = arith.truncf %x : f32 to bf16
  return %0 : bf16
}

// Kernels of a GPU beside them stay.

// CHECK: gpu.module @kernels
// CHECK:   arith.addf
gpu.module @kernels {
  gpu.func @k(%x: f32) kernel {
    %0 = arith.addf %x, %x : f32
    gpu.return
  }
}
