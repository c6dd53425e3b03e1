// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector --canonicalize --cse | FileCheck %s

#query = affine_map<(h, m, n, d, e) -> (h, m, d)>
#key = affine_map<(h, m, n, d, e) -> (n, d)>
#value = affine_map<(h, m, n, d, e) -> (n, e)>
#acc = affine_map<(h, m, n, d, e) -> (h, m, e)>
#row = affine_map<(h, m, n, d, e) -> (h, m)>
#accs = affine_map<(h, m, n, d, e) -> (n, h, m, e)>
#rows = affine_map<(h, m, n, d, e) -> (n, h, m)>
#schedule = #attn.schedule<rows = 2, keys = 64, lanes = 16, mr = 2, nr = 2, splitKeys = 512, items = 64>

// Sixteen keys' products with each row are summed by one tree; two rows share
// each load of a value. A row of 40 elements ends in a masked vector.
// CHECK-LABEL: @grouped(
// CHECK-SAME: %[[Q:[^:]*]]: memref<2x1x40xbf16>, %[[K:[^:]*]]: memref<?x40xbf16>, %[[V:[^:]*]]: memref<?x32xbf16>, %[[ACC:[^:]*]]: memref<2x1x32xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK:   vector.maskedload %[[Q]]
// The block, then its vectors of keys, then rows.
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %{{.*}} step %c64
// CHECK:   scf.for %{{.*}} = %c0 to %{{.*}} step %c16
// CHECK:     scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK:       vector.load %[[K]]{{.*}} vector<16xbf16>
// CHECK:       arith.extf %{{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK:       vector.maskedload %[[K]]
// CHECK-COUNT-16: memref.prefetch %[[V]]
// Single numbers move inside of 128 bits, where that is one instruction, and groups between them.
// CHECK:       vector.shuffle {{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29]
// CHECK-COUNT-29: vector.shuffle
// CHECK-NOT:   vector.shuffle
// CHECK:       arith.select
// CHECK:       vector.store
// Softmax of a row: maximum and sum across lanes, four shuffles each.
// CHECK:   scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK-COUNT-8: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK:   scf.for %{{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-2: vector.load %[[V]]{{.*}} vector<16xbf16>
// CHECK-COUNT-4: vector.fma
// CHECK:     memref.prefetch %[[K]]
// CHECK: return
func.func @grouped(%q: memref<2x1x40xbf16>, %k: memref<?x40xbf16>, %v: memref<?x32xbf16>,
                   %acc: memref<2x1x32xf32>, %max: memref<2x1xf32>, %sum: memref<2x1xf32>, %i: index) {
  attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#schedule)
      indexing_maps [#query, #key, #value, #acc, #row, #row]
      origin(%i, %i, %i, %i, %i) sizes(%i, %i, %i, %i, %i)
      ins(%q, %k, %v : memref<2x1x40xbf16>, memref<?x40xbf16>, memref<?x32xbf16>)
      outs(%acc, %max, %sum : memref<2x1x32xf32>, memref<2x1xf32>, memref<2x1xf32>)
  return
}

// A hidden key's value may be NaN: its lanes keep their sums.
// CHECK-LABEL: @hidden_values(
// CHECK: %[[SEEN:.*]] = arith.cmpf une, %[[WEIGHT:.*]], %{{.*}} : vector<16xf32>
// CHECK: %[[SUM:.*]] = vector.fma %{{.*}}, %[[WEIGHT]], %[[OLD:.*]] : vector<16xf32>
// CHECK: arith.select %[[SEEN]], %[[SUM]], %[[OLD]]
func.func @hidden_values(%q: memref<2x1x32xf32>, %k: memref<?x32xf32>, %v: memref<?x16xf32>, %mask: memref<?xi1>,
                         %acc: memref<2x1x16xf32>, %max: memref<2x1xf32>, %sum: memref<2x1xf32>, %i: index) {
  attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask] schedule(#schedule)
      indexing_maps [#query, #key, #value, affine_map<(h, m, n, d, e) -> (n)>, #acc, #row, #row]
      origin(%i, %i, %i, %i, %i) sizes(%i, %i, %i, %i, %i)
      ins(%q, %k, %v : memref<2x1x32xf32>, memref<?x32xf32>, memref<?x16xf32>) params(%mask : memref<?xi1>)
      outs(%acc, %max, %sum : memref<2x1x16xf32>, memref<2x1xf32>, memref<2x1xf32>)
  return
}

// States are merged in their order: the largest maximum first, then one pass.
// CHECK-LABEL: @merge(
// CHECK-SAME: %[[ACC:[^:]*]]: memref<?x2x1x32xf32>, %[[MAX:[^:]*]]: memref<?x2x1xf32>, %[[SUM:[^:]*]]: memref<?x2x1xf32>, %[[OUT:[^:]*]]: memref<2x1x32xbf16>
// CHECK: %[[RANGES:.*]] = memref.dim %[[MAX]], %c0
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK:   scf.for %{{.*}} = %c0 to %[[RANGES]] step %c1
// CHECK:     memref.load %[[MAX]]
// CHECK:   scf.for %{{.*}} = %c0 to %[[RANGES]] step %c1
// CHECK:     memref.load %[[SUM]]
// CHECK-COUNT-2: vector.load %[[ACC]]
// CHECK-COUNT-2: vector.store %{{.*}}, %[[OUT]]{{.*}} vector<16xbf16>
func.func @merge(%acc: memref<?x2x1x32xf32>, %max: memref<?x2x1xf32>, %sum: memref<?x2x1xf32>,
                 %out: memref<2x1x32xbf16>, %i: index) {
  attn.finalize scale(#attn.none) softmax(#attn.softmax1) schedule(#schedule)
      indexing_maps [#accs, #rows, #rows, #acc] origin(%i, %i, %i, %i, %i) sizes(%i, %i, %i, %i, %i)
      ins(%acc, %max, %sum : memref<?x2x1x32xf32>, memref<?x2x1xf32>, memref<?x2x1xf32>)
      outs(%out : memref<2x1x32xbf16>)
  return
}
