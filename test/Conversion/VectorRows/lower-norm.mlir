// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector | FileCheck %s

// The first pass reads memory and takes the sum, the second one the squares
// around the mean; the last one asks for the next row and writes past the
// caches where the output is large and its rows are aligned.
// CHECK-LABEL: @layer
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<128x1024xf32>, vector<16xf32>
// CHECK: arith.addf
// CHECK: arith.subf
// CHECK: math.fma
// CHECK: scf.if
// CHECK: memref.prefetch
// CHECK: vector.store {{.*}}nontemporal = true{{.*}} : memref<128x1024xf32>, vector<16xf32>
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: llvm.fence seq_cst
func.func @layer(%x: memref<128x1024xf32>, %y: memref<128x1024xf32>) {
  attn.norm layer axes [1] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 64, lanes = 16, unroll = 4, stream = 1024>) ins(%x : memref<128x1024xf32>) outs(%y : memref<128x1024xf32>)
  return
}

// A small output stays in the caches.
// CHECK-LABEL: @small
// CHECK-NOT: nontemporal
// CHECK-NOT: llvm.fence
// CHECK: return
func.func @small(%x: memref<128x1024xf32>, %y: memref<128x1024xf32>) {
  attn.norm rms axes [1] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 64, lanes = 16, unroll = 4, stream = 1000000>) ins(%x : memref<128x1024xf32>) outs(%y : memref<128x1024xf32>)
  return
}

// The sum of a row is kept beside the caller's memory, rounded to its type as
// the addition alone would have been.
// CHECK-LABEL: @residual
// CHECK: scf.forall
// CHECK-NOT: scf.for
// CHECK: %[[ROW:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : vector<16xf32>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : vector<16xf32> to vector<16xf16>
// CHECK: %[[STORED:.*]] = arith.extf %[[ROUNDED]]
// CHECK: vector.store %[[STORED]], %[[ROW]]
// CHECK: memref.dealloc %[[ROW]]
func.func @residual(%x: memref<128x1024xf16>, %y: memref<128x1024xf16>, %s: memref<128x1024xf16>) {
  attn.norm rms axes [1] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 64, lanes = 16, unroll = 4, stream = 1000000>) ins(%x : memref<128x1024xf16>) residual(%x : memref<128x1024xf16>) outs(%y : memref<128x1024xf16>) sum(%s : memref<128x1024xf16>)
  return
}

// Where it is large, one pass writes a row and reads the next one: each element
// of the scratch row is read just before it is written. What is loaded comes
// before what is stored past the caches.
// CHECK-LABEL: @in_turn
// CHECK: scf.forall
// CHECK: %[[ROW:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)
// CHECK: scf.if
// CHECK: vector.load %[[ROW]][%{{.*}}]
// CHECK-NOT: nontemporal
// CHECK-COUNT-2: vector.load %{{.*}} : memref<128x1024xf32>, vector<16xf32>
// CHECK-NOT: nontemporal
// CHECK: vector.store %{{.*}}, %[[ROW]][%{{.*}}]
// CHECK: math.fma
// CHECK-NEXT: vector.store {{.*}}nontemporal = true{{.*}} : memref<128x1024xf32>, vector<16xf32>
// CHECK-NEXT: vector.store {{.*}}nontemporal = true{{.*}} : memref<128x1024xf32>, vector<16xf32>
// CHECK: memref.dealloc %[[ROW]]
func.func @in_turn(%x: memref<128x1024xf32>, %y: memref<128x1024xf32>, %s: memref<128x1024xf32>) {
  attn.norm rms axes [1] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 64, lanes = 16, unroll = 4, stream = 1024>) ins(%x : memref<128x1024xf32>) residual(%x : memref<128x1024xf32>) outs(%y : memref<128x1024xf32>) sum(%s : memref<128x1024xf32>)
  return
}

// Elements that do not lie side by side are taken one by one.
// CHECK-LABEL: @strided
// CHECK-NOT: vector.load
// CHECK: return
func.func @strided(%x: memref<8x64xf32, strided<[128, 2]>>, %y: memref<8x64xf32>) {
  attn.norm rms axes [1] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 64, lanes = 16, unroll = 4, stream = 1000000>) ins(%x : memref<8x64xf32, strided<[128, 2]>>) outs(%y : memref<8x64xf32>)
  return
}
