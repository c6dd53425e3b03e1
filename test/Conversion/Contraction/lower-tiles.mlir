// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4-amx --attn-lower-contractions -canonicalize -cse | FileCheck %s
// RUN: not attn-opt %s --attn-set-target=target=cpu:x86-64-v4-bf16 --attn-lower-contractions 2>&1 | FileCheck %s --check-prefix=LACKS

// 51 terms are two tiles of 32. Panels are those of pairs, with zeros in the steps from 26 to 32; rows of the left operand
// are copied with zeros behind the last of 19 terms, and those of the next rows are asked for. Four tiles of sums, two of
// each operand; the sums go to scratch, and from there row by row to the output, those of the panel before beside the
// products: of the second register tile 18 rows. Rows of the scratch are 192 bytes apart, of the panel 128, and a tile of
// it has 16.
// CHECK-LABEL: @rows
// CHECK-DAG: %[[T0:.*]] = llvm.mlir.constant(0 : i8)
// CHECK-DAG: %[[T1:.*]] = llvm.mlir.constant(1 : i8)
// CHECK-DAG: %[[T2:.*]] = llvm.mlir.constant(2 : i8)
// CHECK-DAG: %[[T3:.*]] = llvm.mlir.constant(3 : i8)
// CHECK-DAG: %[[T4:.*]] = llvm.mlir.constant(4 : i8)
// CHECK-DAG: %[[T5:.*]] = llvm.mlir.constant(5 : i8)
// CHECK-DAG: %[[T6:.*]] = llvm.mlir.constant(6 : i8)
// CHECK-DAG: %[[T7:.*]] = llvm.mlir.constant(7 : i8)
// CHECK: %[[PANELS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x40x32xf32>
// CHECK: %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x96xbf16>
// CHECK: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x32xf32>
// CHECK: scf.for %[[STEP:.*]] = %c26 to %c32
// CHECK-NEXT: vector.store %cst, %[[PANELS]][%{{.*}}, %[[STEP]], %c0]
// CHECK-NEXT: vector.store %cst, %[[PANELS]][%{{.*}}, %[[STEP]], %c16]
// CHECK: %[[MASK:.*]] = vector.constant_mask [19] : vector<32xi1>
// CHECK-NEXT: %[[ENDS:.*]] = vector.maskedload %{{.*}}[%{{.*}}, %c32], %[[MASK]]
// CHECK-NEXT: vector.store %[[ENDS]], %[[ROWS]][%{{.*}}, %c32]
// CHECK: scf.for %[[PANEL:.*]] = %c0 to %c2 step %c1
// CHECK-COUNT-128: memref.prefetch %arg0
// CHECK-NOT: memref.prefetch
// CHECK: %[[SECOND:.*]] = arith.cmpi ne, %[[PANEL]], %c0
// CHECK-NEXT: %[[EACH:.*]] = arith.select %[[SECOND]], %c16, %c0
// CHECK: "llvm.x86.tilezero"(%[[T0]])
// CHECK-NEXT: "llvm.x86.tilezero"(%[[T1]])
// CHECK-NEXT: "llvm.x86.tilezero"(%[[T2]])
// CHECK-NEXT: "llvm.x86.tilezero"(%[[T3]])
// CHECK-NEXT: scf.for %[[CHUNK:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT: %[[C:.*]] = arith.index_cast %[[CHUNK]]
// CHECK-NEXT: %[[B:.*]] = arith.muli %[[C]], %c2048_i64
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[B]]]
// CHECK-COUNT-16: llvm.intr.prefetch
// CHECK: "llvm.x86.tileloadd64"(%[[T6]], %{{.*}}, %c128_i64)
// CHECK-COUNT-16: llvm.intr.prefetch
// CHECK: "llvm.x86.tileloadd64"(%[[T7]], %{{.*}}, %c128_i64)
// CHECK-NEXT: %[[A:.*]] = arith.muli %[[C]], %c64_i64
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[A]]]
// CHECK-NEXT: "llvm.x86.tileloadd64"(%[[T4]], %{{.*}}, %c192_i64)
// CHECK-NEXT: "llvm.x86.tdpbf16ps"(%[[T0]], %[[T4]], %[[T6]])
// CHECK-NEXT: "llvm.x86.tdpbf16ps"(%[[T1]], %[[T4]], %[[T7]])
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: "llvm.x86.tileloadd64"(%[[T5]], %{{.*}}, %c192_i64)
// CHECK-NEXT: "llvm.x86.tdpbf16ps"(%[[T2]], %[[T5]], %[[T6]])
// CHECK-NEXT: "llvm.x86.tdpbf16ps"(%[[T3]], %[[T5]], %[[T7]])
// CHECK: %[[FROM:.*]] = arith.muli %[[CHUNK]], %[[EACH]]
// CHECK: scf.for %[[R:.*]] = %[[FROM]] to
// CHECK-COUNT-2: vector.load %{{.*}}[%[[R]],
// CHECK: vector.store %{{.*}}, %arg2
// CHECK-NOT: "llvm.x86.tile
// CHECK: "llvm.x86.tilestored64"(%[[T0]], %{{.*}}, %c128_i64)
// CHECK-COUNT-3: "llvm.x86.tilestored64"
// CHECK: %[[LAST:.*]] = memref.subview %[[SUMS]][32, 0] [32, 32]
// CHECK-NEXT: scf.for %[[R:.*]] = %c0 to %c32 step %c1
// CHECK-NEXT: vector.load %[[LAST]][%[[R]], %c0]
// CHECK-NEXT: vector.load %[[LAST]][%[[R]], %c16]
// CHECK-NEXT: vector.store %{{.*}} : memref<50x64xf32>
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: "llvm.x86.tilestored64"
// CHECK: scf.for %{{.*}} = %c0 to %c18 step %c1
// CHECK-NOT: dpbf16ps
// LACKS: error: has no lowering to vectors: its schedule multiplies tiles of bf16, which the target has no instruction for
func.func @rows(%x: memref<50x51xbf16>, %w: memref<51x64xbf16>, %y: memref<50x64xf32>) {
  attn.linear schedule(#attn.contraction_schedule<rows = 64, depth = 51, panels = 2, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles>)
      ins(%x, %w : memref<50x51xbf16>, memref<51x64xbf16>) outs(%y : memref<50x64xf32>)
  return
}

// Turned: rows become steps by rows once; 32 columns are the left operand, where they lie, since there are whole tiles of
// them and 64 terms are two tiles; sums are turned on their way to the output.
// CHECK-LABEL: @turned
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<12x64xbf16>, %[[B:[a-z0-9]+]]: memref<64x64xbf16>
// CHECK-DAG: %[[T0:.*]] = llvm.mlir.constant(0 : i8)
// CHECK-DAG: %[[T1:.*]] = llvm.mlir.constant(1 : i8)
// CHECK-DAG: %[[T2:.*]] = llvm.mlir.constant(2 : i8)
// CHECK-DAG: %[[T4:.*]] = llvm.mlir.constant(4 : i8)
// CHECK-DAG: %[[STEPS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x16xf32>
// CHECK-DAG: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x32xf32>
// CHECK-COUNT-16: vector.store %{{.*}}, %[[STEPS]]
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: %[[AT:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: "llvm.x86.tilezero"(%[[T0]])
// CHECK-NEXT: "llvm.x86.tilezero"(%[[T1]])
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: "llvm.x86.tileloadd64"(%[[T4]]
// CHECK: "llvm.x86.tileloadd64"(%[[T2]]
// CHECK-NEXT: "llvm.x86.tdpbf16ps"(%[[T0]], %[[T2]], %[[T4]])
// CHECK: "llvm.x86.tdpbf16ps"(%[[T1]],
// CHECK-COUNT-2: "llvm.x86.tilestored64"
// CHECK-COUNT-32: vector.store %{{.*}}, %[[SUMS]]
// CHECK: scf.for %{{.*}} = %c0 to %c12 step %c1
// CHECK: vector.load %[[SUMS]]
// CHECK: arith.truncf %{{.*}} : vector<16xf32> to vector<16xbf16>
func.func @turned(%a: memref<12x64xbf16>, %b: memref<64x64xbf16>, %c: memref<12x64xbf16>) {
  attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 16, depth = 64, panels = 2, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles, turned = true>)
      ins(%a, %b : memref<12x64xbf16>, memref<64x64xbf16>) outs(%c : memref<12x64xbf16>)
  return
}
