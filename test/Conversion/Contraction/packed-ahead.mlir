// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v3 --attn-lower-contractions -canonicalize -cse | FileCheck %s

// Few rows ask for the panel that comes next: the one of the next step, or the first one of the next group. Each of three
// tiles of rows asks for two vectors at each of six steps. The third one has nothing left, and asks for what the second did.
memref.global "private" constant @weight : memref<12x64xf32> = dense<1.0>

// CHECK-LABEL: func.func @shares(
// CHECK: scf.for %[[TERM:.*]] = %c0 to %c12 step %c6
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c6 step %c2
// CHECK: scf.for
// CHECK: %[[STEP:.*]] = arith.divui %[[TERM]], %c6
// CHECK: %[[AFTER:.*]] = arith.addi %[[STEP]], %c1
// CHECK: %[[ENDS:.*]] = arith.cmpi uge, %[[AFTER]], %c2
// CHECK: %[[NEXT:.*]] = arith.select %[[ENDS]], %c0, %[[AFTER]]
// CHECK: %[[PANEL:.*]] = memref.subview %{{.*}}[%[[NEXT]], %{{.*}}, 0, 0]
// CHECK: %[[LINE:.*]] = memref.collapse_shape %[[PANEL]]
// CHECK: %[[TILE:.*]] = arith.divui %[[ROW]], %c2
// CHECK: %[[SHARE:.*]] = arith.muli %[[TILE]], %c96
// CHECK: %[[BEGIN:.*]] = arith.minui %[[SHARE]], %c96
// CHECK: scf.for %[[K:[a-z0-9]+]] = %{{[0-9]+}} to %{{[0-9]+}} step %c1
// CHECK: %[[OFFSET:.*]] = arith.muli %[[K]], %c16
// CHECK: %[[AT:.*]] = arith.addi %[[BEGIN]], %[[OFFSET]]
// CHECK: memref.prefetch %[[LINE]][%[[AT]]], read, locality<2>
// CHECK: %[[SECOND:.*]] = arith.addi %[[AT]], %c8
// CHECK: memref.prefetch %[[LINE]][%[[SECOND]]], read, locality<2>
func.func @shares(%x: memref<6x12xf32>, %y: memref<6x64xf32>) {
  %w = memref.get_global @weight : memref<12x64xf32>
  attn.linear schedule(#attn.contraction_schedule<rows = 6, depth = 6, panels = 2, lanes = 8, mr = 2, nr = 4>)
      ins(%x, %w : memref<6x12xf32>, memref<12x64xf32>) outs(%y : memref<6x64xf32>)
  return
}
