// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector -canonicalize -cse | FileCheck %s

#tile = strided<[?, 1], offset: ?>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// Keys and values are converted into scratch of their own before the groups of
// rows use them; a value row of 40 ends with a vector moved back to column 24.
// CHECK-LABEL: func.func @convert
// CHECK-SAME: %[[K:[a-z0-9]+]]: memref<?x64xf16, {{[^>]*}}>>, %[[V:[a-z0-9]+]]: memref<?x40xf16
// CHECK-DAG: %[[KS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xf32>
// CHECK-DAG: %[[VS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x40xf32>
// CHECK-DAG: memref.alloc() {alignment = 64 : i64} : memref<64x48xf32>
// CHECK: %[[KEYS:.*]] = memref.subview %[[KS]]
// CHECK: scf.for %[[ROW:.*]] = %c0 to %{{.*}} step %c1
// CHECK: %[[LOADED:.*]] = vector.load %[[K]][%[[ROW]], %c0] : {{.*}}, vector<16xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[LOADED]] : vector<16xf16> to vector<16xf32>
// CHECK: vector.store %[[WIDE]], %[[KEYS]][%[[ROW]], %c0]
// CHECK: vector.load %[[K]][%{{.*}}, %c48]
// CHECK: %[[VALUES:.*]] = memref.subview %[[VS]]
// CHECK: vector.load %[[V]][%{{.*}}, %c16]
// CHECK: vector.load %[[V]][%{{.*}}, %c24]
// CHECK-NOT: vector.load %[[V]]
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c48
// CHECK-NOT: arith.extf
// CHECK: memref.extract_aligned_pointer_as_index %[[KEYS]]
// CHECK-NOT: arith.extf
// CHECK: memref.extract_aligned_pointer_as_index %[[VALUES]]
// CHECK-NOT: arith.extf
// CHECK: return
func.func @convert(%q: memref<64x96xf32>, %k: memref<?x64xf16, #tile>, %v: memref<?x40xf16, #tile>,
                   %acc: memref<40x96xf32>, %max: memref<96xf32>, %sum: memref<96xf32>,
                   %i: index, %j: index, %m: index, %n: index) {
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3, operands = f32>)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %j, %c64, %c40) sizes(%m, %n, %c64, %c40)
      ins(%q, %k, %v : memref<64x96xf32>, memref<?x64xf16, #tile>, memref<?x40xf16, #tile>)
      outs(%acc, %max, %sum : memref<40x96xf32>, memref<96xf32>, memref<96xf32>)
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key_t = affine_map<(m, n, d, e) -> (d, n)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// A block keeps its layout: keys stored as [d, n] are converted along n, the
// rest of a dynamic row element by element. A row of 5 values is two vectors of
// 4 that overlap.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: %[[K:[a-z0-9]+]]: memref<24x?xbf16
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<24x64xf32>
// CHECK: %[[FULL:.*]] = arith.subi
// CHECK: scf.for %{{.*}} = %c0 to %[[FULL]] step %c16
// CHECK: vector.load %[[K]]{{.*}} : {{.*}}, vector<16xbf16>
// CHECK: scf.for %{{.*}} = %[[FULL]] to
// CHECK: memref.load %[[K]]
// CHECK: memref.transpose
// CHECK-COUNT-2: vector.load %{{.*}} : memref<?x5xbf16, {{.*}}>, vector<4xbf16>
func.func @transposed(%q: memref<24x48xf32>, %k: memref<24x?xbf16, #tile>, %v: memref<?x5xbf16, #tile>,
                      %acc: memref<5x48xf32>, %max: memref<48xf32>, %sum: memref<48xf32>,
                      %i: index, %j: index, %m: index, %n: index) {
  %c5 = arith.constant 5 : index
  %c24 = arith.constant 24 : index
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, operands = f32>)
      indexing_maps [#packed, #key_t, #value, #acc, #row, #row]
      origin(%i, %j, %c24, %c5) sizes(%m, %n, %c24, %c5)
      ins(%q, %k, %v : memref<24x48xf32>, memref<24x?xbf16, #tile>, memref<?x5xbf16, #tile>)
      outs(%acc, %max, %sum : memref<5x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// Without `operands` the products widen each element where they read it.
// CHECK-LABEL: func.func @as_stored
// CHECK-NOT: vector<16xbf16>
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.extf %{{.*}} : bf16 to f32
func.func @as_stored(%q: memref<16x48xf32>, %k: memref<?x16xbf16, #tile>,
                     %acc: memref<16x48xf32>, %max: memref<48xf32>, %sum: memref<48xf32>,
                     %i: index, %j: index, %m: index, %n: index) {
  %c16 = arith.constant 16 : index
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %j, %c16, %c16) sizes(%m, %n, %c16, %c16)
      ins(%q, %k, %k : memref<16x48xf32>, memref<?x16xbf16, #tile>, memref<?x16xbf16, #tile>)
      outs(%acc, %max, %sum : memref<16x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
#query = affine_map<(m, n, d, e) -> (m, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// Finished rows are rounded a vector at a time.
// CHECK-LABEL: func.func @finalize
// CHECK: %[[R:.*]] = arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
// CHECK: vector.store %[[R]], %{{.*}} : memref<?x64xf16
func.func @finalize(%acc: memref<64x48xf32>, %max: memref<48xf32>, %sum: memref<48xf32>,
                    %o: memref<?x64xf16, #tile>, %i: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  attn.finalize scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      indexing_maps [#acc, #row, #row, #query]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c64, %c64)
      ins(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
      outs(%o : memref<?x64xf16, #tile>)
  return
}
