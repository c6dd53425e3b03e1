// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4-bf16 --attn-lower-contractions | FileCheck %s
// RUN: not attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-contractions 2>&1 | FileCheck %s --check-prefix=LACKS

// Two rows of the weight become one of a panel, each pair in the bits of an f32, two vectors of columns from one load of each;
// the last row has no second term. Rows of the left operand stay bf16, and two neighbours are loaded at once.
// CHECK-LABEL: @rows
// CHECK: %[[PANELS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x40x32xf32>
// CHECK: %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x83xbf16>
// CHECK: scf.for
// CHECK: %[[FIRST:.*]] = vector.load %{{.*}} : memref<51x64xbf16, {{.*}}>, vector<32xbf16>
// CHECK: %[[SECOND:.*]] = vector.load %{{.*}} : memref<51x64xbf16, {{.*}}>, vector<32xbf16>
// CHECK: %[[A:.*]] = vector.bitcast %[[FIRST]] : vector<32xbf16> to vector<32xi16>
// CHECK: %[[B:.*]] = vector.bitcast %[[SECOND]] : vector<32xbf16> to vector<32xi16>
// CHECK: %[[PAIR:.*]] = vector.shuffle %[[A]], %[[B]] [0, 32, 1, 33, {{.*}}, 15, 47]
// CHECK: %[[BITS:.*]] = vector.bitcast %[[PAIR]] : vector<32xi16> to vector<16xf32>
// CHECK: vector.shuffle {{.*}} [16, 48, 17, 49, {{.*}}, 31, 63]
// CHECK: vector.store %[[BITS]], %[[PANELS]]
// CHECK: vector.store %{{.*}}, %[[PANELS]]
// CHECK: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : vector<32xbf16>
// CHECK: vector.bitcast %[[NONE]]
// CHECK-COUNT-2: vector.store %{{.*}}, %[[PANELS]]
// CHECK: vector.store %{{.*}} : memref<8x51xbf16, strided<[83, 1]
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK: llvm.load %{{.*}} -> i32
// CHECK: "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: scf.yield
// CHECK: llvm.load %{{.*}} -> bf16
// CHECK-NOT: arith.extf
// CHECK-NOT: vector.fma
// LACKS: error: has no lowering to vectors: its schedule multiplies pairs of bf16, which the target has no instruction for
func.func @rows(%x: memref<32x51xbf16>, %w: memref<51x64xbf16>, %y: memref<32x64xf32>) {
  attn.linear schedule(#attn.contraction_schedule<rows = 32, depth = 51, panels = 1, lanes = 16, mr = 8, nr = 2, instruction = bf16_pairs>)
      ins(%x, %w : memref<32x51xbf16>, memref<51x64xbf16>) outs(%y : memref<32x64xf32>)
  return
}

// With the weight [out, in] pairs are neighbours: 32 terms of each of 16 columns are transposed in units of 32 bits, the
// last 19 under a mask, so that what fills up the last pair is 0.
// CHECK-LABEL: @columns
// CHECK: %[[PANELS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x40x32xf32>
// CHECK: vector.load %{{.*}} : memref<64x51xbf16, strided<[51, 1], offset: ?>>, vector<32xbf16>
// CHECK-NEXT: vector.bitcast %{{.*}} : vector<32xbf16> to vector<16xf32>
// CHECK-COUNT-16: vector.store %{{.*}}, %[[PANELS]]
// CHECK-COUNT-16: vector.maskedload %{{.*}} : memref<64x51xbf16
// CHECK-COUNT-16: vector.store %{{.*}}, %[[PANELS]]
// CHECK: dpbf16ps
func.func @columns(%x: memref<32x51xbf16>, %w: memref<64x51xbf16>, %y: memref<32x64xf32>) {
  attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 32, depth = 51, panels = 1, lanes = 16, mr = 8, nr = 2, instruction = bf16_pairs>)
      ins(%x, %w : memref<32x51xbf16>, memref<64x51xbf16>) outs(%y : memref<32x64xf32>)
  return
}

// Few rows: 24 vectors of partial sums, of six rows and four columns, with pairs of terms in the lanes; those of sixteen
// columns wait to be added up. Nothing is packed.
// CHECK-LABEL: @dot_tile
// CHECK: %[[PARTS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x6x16xf32>
// CHECK: %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6x352xbf16>
// CHECK-NOT: memref.alloc() {{.*}}x64xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK-COUNT-6: vector.load %{{.*}} : memref<6x320xbf16, strided<[352, 1]>>, vector<32xbf16>
// CHECK: vector.load %{{.*}} : memref<64x320xbf16, strided<[320, 1], offset: ?>>, vector<32xbf16>
// CHECK-COUNT-24: dpbf16ps
// CHECK-NEXT: scf.yield
// CHECK-COUNT-6: vector.store %{{.*}}, %[[PARTS]]
// CHECK: vector.load %[[PARTS]]
func.func @dot_tile(%x: memref<12x320xbf16>, %w: memref<64x320xbf16>, %y: memref<12x64xf32>) {
  attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 12, depth = 320, panels = 4, lanes = 16, mr = 6, nr = 1, instruction = bf16_pairs, direct = true>)
      ins(%x, %w : memref<12x320xbf16>, memref<64x320xbf16>) outs(%y : memref<12x64xf32>)
  return
}

// Rows of the weight that are read where they lie, two at a time. One row of terms takes as long as they do: those of the
// next columns are asked for. Three rows have time to ask for the next ones of their own.
// CHECK-LABEL: @wide_tile
// CHECK-NOT: memref<{{[0-9]+}}x{{[0-9]+}}x256xf32>
// CHECK: memref.prefetch %{{.*}}, read, locality<3>, data : memref<64x1024xbf16
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK-COUNT-2: vector.load %{{.*}} : memref<32x256xbf16, strided<[1024, 1], offset: ?>>, vector<32xbf16>
// CHECK: vector.shuffle {{.*}} [0, 32, 1, 33, {{.*}}, 15, 47]
// CHECK-NOT: locality<2>
// CHECK: dpbf16ps
// CHECK-LABEL: @three_rows
// CHECK-NOT: read, locality<3>, data : memref<64x1024xbf16
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data : memref<32x64xbf16
func.func @wide_tile(%a: memref<1x64xbf16>, %b: memref<64x1024xbf16>, %c: memref<1x1024xf32>) {
  linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 1, depth = 32, panels = 4, lanes = 16, mr = 1, nr = 16, instruction = bf16_pairs, direct = true>}
      ins(%a, %b : memref<1x64xbf16>, memref<64x1024xbf16>) outs(%c : memref<1x1024xf32>)
  return
}
func.func @three_rows(%a: memref<3x64xbf16>, %b: memref<64x1024xbf16>, %c: memref<3x1024xf32>) {
  linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 3, depth = 32, panels = 4, lanes = 16, mr = 3, nr = 4, instruction = bf16_pairs, direct = true>}
      ins(%a, %b : memref<3x64xbf16>, memref<64x1024xbf16>) outs(%c : memref<3x1024xf32>)
  return
}
