// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4-amx --attn-lower-to-vector -canonicalize -cse | FileCheck %s

#tile = strided<[?, 1], offset: ?>
#query = affine_map<(m, n, d, e) -> (m, d)>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// 37 elements of a head are 19 steps, and a tile takes 32.
// CHECK-LABEL: func.func @pack
// CHECK-SAME: %[[P:[a-z0-9]+]]: memref<37x32xf32>
// CHECK: "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
// CHECK: vector.store %{{.*}}, %[[P]][%c18,
// CHECK-NEXT: vector.store %cst{{[_0-9]*}}, %[[P]][%c19,
// CHECK-COUNT-11: vector.store %cst
// CHECK: vector.store %cst{{[_0-9]*}}, %[[P]][%c31,
// CHECK-NOT: vector.store
func.func @pack(%q: memref<?x37xbf16, #tile>, %packed: memref<37x32xf32>, %scales: memref<32xf32>, %i: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c37 = arith.constant 37 : index
  attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, sumRounded = true>)
      indexing_maps [#query, #packed, #row]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c37, %c37)
      ins(%q : memref<?x37xbf16, #tile>) outs(%packed, %scales : memref<37x32xf32>, memref<32xf32>)
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// Keys are read where they lie if they are whole tiles, else copied; values are transposed, before the groups of rows.
// Scores are stored where weights are made of them, and their rows take turns with two maxima. Of 72 value elements 64 are multiplied onto the state in place, in
// two register tiles, and the last 8 in scratch. Behind the last weight stand zeros.
// CHECK-LABEL: func.func @online
// CHECK-SAME: %[[K:[a-z0-9]+]]: memref<?x64xbf16, {{[^>]*}}>>, %[[V:[a-z0-9]+]]: memref<?x72xbf16
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: memref<72x64xf32>
// CHECK-DAG: %[[KS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xbf16>
// CHECK-DAG: %[[VS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<96x64xbf16>
// CHECK-DAG: %[[S:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x32xf32>
// CHECK: %[[REST:.*]] = arith.remui %{{.*}}, %c32
// CHECK-NEXT: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if
// CHECK: vector.load %[[K]]
// CHECK: vector.store %{{.*}}, %[[KS]]
// CHECK-COUNT-2: arith.select %[[WHOLE]], %{{.*}} : i64
// CHECK-COUNT-32: vector.load %[[V]]{{.*}} vector<16xbf16>
// CHECK-COUNT-16: vector.store %{{.*}}, %[[VS]]{{.*}} vector<32xbf16>
// CHECK-COUNT-32: vector.maskedload %[[V]]
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c32
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c32 iter_args
// CHECK-COUNT-4: "llvm.x86.tilezero"
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: "llvm.x86.tilestored64"
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NEXT: vector.load %[[S]]
// CHECK-NEXT: vector.load %[[S]]
// CHECK-NOT: vector.store {{.*}} %[[S]]
// CHECK: scf.yield
// CHECK: arith.addi %{{.*}} : vector<16xi32>
// CHECK: arith.shrui %{{.*}} : vector<16xi32>
// CHECK-NEXT: arith.ori %{{.*}} : vector<16xi32>
// CHECK: vector.store %cst{{[_0-9]*}}, %[[S]]
// CHECK: arith.cmpf une
// CHECK: scf.if
// CHECK: vector.store %{{.*}}, %[[ACC]]
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c32
// CHECK-COUNT-4: "llvm.x86.tileloadd64"
// CHECK-NEXT: scf.for
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: "llvm.x86.tilestored64"
// CHECK: vector.load %[[ACC]]
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"
// CHECK: vector.store %{{.*}}, %[[ACC]]
// CHECK-NOT: dpbf16ps.512
func.func @online(%q: memref<64x64xf32>, %k: memref<?x64xbf16, #tile>, %v: memref<?x72xbf16, #tile>,
                  %acc: memref<72x64xf32>, %max: memref<64xf32>, %sum: memref<64xf32>,
                  %i: index, %j: index, %m: index, %n: index) {
  %c72 = arith.constant 72 : index
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 64, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles>)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %j, %c64, %c72) sizes(%m, %n, %c64, %c72)
      ins(%q, %k, %v : memref<64x64xf32>, memref<?x64xbf16, #tile>, memref<?x72xbf16, #tile>)
      outs(%acc, %max, %sum : memref<72x64xf32>, memref<64xf32>, memref<64xf32>)
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// Values of hidden keys may be NaN: sums go to scratch, and where one of them is NaN, rows are computed from the state as
// it was, by pairs of which those with weight 0 are left out.
// Keys begin with the first tile of which a row sees some, and only where not all rows see a tile its scores are looked at.
// CHECK-LABEL: func.func @hidden
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: memref<32x32xf32>
// CHECK: %[[SEES:.*]] = arith.cmpi slt
// CHECK: %[[PAST:.*]] = arith.remui %{{.*}}, %c32
// CHECK-NEXT: %[[TILE:.*]] = arith.subi %{{.*}}, %[[PAST]]
// CHECK-NEXT: %[[FIRST:.*]] = arith.select %[[SEES]], %[[TILE]], %c0
// CHECK-NEXT: %[[END:.*]] = arith.select %[[SEES]], %{{.*}}, %c0
// CHECK: scf.for %[[KEY:.*]] = %[[FIRST]] to %[[END]] step %c32
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"
// CHECK: %[[BEHIND:.*]] = arith.cmpi sge, %[[KEY]]
// CHECK-NEXT: %[[BEFORE:.*]] = arith.cmpi sle
// CHECK-NEXT: %[[ALL:.*]] = arith.andi %[[BEHIND]], %[[BEFORE]]
// CHECK-NEXT: scf.if %[[ALL]]
// CHECK-NOT: arith.cmpi
// CHECK: } else {
// CHECK: arith.cmpi sle, %{{.*}} : vector<16xi32>
// CHECK: vector.load %[[ACC]]
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: "llvm.x86.tilestored64"
// CHECK: arith.cmpf uno
// CHECK: %[[ANY:.*]] = vector.reduction <or>
// CHECK-NEXT: scf.if %[[ANY]]
// CHECK: vector.load %[[ACC]]
// CHECK: "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: arith.cmpi ne, %{{.*}} : vector<32xi16>
// CHECK: "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: } else {
// CHECK-NOT: dpbf16ps
// CHECK: vector.store %{{.*}}, %[[ACC]]
func.func @hidden(%q: memref<64x32xf32>, %k: memref<?x64xbf16, #tile>, %v: memref<?x32xbf16, #tile>,
                  %acc: memref<32x32xf32>, %max: memref<32xf32>, %sum: memref<32xf32>,
                  %i: index, %j: index, %m: index, %n: index) {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles>)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %j, %c64, %c32) sizes(%m, %n, %c64, %c32)
      ins(%q, %k, %v : memref<64x32xf32>, memref<?x64xbf16, #tile>, memref<?x32xbf16, #tile>)
      outs(%acc, %max, %sum : memref<32x32xf32>, memref<32xf32>, memref<32xf32>)
  return
}

// -----

#query = affine_map<(h, m, n, d, e) -> (h, m, d)>
#key = affine_map<(h, m, n, d, e) -> (n, d)>
#value = affine_map<(h, m, n, d, e) -> (n, e)>
#acc = affine_map<(h, m, n, d, e) -> (h, m, e)>
#row = affine_map<(h, m, n, d, e) -> (h, m)>
#schedule = #attn.schedule<rows = 5, keys = 64, lanes = 16, mr = 16, nr = 3, splitKeys = 512, items = 64, instruction = bf16_tiles>

// Queries are turned once: what is pairs of a row becomes a row of steps. Five of them are multiplied with 32 keys as 16
// would be, and scores are those of five. Values become pairs of rows; 80 columns are three vectors and two. Sums of which
// one is NaN may have met a hidden key's value, and are made again of vectors.
// CHECK-LABEL: func.func @decode(
// CHECK-SAME: %[[Q:[^:]*]]: memref<5x1x64xbf16>, %[[K:[^:]*]]: memref<?x64xbf16>, %[[V:[^:]*]]: memref<?x80xbf16>
// CHECK-DAG: %[[STEPS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x80xf32>
// CHECK-DAG: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x48xf32>
// CHECK: "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
// CHECK-COUNT-16: vector.load %[[P:.*]][%c{{[0-9]+}}, %c0] : memref<16x64xf32>
// CHECK-COUNT-16: vector.store {{.*}} : memref<32x16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c64
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: arith.select %[[WHOLE]], %{{.*}} : i64
// CHECK-COUNT-2: "llvm.x86.tilezero"
// CHECK-COUNT-2: "llvm.x86.tdpbf16ps"
// CHECK-COUNT-2: "llvm.x86.tilestored64"
// CHECK-COUNT-5: vector.store {{.*}} : memref<16x64xf32>
// CHECK-NOT: vector.store
// CHECK-COUNT-16: vector.load {{.*}} : memref<32x16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1
// CHECK: memref.prefetch %[[V]]
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1
// CHECK: "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
// CHECK-COUNT-5: vector.store {{.*}}, %[[STEPS]]
// CHECK: memref.prefetch %[[K]]
// CHECK-COUNT-5: vector.store %{{cst[_0-9]*}}, %[[STEPS]]
// CHECK-COUNT-3: "llvm.x86.tdpbf16ps"
// CHECK-COUNT-3: arith.cmpf uno, {{.*}} : vector<16xf32>
// CHECK: %[[ANY:.*]] = vector.reduction <or>
// CHECK: scf.if %[[ANY]]
// CHECK-COUNT-3: "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: } else {
// CHECK: memref.prefetch %[[K]]
// CHECK-COUNT-3: vector.load %[[SUMS]]
// CHECK-COUNT-2: "llvm.x86.tdpbf16ps"
func.func @decode(%q: memref<5x1x64xbf16>, %k: memref<?x64xbf16>, %v: memref<?x80xbf16>, %mask: memref<?xi1>,
                  %acc: memref<5x1x80xf32>, %max: memref<5x1xf32>, %sum: memref<5x1xf32>, %i: index) {
  attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask] schedule(#schedule)
      indexing_maps [#query, #key, #value, affine_map<(h, m, n, d, e) -> (n)>, #acc, #row, #row]
      origin(%i, %i, %i, %i, %i) sizes(%i, %i, %i, %i, %i)
      ins(%q, %k, %v : memref<5x1x64xbf16>, memref<?x64xbf16>, memref<?x80xbf16>) params(%mask : memref<?xi1>)
      outs(%acc, %max, %sum : memref<5x1x80xf32>, memref<5x1xf32>, memref<5x1xf32>)
  return
}
