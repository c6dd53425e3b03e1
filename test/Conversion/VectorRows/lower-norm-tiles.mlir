// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector | FileCheck %s

// One loop over tiles: their columns are measured eight rows at a time, and read
// again for the output, while the next tile is asked for. Rows are loaded before
// one of them is stored.
// CHECK-LABEL: @whole
// CHECK: scf.forall
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<64xf32>
// CHECK-COUNT-8: vector.load %{{.*}} : memref<128x1024xf32>, vector<16xf32>
// CHECK: memref.prefetch
// CHECK: scf.if
// CHECK: vector.store {{.*}}nontemporal = true{{.*}} : memref<128x1024xf32>, vector<16xf32>
// CHECK-NEXT: vector.store {{.*}}nontemporal = true{{.*}} : memref<128x1024xf32>, vector<16xf32>
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: llvm.fence seq_cst
// CHECK-NOT: scf.forall
// CHECK: return
func.func @whole(%x: memref<128x1024xf32>, %y: memref<128x1024xf32>) {
  attn.norm layer axes [0] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 2, lanes = 16, unroll = 4, stream = 1024, panel = 64>) ins(%x : memref<128x1024xf32>) outs(%y : memref<128x1024xf32>)
  return
}

// The sum with the residual is rounded to its type before it is measured.
// CHECK-LABEL: @residual
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : vector<16xf32>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : vector<16xf32> to vector<16xf16>
// CHECK: arith.extf %[[ROUNDED]]
// CHECK: return
func.func @residual(%x: memref<128x1024xf16>, %y: memref<128x1024xf16>, %s: memref<128x1024xf16>) {
  attn.norm layer axes [0] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 2, lanes = 16, unroll = 4, stream = 10000000, panel = 64>) ins(%x : memref<128x1024xf16>) residual(%x : memref<128x1024xf16>) outs(%y : memref<128x1024xf16>) sum(%s : memref<128x1024xf16>)
  return
}

// Statistics of chunks, their union, and the output.
// CHECK-LABEL: @chunks
// CHECK: memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x1024xf32>
// CHECK: scf.forall
// CHECK: scf.forall
// CHECK: scf.forall
// CHECK-NOT: scf.forall
// CHECK: return
func.func @chunks(%x: memref<128x1024xf32>, %y: memref<128x1024xf32>) {
  attn.norm layer axes [0] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 1, lanes = 16, unroll = 4, stream = 10000000, panel = 64, chunk = 16>) ins(%x : memref<128x1024xf32>) outs(%y : memref<128x1024xf32>)
  return
}

// Given statistics leave nothing to measure.
// CHECK-LABEL: @given
// CHECK: scf.forall
// CHECK: scf.forall
// CHECK-NOT: scf.forall
// CHECK: return
func.func @given(%x: memref<128x1024xf32>, %s: memref<1024xf32>, %y: memref<128x1024xf32>) {
  attn.norm batch axes [0] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 1, lanes = 16, unroll = 4, stream = 10000000, panel = 64, chunk = 16>) ins(%x : memref<128x1024xf32>) statistics(%s, %s : memref<1024xf32>, memref<1024xf32>) outs(%y : memref<128x1024xf32>)
  return
}

// Height and width lie one within the other: their loops are one.
// CHECK-LABEL: @merged
// CHECK: memref.reinterpret_cast %{{.*}} sizes: [2, 3, 1, 49], strides: [147, 49, 7, 1]
// CHECK: return
func.func @merged(%x: memref<2x3x7x7xf32>, %y: memref<2x3x7x7xf32>) {
  attn.norm batch axes [0, 2, 3] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 1, lanes = 16, unroll = 4, stream = 10000000, panel = 64, chunk = 16>) ins(%x : memref<2x3x7x7xf32>) outs(%y : memref<2x3x7x7xf32>)
  return
}

// Here they do not.
// CHECK-LABEL: @apart
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @apart(%x: memref<2x3x7x7xf32, strided<[200, 60, 8, 1]>>, %y: memref<2x3x7x7xf32>) {
  attn.norm batch axes [0, 2, 3] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 1, lanes = 16, unroll = 4, stream = 10000000, panel = 64, chunk = 16>) ins(%x : memref<2x3x7x7xf32, strided<[200, 60, 8, 1]>>) outs(%y : memref<2x3x7x7xf32>)
  return
}
