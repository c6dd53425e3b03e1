// RUN: attn-opt %s --attn-verify-kernel | FileCheck %s

// Scratch before the loop of a body, and anywhere outside bodies, is fine.
// CHECK-LABEL: func.func @good
func.func @good(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.alloc() : memref<4xf32>
    memref.dealloc %0 : memref<4xf32>
  }
  scf.forall (%j) in (%n) {
    %0 = memref.alloca() : memref<16xf32>
    scf.for %i = %c0 to %n step %c1 {
      %v = vector.load %0[%c0] : memref<16xf32>, vector<16xf32>
      %w = vector.fma %v, %v, %v : vector<16xf32>
      vector.store %w, %0[%c0] : memref<16xf32>, vector<16xf32>
    }
  }
  return
}
