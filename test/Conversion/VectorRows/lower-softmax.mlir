// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector | FileCheck %s
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v3 --attn-lower-to-vector | FileCheck %s --check-prefix=AVX2

// Maximum; weights into scratch memory, with their sum, while the next row is
// asked for; quotients, past the caches where the output is large and its rows
// are aligned. A whole number of vectors needs no mask.
// CHECK-LABEL: @rows
// CHECK: scf.forall
// CHECK: %[[ROW:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
// CHECK-NOT: vector.create_mask
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<128x1024xf32>, vector<16xf32>
// CHECK: arith.cmpf ogt
// CHECK: memref.prefetch
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK: vector.store %{{.*}}, %[[ROW]]
// CHECK: scf.if
// CHECK: vector.store {{.*}}nontemporal = true{{.*}} : memref<128x1024xf32>, vector<16xf32>
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: memref.dealloc %[[ROW]]
// CHECK: llvm.fence seq_cst
// AVX2-LABEL: @rows
// AVX2-NOT: llvm.call_intrinsic
// AVX2: math.exp
func.func @rows(%x: memref<128x1024xf32>, %y: memref<128x1024xf32>) {
  attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 64, lanes = 16, unroll = 4, stream = 1024, whole = 65536, segment = 16384>)
      ins(%x : memref<128x1024xf32>) outs(%y : memref<128x1024xf32>)
  return
}

// Numbers that are widened take longer than memory: a row is written past the caches while the weights of the next one are
// made. The first row has nothing before it, the last one nothing beside it.
// CHECK-LABEL: @turns
// CHECK: "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK-NOT: vector.store {{.*}}memref<128x1024xbf16>
// CHECK: scf.for
// CHECK: scf.if
// CHECK: arith.cmpf ogt
// CHECK: scf.for
// CHECK: memref.prefetch
// CHECK: "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK: vector.store {{.*}}nontemporal = true{{.*}} : memref<128x1024xbf16>, vector<16xbf16>
// CHECK: } else {
// CHECK: vector.store {{.*}} : memref<128x1024xbf16>, vector<16xbf16>
// CHECK: vector.store {{.*}} : memref<128x1024xbf16>, vector<16xbf16>
// CHECK: llvm.fence seq_cst
func.func @turns(%x: memref<128x1024xbf16>, %y: memref<128x1024xbf16>) {
  attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 64, lanes = 16, unroll = 4, stream = 1024, whole = 65536, segment = 16384>)
      ins(%x : memref<128x1024xbf16>) outs(%y : memref<128x1024xbf16>)
  return
}

// What does not fill a vector has a mask; a small output stays in the caches.
// CHECK-LABEL: @rest
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<64xf32>
// CHECK: vector.create_mask
// CHECK: vector.maskedload %{{.*}} : memref<3x50xbf16>
// CHECK-NOT: nontemporal
// CHECK: vector.maskedstore %{{.*}} : memref<3x50xbf16>
// CHECK-NOT: llvm.fence
// CHECK: return
func.func @rest(%x: memref<3x50xbf16>, %y: memref<3x50xbf16>) {
  attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 64, lanes = 16, unroll = 4, stream = 100000, whole = 65536, segment = 16384>)
      ins(%x : memref<3x50xbf16>) outs(%y : memref<3x50xbf16>)
  return
}

// A row that is longer than `whole` is cut: maxima and sums first, then weights.
// CHECK-LABEL: @long
// CHECK: %[[PARTS:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x?x2xf32>
// CHECK: scf.forall
// CHECK: memref.store %{{.*}}, %[[PARTS]]
// CHECK: scf.forall
// CHECK: memref.load %[[PARTS]]
// CHECK: memref.dealloc %[[PARTS]]
func.func @long(%x: memref<8x100000xf32>, %y: memref<8x100000xf32>) {
  attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 4, stream = 100000000, whole = 65536, segment = 16384>)
      ins(%x : memref<8x100000xf32>) outs(%y : memref<8x100000xf32>)
  return
}

// So is one of few; eight are not.
// CHECK-LABEL: @few
// CHECK: memref<?x?x2xf32>
// CHECK: return
// CHECK-LABEL: @many
// CHECK-NOT: x2xf32
// CHECK: return
func.func @few(%x: memref<3x32768xf32>, %y: memref<3x32768xf32>) {
  attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 4, stream = 100000000, whole = 65536, segment = 16384>)
      ins(%x : memref<3x32768xf32>) outs(%y : memref<3x32768xf32>)
  return
}
func.func @many(%x: memref<8x32768xf32>, %y: memref<8x32768xf32>) {
  attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 1, lanes = 16, unroll = 4, stream = 100000000, whole = 65536, segment = 16384>)
      ins(%x : memref<8x32768xf32>) outs(%y : memref<8x32768xf32>)
  return
}

// Where sizes are not known, they decide when it runs.
// CHECK-LABEL: @unknown
// CHECK: scf.if
// CHECK: memref<?x?x2xf32>
// CHECK: } else {
// CHECK-NOT: memref.alloc({{.*}}x2xf32
// CHECK: return
func.func @unknown(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 64, lanes = 16, unroll = 4, stream = 100000000, whole = 65536, segment = 16384>)
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// Along another dimension: two vectors of rows side by side, by way of scratch
// memory; the rest one vector at a time.
// CHECK-LABEL: @across
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<9x32xf32>
// CHECK: scf.if
// CHECK: vector.load %{{.*}} : memref<9x100xf32>, vector<16xf32>
// CHECK: vector.store %{{.*}} : memref<9x32xf32>, vector<16xf32>
// CHECK: } else {
// CHECK: vector.create_mask
// CHECK: vector.maskedload
func.func @across(%x: memref<9x100xf32>, %y: memref<9x100xf32>) {
  attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0) schedule(#attn.softmax_schedule<rows = 4, lanes = 16, unroll = 2, stream = 100000, whole = 65536, segment = 16384>)
      ins(%x : memref<9x100xf32>) outs(%y : memref<9x100xf32>)
  return
}

// Elements that do not lie side by side are taken one by one.
// CHECK-LABEL: @strided
// CHECK-NOT: vector.load %{{.*}}strided
// CHECK: return
func.func @strided(%x: memref<8x64xf32, strided<[128, 2]>>, %y: memref<8x64xf32>) {
  attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.softmax_schedule<rows = 4, lanes = 16, unroll = 2, stream = 100000, whole = 65536, segment = 16384>)
      ins(%x : memref<8x64xf32, strided<[128, 2]>>) outs(%y : memref<8x64xf32>)
  attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0) schedule(#attn.softmax_schedule<rows = 4, lanes = 16, unroll = 2, stream = 100000, whole = 65536, segment = 16384>)
      ins(%x : memref<8x64xf32, strided<[128, 2]>>) outs(%y : memref<8x64xf32>)
  return
}
