// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4-bf16 --attn-lower-to-vector -canonicalize -cse | FileCheck %s

#tile = strided<[?, 1], offset: ?>
#query = affine_map<(m, n, d, e) -> (m, d)>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// Rows 2i and 2i + 1 of the transposed query become row i; beside the last of
// five stand zeros.
// CHECK-LABEL: func.func @pack
// CHECK-SAME: %{{[a-z0-9]+}}: memref<?x5xbf16{{.*}}, %[[P:[a-z0-9]+]]: memref<5x48xf32>
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c2 step %c1
// CHECK: %[[FIRST:.*]] = arith.muli %[[STEP]], %c2
// CHECK: %[[A:.*]] = vector.load %[[P]][%[[FIRST]], %[[M:.*]]] : memref<5x48xf32>, vector<16xf32>
// CHECK: %[[NEXT:.*]] = arith.addi %[[FIRST]], %c1
// CHECK: %[[B:.*]] = vector.load %[[P]][%[[NEXT]], %[[M]]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.cvtne2ps2bf16.512"(%[[B]], %[[A]])
// CHECK: vector.shuffle {{.*}} [0, 16, 1, 17, {{.*}}, 15, 31]
// CHECK: vector.store %{{.*}}, %[[P]][%[[STEP]], %[[M]]]
// CHECK: %[[LAST:.*]] = vector.load %[[P]][%c4,
// CHECK: "llvm.x86.avx512bf16.cvtne2ps2bf16.512"(%cst{{.*}}, %[[LAST]])
// CHECK: vector.store %{{.*}}, %[[P]][%c2,
func.func @pack(%q: memref<?x5xbf16, #tile>, %packed: memref<5x48xf32>, %scales: memref<48xf32>, %i: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, instruction = bf16_pairs, sumRounded = true>)
      indexing_maps [#query, #packed, #row]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c5, %c5)
      ins(%q : memref<?x5xbf16, #tile>) outs(%packed, %scales : memref<5x48xf32>, memref<48xf32>)
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// Two elements of a key are one load; values become pairs of keys once, before
// the groups of rows. Weights are rounded in the place of their scores, and the
// sum takes what they were rounded to: no f32 addition stands between.
// CHECK-LABEL: func.func @online
// CHECK-SAME: %[[K:[a-z0-9]+]]: memref<?x64xbf16, {{[^>]*}}>>, %[[V:[a-z0-9]+]]: memref<?x40xbf16
// CHECK-DAG: %[[VS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x40xf32>
// CHECK-DAG: %[[S:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x48xf32>
// CHECK: %[[PAIRS:.*]] = memref.subview %[[VS]]
// CHECK-COUNT-2: vector.load %[[V]]{{.*}} : {{.*}}, vector<32xbf16>
// CHECK: vector.shuffle {{.*}} [0, 32, 1, 33, {{.*}}, 15, 47]
// CHECK: vector.store %{{.*}}, %[[PAIRS]]
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c48
// CHECK: memref.extract_aligned_pointer_as_index %[[K]]
// CHECK: %{{.*}}:24 = scf.for %{{.*}} = %c0 to %c32 step %c1 iter_args(
// CHECK: %[[TWO:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i32
// CHECK: arith.bitcast %[[TWO]] : i32 to f32
// CHECK-COUNT-24: "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK: "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK-NOT: arith.addf
// CHECK: "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
// CHECK: vector.store %{{.*}}, %[[S]]
// CHECK: "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: memref.extract_aligned_pointer_as_index %[[PAIRS]]
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-COUNT-24: "llvm.x86.avx512bf16.dpbf16ps.512"
func.func @online(%q: memref<64x96xf32>, %k: memref<?x64xbf16, #tile>, %v: memref<?x40xbf16, #tile>,
                  %acc: memref<40x96xf32>, %max: memref<96xf32>, %sum: memref<96xf32>,
                  %i: index, %j: index, %m: index, %n: index) {
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3, instruction = bf16_pairs, sumRounded = true>)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %j, %c64, %c40) sizes(%m, %n, %c64, %c40)
      ins(%q, %k, %v : memref<64x96xf32>, memref<?x64xbf16, #tile>, memref<?x40xbf16, #tile>)
      outs(%acc, %max, %sum : memref<40x96xf32>, memref<96xf32>, memref<96xf32>)
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key_t = affine_map<(m, n, d, e) -> (d, n)>
#value_t = affine_map<(m, n, d, e) -> (e, n)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// Keys stored as [d, n] become pairs of rows; of values stored as [e, n],
// neighbours are pairs as they lie.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: %[[K:[a-z0-9]+]]: memref<24x?xbf16, {{[^>]*}}>>, %[[V:[a-z0-9]+]]: memref<16x?xbf16
// CHECK: %[[KS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<12x64xf32>
// CHECK: %[[KEYS:.*]] = memref.subview %[[KS]]
// CHECK: vector.load %[[K]]
// CHECK-NOT: vector.load %[[V]]
// CHECK: memref.extract_aligned_pointer_as_index %[[KEYS]]
// CHECK: memref.extract_aligned_pointer_as_index %[[V]]
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i32
func.func @transposed(%q: memref<24x48xf32>, %k: memref<24x?xbf16, #tile>, %v: memref<16x?xbf16, #tile>,
                      %acc: memref<16x48xf32>, %max: memref<48xf32>, %sum: memref<48xf32>,
                      %i: index, %j: index, %m: index, %n: index) {
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, instruction = bf16_pairs>)
      indexing_maps [#packed, #key_t, #value_t, #acc, #row, #row]
      origin(%i, %j, %c24, %c16) sizes(%m, %n, %c24, %c16)
      ins(%q, %k, %v : memref<24x48xf32>, memref<24x?xbf16, #tile>, memref<16x?xbf16, #tile>)
      outs(%acc, %max, %sum : memref<16x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// -----

#query = affine_map<(h, m, n, d, e) -> (h, m, d)>
#key = affine_map<(h, m, n, d, e) -> (n, d)>
#value = affine_map<(h, m, n, d, e) -> (n, e)>
#acc = affine_map<(h, m, n, d, e) -> (h, m, e)>
#row = affine_map<(h, m, n, d, e) -> (h, m)>
#schedule = #attn.schedule<rows = 2, keys = 64, lanes = 16, mr = 2, nr = 2, splitKeys = 512, items = 64, instruction = bf16_pairs>

// Decoding takes pairs along the head of a key as it lies, and two rows of
// values at a time, once for all rows of queries. Where a key is hidden its
// value is left out of the pair. The sum is that of the weights before they are
// rounded, since the schedule does not say otherwise.
// CHECK-LABEL: func.func @decode(
// CHECK-SAME: %[[Q:[^:]*]]: memref<2x1x40xbf16>, %[[K:[^:]*]]: memref<?x40xbf16>, %[[V:[^:]*]]: memref<?x32xbf16>
// CHECK: "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c64
// CHECK: vector.load %[[K]]{{.*}} vector<32xbf16>
// CHECK: "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: vector.maskedload %[[K]]{{.*}} into vector<32xbf16>
// CHECK-NOT: arith.extf
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c32
// CHECK: "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
// CHECK-COUNT-2: vector.load %[[V]]{{.*}} vector<32xbf16>
// CHECK: vector.shuffle {{.*}} [0, 32, 1, 33, {{.*}}, 15, 47]
// CHECK: vector.shuffle {{.*}} [16, 48, {{.*}}, 31, 63]
// CHECK: %[[SEEN:.*]] = arith.cmpi ne, %{{.*}} : vector<32xi16>
// CHECK: arith.select %[[SEEN]], {{.*}} : vector<32xi1>, vector<32xi16>
// CHECK-COUNT-4: "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: memref.prefetch %[[K]]
func.func @decode(%q: memref<2x1x40xbf16>, %k: memref<?x40xbf16>, %v: memref<?x32xbf16>, %mask: memref<?xi1>,
                  %acc: memref<2x1x32xf32>, %max: memref<2x1xf32>, %sum: memref<2x1xf32>, %i: index) {
  attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask] schedule(#schedule)
      indexing_maps [#query, #key, #value, affine_map<(h, m, n, d, e) -> (n)>, #acc, #row, #row]
      origin(%i, %i, %i, %i, %i) sizes(%i, %i, %i, %i, %i)
      ins(%q, %k, %v : memref<2x1x40xbf16>, memref<?x40xbf16>, memref<?x32xbf16>) params(%mask : memref<?xi1>)
      outs(%acc, %max, %sum : memref<2x1x32xf32>, memref<2x1xf32>, memref<2x1xf32>)
  return
}
