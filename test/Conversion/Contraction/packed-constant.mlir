// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v3 --attn-lower-contractions -canonicalize 2>&1 | FileCheck %s

memref.global "private" constant @weight : memref<5x20xf32> = dense<[[-5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0], [2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0], [-2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0], [5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0], [1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0, -5.0, -2.0, 1.0, 4.0, -4.0, -1.0, 2.0, 5.0, -3.0, 0.0, 3.0]]>
memref.global "private" constant @columns : memref<20x5xf32> = dense<[[-5.0, 2.0, -2.0, 5.0, 1.0], [-2.0, 5.0, 1.0, -3.0, 4.0], [1.0, -3.0, 4.0, 0.0, -4.0], [4.0, 0.0, -4.0, 3.0, -1.0], [-4.0, 3.0, -1.0, -5.0, 2.0], [-1.0, -5.0, 2.0, -2.0, 5.0], [2.0, -2.0, 5.0, 1.0, -3.0], [5.0, 1.0, -3.0, 4.0, 0.0], [-3.0, 4.0, 0.0, -4.0, 3.0], [0.0, -4.0, 3.0, -1.0, -5.0], [3.0, -1.0, -5.0, 2.0, -2.0], [-5.0, 2.0, -2.0, 5.0, 1.0], [-2.0, 5.0, 1.0, -3.0, 4.0], [1.0, -3.0, 4.0, 0.0, -4.0], [4.0, 0.0, -4.0, 3.0, -1.0], [-4.0, 3.0, -1.0, -5.0, 2.0], [-1.0, -5.0, 2.0, -2.0, 5.0], [2.0, -2.0, 5.0, 1.0, -3.0], [5.0, 1.0, -3.0, 4.0, 0.0], [-3.0, 4.0, 0.0, -4.0, 3.0]]>
memref.global "private" @variable : memref<5x20xf32> = dense<1.0>

// A constant weight lies in memory as the loops read it: three steps of two terms, each with three panels of eight columns;
// the last panel and the last step are filled up with zeros. Both layouts of it are one constant. Nothing is packed at a
// call, and a block finds its panels by its columns and its step.
// CHECK: memref.global "private" constant @weight_panels : memref<3x3x2x8xf32> = dense<"0x0000A0C0000000C00000803F00008040000080C0000080BF000000400000A040000000400000A040000040C000000000000040400000A0C0000000C00000803F000040C000000000000040400000A0C0000000C00000803F00008040000080C000008040000080C0000080BF000000400000A040000040C00000000000004040000080BF000000400000A040000040C0000000000000000000000000000000000000A0C0000000C00000803F0000804000000000000000000000000000000000000000C00000803F00008040000080C0000080BF000000400000A040000040C00000A040000040C000000000000040400000A0C0000000C00000803F0000804000000000000040400000A0C0000000C00000803F00008040000080C0000080BF000080C0000080BF000000400000A040000040C000000000000040400000A0C0000000400000A040000040C00000000000000000000000000000000000000000000000C00000803F00008040000080C0000000000000000000000000000000000000803F00008040000080C0000080BF000000400000A040000040C0000000000000000000000000000000000000000000000000000000000000000000000000000040400000A0C0000000C00000803F00008040000080C0000080BF0000004000000000000000000000000000000000000000000000000000000000000000000000A040000040C00000000000004040000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000">
// CHECK-NOT: _panels
// CHECK-LABEL: func.func @constant(
// CHECK-DAG: %[[FIRST:.*]] = memref.get_global @weight_panels
// CHECK: scf.forall (%{{.*}}, %[[GROUP:.*]]) in (2, 2)
// CHECK: %[[PANEL:.*]] = arith.muli %[[GROUP]], %c2
// CHECK-NOT: memref.alloc() {{.*}}memref<2x10x8xf32>
// CHECK: scf.for %[[TERM:.*]] = %c0 to %c5 step %c2
// CHECK: scf.for %[[I:.*]] = %c0 to
// CHECK: %[[STEP:.*]] = arith.divui %[[TERM]], %c2
// CHECK: %[[AT:.*]] = arith.addi %[[PANEL]], %{{.*}}
// CHECK: memref.subview %[[FIRST]][%[[STEP]], %[[AT]], 0, 0] [1, 1, 2, 8]
// Few rows ask for the panel of the next step, or for the first one of the next group: each tile of rows for its share.
// CHECK: %[[THIS:.*]] = arith.divui %[[TERM]], %c2
// CHECK: %[[AFTER:.*]] = arith.addi %[[THIS]], %c1
// CHECK: %[[ENDS:.*]] = arith.cmpi uge, %[[AFTER]], %c3
// CHECK: %[[NEXT:.*]] = arith.select %[[ENDS]], %c0, %[[AFTER]]
// CHECK: %[[NUMBER:.*]] = arith.select %[[ENDS]], %{{.*}}, %{{.*}}
// CHECK: %[[THERE:.*]] = memref.subview %[[FIRST]][%[[NEXT]], %[[NUMBER]], 0, 0] [1, 1, 2, 8]
// CHECK: %[[LINE:.*]] = memref.collapse_shape %[[THERE]]
// CHECK: memref.prefetch %[[LINE]][%{{.*}}], read, locality<2>
// CHECK: memref.get_global @weight_panels
func.func @constant(%x: memref<7x5xf32>, %y: memref<7x20xf32>, %z: memref<7x20xf32>) {
  %w = memref.get_global @weight : memref<5x20xf32>
  %u = memref.get_global @columns : memref<20x5xf32>
  attn.linear schedule(#attn.contraction_schedule<rows = 4, depth = 2, panels = 2, lanes = 8, mr = 2, nr = 1>)
      ins(%x, %w : memref<7x5xf32>, memref<5x20xf32>) outs(%y : memref<7x20xf32>)
  attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 4, depth = 2, panels = 2, lanes = 8, mr = 2, nr = 1>)
      ins(%x, %u : memref<7x5xf32>, memref<20x5xf32>) outs(%z : memref<7x20xf32>)
  return
}

// Arguments, and what may change, are packed at each call.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: memref.alloc() {{.*}}memref<2x10x8xf32>
func.func @others(%x: memref<7x5xf32>, %w: memref<5x20xf32>, %y: memref<7x20xf32>, %z: memref<7x20xf32>) {
  %u = memref.get_global @variable : memref<5x20xf32>
  attn.linear schedule(#attn.contraction_schedule<rows = 4, depth = 2, panels = 2, lanes = 8, mr = 2, nr = 1>)
      ins(%x, %w : memref<7x5xf32>, memref<5x20xf32>) outs(%y : memref<7x20xf32>)
  attn.linear schedule(#attn.contraction_schedule<rows = 4, depth = 2, panels = 2, lanes = 8, mr = 2, nr = 1>)
      ins(%x, %u : memref<7x5xf32>, memref<5x20xf32>) outs(%z : memref<7x20xf32>)
  return
}
