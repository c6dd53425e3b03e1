// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector | FileCheck %s

// Frequencies are constants, equal ones the same.
// CHECK-COUNT-1: memref.global "private" constant @attn_frequencies : memref<32xf64>
// CHECK-NOT: memref<32xf64> = dense

// A work item holds the sines and cosines of its positions, not of all: a block
// of 16, and rows of f64 for the way from one position to the next. No other
// memory is taken. Then all heads turn by them, past the caches where the
// output is large and aligned.
// CHECK-LABEL: @halves
// CHECK: scf.forall
// CHECK: %[[TABLE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x64xf32>
// CHECK: %[[STATE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x32xf64>
// CHECK: %[[STEP:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x32xf64>
// CHECK-NOT: memref.alloc(
// Sixteen pairs are sixteen numbers of f64.
// CHECK: vector.store %{{.*}}, %[[STEP]]{{.*}} : memref<2x32xf64>, vector<16xf64>
// CHECK: arith.truncf %{{.*}} : vector<16xf64> to vector<16xf32>
// CHECK: vector.store %{{.*}}, %[[TABLE]]
// CHECK: } else {
// CHECK: scf.if
// CHECK: vector.load %[[TABLE]]
// CHECK: vector.store {{.*}}nontemporal = true{{.*}} : memref<4x4096x64xf32>, vector<16xf32>
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: memref.dealloc %[[TABLE]]
// CHECK: llvm.fence seq_cst
func.func @halves(%x: memref<4x4096x64xf32>, %y: memref<4x4096x64xf32>) {
  attn.rope pairs(half_split) schedule(#attn.position_schedule<rows = 16, lanes = 16, stream = 1024>) ins(%x : memref<4x4096x64xf32>) outs(%y : memref<4x4096x64xf32>)
  return
}

// Neighbours are swapped in the vector, and have their sines with signs in the
// table. The last vector is masked, the rest of a row copied.
// CHECK-LABEL: @neighbours
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<16x64xf32>
// CHECK: vector.maskedload
// CHECK: vector.shuffle {{.*}} [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]
// CHECK: vector.maskedstore
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK-NOT: nontemporal
func.func @neighbours(%x: memref<4x4096x40xbf16>, %y: memref<4x4096x40xbf16>) {
  attn.rope rotary_dim(20) schedule(#attn.position_schedule<rows = 16, lanes = 16, stream = 1024>) ins(%x : memref<4x4096x40xbf16>) outs(%y : memref<4x4096x40xbf16>)
  return
}

// Elements that do not lie side by side are taken one by one.
// CHECK-LABEL: @strided
// CHECK: memref.load %{{.*}} : memref<8x64xf32, strided<[128, 2]>>
// CHECK-NOT: vector.load %{{.*}} : memref<8x64xf32, strided<[128, 2]>>
// CHECK: return
func.func @strided(%x: memref<8x64xf32, strided<[128, 2]>>, %y: memref<8x64xf32>) {
  attn.rope schedule(#attn.position_schedule<rows = 4, lanes = 16, stream = 1024>) ins(%x : memref<8x64xf32, strided<[128, 2]>>) outs(%y : memref<8x64xf32>)
  return
}

// Positions that are given, and angles whose sines stay f64, are no steps of
// each other: there are no rows for them.
// CHECK-LABEL: @given
// CHECK: memref.load %{{.*}} : memref<8xi32>
// CHECK-NOT: memref<2x32xf64>
// CHECK: return
func.func @given(%p: memref<8xi32>, %y: memref<8x64xf32>) {
  attn.sinusoidal_positions schedule(#attn.position_schedule<rows = 4, lanes = 16, stream = 1024>) positions(%p : memref<8xi32>) outs(%y : memref<8x64xf32>)
  return
}

// CHECK-LABEL: @wide
// CHECK-NOT: memref<2x32xf64>
// CHECK: return
func.func @wide(%y: memref<8x64xf64>) {
  attn.sinusoidal_positions schedule(#attn.position_schedule<rows = 4, lanes = 8, stream = 1024>) outs(%y : memref<8x64xf64>)
  return
}

// A row is made once, whatever the batch, and copied.
// CHECK-LABEL: @batch
// CHECK: scf.forall (%{{.*}}) in (%{{.*}}) {
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<64xf32>
// CHECK: memref.dealloc
func.func @batch(%y: memref<3x8x64xf32>) {
  attn.sinusoidal_positions pairs(half_split) schedule(#attn.position_schedule<rows = 4, lanes = 16, stream = 1000000>) outs(%y : memref<3x8x64xf32>)
  return
}

// An offset for each index of the first dimension makes it one of the items'.
// CHECK-LABEL: @offsets
// CHECK: scf.forall (%[[FIRST:.*]], %{{.*}}) in
// CHECK: memref.load %{{.*}}[%[[FIRST]]] : memref<3xi64>
func.func @offsets(%o: memref<3xi64>, %y: memref<3x8x64xf32>) {
  attn.sinusoidal_positions schedule(#attn.position_schedule<rows = 4, lanes = 16, stream = 1000000>) offset(%o : memref<3xi64>) outs(%y : memref<3x8x64xf32>)
  return
}
