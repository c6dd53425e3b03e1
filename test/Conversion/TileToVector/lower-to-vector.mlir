// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector -canonicalize -cse | FileCheck %s
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector | FileCheck %s --check-prefix=LANES
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v3 --attn-lower-to-vector | FileCheck %s --check-prefix=PORTABLE

// Everything is a vector of lanes: a carried or broadcast 2-D vector would be
// scalarised without a word. Nothing is called.
// LANES-NOT: vector<{{[0-9]+}}x{{[0-9]+}}x
// LANES-NOT: call @
// LANES-NOT: math.exp

// The exponential of AVX-512 is asked for only where the target has it.
// PORTABLE-NOT: llvm.x86.avx512

#query = affine_map<(m, n, d, e) -> (m, d)>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#key_t = affine_map<(m, n, d, e) -> (d, n)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>
#output = affine_map<(m, n, d, e) -> (m, e)>
#schedule = #attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>
#tile = strided<[?, 1], offset: ?>

// Both products carry 8 x 3 accumulators over a loop of one step of k, which
// loads 3 vectors of B and 8 elements of A and never C. The maximum is carried
// from tile to tile, of the scores times lambda log2 e = 0.180336884. They are
// kept without that factor, which the exponential takes in one operation with
// the maximum. Without masks there is no code for masks.
// CHECK-LABEL: func.func @plain
// CHECK-SAME: %[[Q:.*]]: memref<64x48xf32>, %[[K:[a-z0-9]+]]: memref<?x64xf32{{.*}}, %[[ACC:[a-z0-9]+]]: memref<64x48xf32>
// CHECK-DAG: %[[FACTOR:.*]] = arith.constant dense<0.180336{{[0-9]*}}> : vector<16xf32>
// CHECK-DAG: %[[S:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x48xf32>
// CHECK-NOT: vector<16xi32>
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// The keys' rows have addresses of their own, which no pass may derive from one
// another: that would take several instructions for each element.
// CHECK: memref.extract_strided_metadata %[[K]]
// CHECK-COUNT-8: llvm.intr.launder.invariant.group
// CHECK-NOT: llvm.intr.launder.invariant.group
// CHECK: %{{.*}}:24 = scf.for %[[D:.*]] = %c0 to %c64 step %c1 iter_args(
// CHECK-COUNT-3: vector.load %[[Q]][%[[D]], %{{.*}}] : memref<64x48xf32>, vector<16xf32>
// CHECK-NOT: vector.load
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NEXT: vector.broadcast {{.*}} : f32 to vector<16xf32>
// CHECK-NEXT: vector.fma
// CHECK-NEXT: vector.fma
// CHECK-NEXT: vector.fma
// CHECK-NOT: vector.load
// CHECK-NOT: arith.select
// CHECK: scf.yield
// CHECK: vector.store %[[SIMILARITY:.*]]#0, %[[S]]
// CHECK: arith.cmpf ogt, %[[SIMILARITY]]#0
// The keys that do not fill a register tile come one by one. The scale keeps similarities in order, so that only their maximum
// is multiplied by it.
// CHECK: %[[MAX:.*]]:3 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK: %{{.*}}:3 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK: %[[SCORE:.*]] = arith.mulf %[[MAX]]#0, %[[FACTOR]] : vector<16xf32>
// CHECK: arith.cmpf ogt, %[[SCORE]]
// Output and sum are scaled only when a maximum has outgrown the reference.
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<16xi1> into i1
// CHECK: scf.if %[[ANY]] {
// Where a maximum is 2^23 or more, its last digit is a whole number: the scores
// are rounded as the maximum was, and have no factor any more.
// CHECK: %[[HUGE:.*]] = vector.reduction <or>, %{{.*}} : vector<16xi1> into i1
// CHECK: %[[LEFT:.*]] = arith.select %[[HUGE]], %{{.*}}, %[[FACTOR]] : vector<16xf32>
// CHECK: scf.if %[[HUGE]] {
// CHECK-COUNT-3: arith.mulf %{{.*}}, %[[FACTOR]] : vector<16xf32>
// The softmax is vertical.
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK: math.fma %{{.*}}, %[[LEFT]], %{{.*}} : vector<16xf32>
// CHECK: "llvm.x86.avx512.mask.reduce.ps.512"
// CHECK: "llvm.x86.avx512.mask.scalef.ps.512"
// The second product starts from the output.
// CHECK-COUNT-24: vector.load %[[ACC]]
// CHECK: %{{.*}}:24 = scf.for
// CHECK: memref.prefetch
// CHECK-COUNT-3: vector.load %[[S]]
// CHECK-NOT: vector.load
// CHECK-NOT: arith.select
// CHECK: scf.yield
// CHECK: vector.store %{{.*}}#0, %[[ACC]]
// Up to 16 rows, as in decoding, take a tile of one vector.
// CHECK: } else {
// CHECK: %{{.*}}:8 = scf.for
// CHECK-NOT: vector<16xi32>
func.func @plain(%q: memref<64x48xf32>, %k: memref<?x64xf32, #tile>,
                 %v: memref<?x64xf32, #tile>, %acc: memref<64x48xf32>,
                 %max: memref<48xf32>, %sum: memref<48xf32>,
                 %i: index, %j: index, %m: index, %n: index) {
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
      schedule(#schedule)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %j, %c64, %c64) sizes(%m, %n, %c64, %c64)
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xf32, #tile>, memref<?x64xf32, #tile>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// An edge tile compares positions in the first product's epilogue. A second
// product that came out NaN is taken again row by row, without the hidden lanes, whatever
// the value row holds.
// CHECK-LABEL: func.func @causal
// CHECK: %[[S:.*]] = memref.alloc
// CHECK: %{{.*}}:24 = scf.for
// CHECK-NOT: arith.select
// CHECK: scf.yield
// CHECK: %[[SEEN:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: %[[SCORE:.*]] = arith.select %[[SEEN]], %{{.*}}, %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: vector.store %[[SCORE]], %[[S]]
// CHECK: %[[TRIED:.*]]:24 = scf.for
// CHECK-NOT: arith.select
// CHECK: scf.yield
// CHECK: arith.cmpf uno, %[[TRIED]]#0, %[[TRIED]]#1 : vector<16xf32>
// CHECK: %[[NAN:.*]] = vector.reduction <or>
// CHECK: scf.if %[[NAN]]
// CHECK-NEXT: %[[END:.*]] = arith.addi %[[ROW:.*]], %c8
// CHECK-NEXT: scf.for %{{.*}} = %[[ROW]] to %[[END]] step %c1 {
// CHECK: %{{.*}}:3 = scf.for
// CHECK: %[[P:.*]] = vector.load %[[S]]
// CHECK: %[[ACTIVE:.*]] = arith.cmpf une, %[[P]], %{{.*}} : vector<16xf32>
// CHECK: %[[NEXT:.*]] = vector.fma %{{.*}}, %[[P]], %[[SUM:.*]] : vector<16xf32>
// CHECK: arith.select %[[ACTIVE]], %[[NEXT]], %[[SUM]]
// CHECK: } else {
// CHECK: vector.store %[[TRIED]]#0
func.func @causal(%q: memref<64x48xf32>, %k: memref<?x64xf32, #tile>,
                  %v: memref<?x64xf32, #tile>, %acc: memref<64x48xf32>,
                  %max: memref<48xf32>, %sum: memref<48xf32>,
                  %i: index, %j: index, %m: index, %n: index) {
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(top_left) masks [#attn.causal] schedule(#schedule)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %j, %c64, %c64) sizes(%m, %n, %c64, %c64)
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xf32, #tile>, memref<?x64xf32, #tile>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// A static value dimension that the register tile does not divide ends with one
// lower tile; a key stored as [d, n] is read through its transpose; f64 has
// half the lanes; several groups of rows share a tile of keys.
// CHECK-LABEL: func.func @remainders
// CHECK-SAME: %{{.*}}: memref<20x48xf64>, %[[K:[a-z0-9]+]]: memref<20x?xf64
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<64x24xf64>
// CHECK: memref.transpose %[[K]]
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c24
// CHECK: %{{.*}}:24 = scf.for
// CHECK: %{{.*}}:24 = scf.for
// CHECK: %{{.*}}:12 = scf.for {{.*}} -> (vector<8xf64>,
func.func @remainders(%q: memref<20x48xf64>, %k: memref<20x?xf64, #tile>,
                      %v: memref<?x20xf64, #tile>, %acc: memref<20x48xf64>,
                      %max: memref<48xf64>, %sum: memref<48xf64>,
                      %i: index, %j: index, %m: index, %n: index) {
  %c20 = arith.constant 20 : index
  attn.online_attention packed scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 8, mr = 8, nr = 3>)
      indexing_maps [#packed, #key_t, #value, #acc, #row, #row]
      origin(%i, %j, %c20, %c20) sizes(%m, %n, %c20, %c20)
      ins(%q, %k, %v : memref<20x48xf64>, memref<20x?xf64, #tile>, memref<?x20xf64, #tile>)
      outs(%acc, %max, %sum : memref<20x48xf64>, memref<48xf64>, memref<48xf64>)
  return
}

// The tile is transposed in registers, rows past its end repeating the last
// one. Its elements stay as they are; lambda = 1/8 is an output of its own. Fences
// keep LLVM from looking through all four rounds of shuffles.
// CHECK-LABEL: func.func @pack
// CHECK-DAG: %[[LAMBDA:.*]] = arith.constant dense<1.250000e-01> : vector<16xf32>
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1
// CHECK: scf.for %{{.*}} = %c0 to %c48 step %c16
// CHECK-COUNT-16: arith.minui %{{.*}}, %[[LAST]]
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c16
// CHECK-COUNT-16: vector.load
// CHECK-COUNT-16: memref.prefetch %{{.*}}, read
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-32: vector.shuffle
// CHECK-COUNT-4: llvm.arithmetic.fence
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: llvm.arithmetic.fence
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: llvm.arithmetic.fence
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: llvm.arithmetic.fence
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-16: vector.store
// CHECK-NOT: arith.mulf
// CHECK: vector.store %[[LAMBDA]], %{{.*}} : memref<48xf32>, vector<16xf32>
func.func @pack(%q: memref<?x64xf32, #tile>, %packed: memref<64x48xf32>,
                %scales: memref<48xf32>, %i: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#schedule) indexing_maps [#query, #packed, #row]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c64, %c64)
      ins(%q : memref<?x64xf32, #tile>) outs(%packed, %scales : memref<64x48xf32>, memref<48xf32>)
  return
}

// Elements of half the width are widened by the vector. The tile after a large
// one is far off: nothing is fetched for it.
// CHECK-LABEL: func.func @pack_narrow
// CHECK-NOT: memref.prefetch
// CHECK: %[[E:.*]] = vector.load {{.*}} : memref<?x64xbf16, {{.*}}>, vector<16xbf16>
// CHECK: %[[F:.*]] = arith.extf %[[E]] : vector<16xbf16> to vector<16xf32>
// CHECK: vector.shuffle %[[F]]
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @pack_narrow(%q: memref<?x64xbf16, #tile>, %packed: memref<64x96xf32>,
                       %scales: memref<96xf32>, %i: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3>) indexing_maps [#query, #packed, #row]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c64, %c64)
      ins(%q : memref<?x64xbf16, #tile>) outs(%packed, %scales : memref<64x96xf32>, memref<96xf32>)
  return
}

// Without an extra term a row is divided by its sum, and a sum of 0 gives 0.
// Only rows that exist are stored.
// CHECK-LABEL: func.func @finalize
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: scf.for %{{.*}} = %c0 to %[[ROWS]] step %c16
// CHECK-NOT: arith.fptosi
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[Z:.*]], %{{.*}} : vector<16xf32>
// CHECK: %[[INV:.*]] = arith.divf %{{.*}}, %[[Z]]
// CHECK: arith.select %[[EMPTY]], %{{.*}}, %[[INV]]
// CHECK: math.log %
// The rows of the next tile are on their way before it stores to them.
// CHECK-COUNT-16: memref.prefetch %{{.*}}, write
// CHECK-NOT: memref.prefetch
// CHECK: arith.cmpi ult, %{{.*}}, %[[ROWS]]
// CHECK-NEXT: scf.if
// CHECK-NEXT: vector.store
func.func @finalize(%acc: memref<64x48xf32>, %max: memref<48xf32>, %sum: memref<48xf32>,
                    %o: memref<?x64xf32, #tile>, %lse: memref<?xf32>,
                    %i: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  attn.finalize scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#schedule) indexing_maps [#acc, #row, #row, #output, #row]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c64, %c64)
      ins(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
      outs(%o, %lse : memref<?x64xf32, #tile>, memref<?xf32>)
  return
}

// softmax1 adds 2^(0 - m') with m' = max(m, 0): the maximum of the state is
// compared with log2 e0 = 0.
// CHECK-LABEL: func.func @finalize_softmax1
// CHECK: %[[M:.*]] = vector.load
// CHECK: arith.cmpf {{.*}}%[[M]]
// CHECK: arith.divf
func.func @finalize_softmax1(%acc: memref<64x48xf32>, %max: memref<48xf32>, %sum: memref<48xf32>,
                             %o: memref<?x64xf32, #tile>,
                             %i: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  attn.finalize scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
      schedule(#schedule) indexing_maps [#acc, #row, #row, #output]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c64, %c64)
      ins(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
      outs(%o : memref<?x64xf32, #tile>)
  return
}
