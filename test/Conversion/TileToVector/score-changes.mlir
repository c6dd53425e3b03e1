// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector -canonicalize -cse | FileCheck %s

#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>
#column = affine_map<(m, n, d, e) -> (n)>
#matrix = affine_map<(m, n, d, e) -> (m, n)>
#schedule = #attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>
#tile = strided<[?, 1], offset: ?>

// A bias is transposed in blocks once per tile, the last block moved back to end
// with the keys; fewer keys than a block come one by one. A score takes it with
// one operation, in log2 units.
// CHECK-LABEL: func.func @bias
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: %[[LANES:.*]] = memref.alloc() {{.*}} : memref<64x48xf32>
// CHECK: %[[MATRIX:.*]] = memref.subview %[[BIAS]]
// CHECK: scf.if
// CHECK: scf.for
// CHECK: arith.minui
// CHECK-COUNT-16: vector.load %[[MATRIX]]
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store %{{.*}}, %[[LANES]]
// CHECK: } else {
// CHECK-COUNT-16: memref.load %[[MATRIX]]
// CHECK: vector.from_elements
// CHECK: %{{.*}}:24 = scf.for
// CHECK-NOT: memref.load %[[MATRIX]]
// CHECK: %[[B:.*]] = vector.load %[[LANES]]
// CHECK: %[[TERM:.*]] = arith.mulf %[[B]], %{{.*}} : vector<16xf32>
// CHECK: %[[FINITE:.*]] = arith.select %{{.*}}, %[[B]], %[[TERM]]
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[FINITE]] : vector<16xf32>
func.func @bias(%bias: memref<?x?xf32, #tile>, %q: memref<64x48xf32>, %k: memref<?x64xf32, #tile>,
                %v: memref<?x64xf32, #tile>, %acc: memref<64x48xf32>,
                %max: memref<48xf32>, %sum: memref<48xf32>,
                %i: index, %j: index, %m: index, %n: index) {
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) bias [#attn.dense_bias]
      schedule(#schedule) indexing_maps [#packed, #key, #value, #matrix, #acc, #row, #row]
      origin(%i, %j, %c64, %c64) sizes(%m, %n, %c64, %c64)
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xf32, #tile>, memref<?x64xf32, #tile>)
      params(%bias : memref<?x?xf32, #tile>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// The booleans of 32 keys of a row are one word; those of a key are a bit of a
// vector of words. No boolean is loaded for an element.
// CHECK-LABEL: func.func @mask
// CHECK-SAME: %[[MASK:[a-z0-9]+]]: memref<?x?xi1, strided<[?, 1], offset: ?>>
// CHECK: %[[WORDS:.*]] = memref.alloc() {{.*}} : memref<2x48xi32>
// CHECK: %[[MATRIX:.*]] = memref.subview %[[MASK]]
// CHECK: %[[ROW:.*]] = vector.load %[[MATRIX]][%{{.*}}, %{{.*}}] : {{.*}}, vector<32xi1>
// CHECK: vector.bitcast %[[ROW]] : vector<32xi1> to vector<1xi32>
// CHECK: memref.store %{{.*}}, %[[WORDS]]
// CHECK: %{{.*}}:24 = scf.for
// CHECK-NOT: %[[MATRIX]]
// CHECK: %[[VECTOR:.*]] = vector.load %[[WORDS]]
// CHECK: %[[BIT:.*]] = vector.broadcast %{{.*}} : i32 to vector<16xi32>
// CHECK: arith.andi %[[VECTOR]], %[[BIT]]
// CHECK: arith.cmpi ne
// CHECK: arith.select
// CHECK: return
func.func @mask(%mask: memref<?x?xi1, #tile>, %q: memref<64x48xf32>, %k: memref<?x64xf32, #tile>,
                %v: memref<?x64xf32, #tile>, %acc: memref<64x48xf32>,
                %max: memref<48xf32>, %sum: memref<48xf32>,
                %i: index, %j: index, %m: index, %n: index) {
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask]
      schedule(#schedule) indexing_maps [#packed, #key, #value, #matrix, #acc, #row, #row]
      origin(%i, %j, %c64, %c64) sizes(%m, %n, %c64, %c64)
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xf32, #tile>, memref<?x64xf32, #tile>)
      params(%mask : memref<?x?xi1, #tile>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// The slope belongs to the row: its power of two is computed before the loops.
// CHECK-LABEL: func.func @alibi
// CHECK: math.exp2
// CHECK: %{{.*}}:24 = scf.for
// CHECK-NOT: math.exp2
// CHECK: arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: math.fma
// CHECK: return
#head_packed = affine_map<(h, m, n, d, e) -> (d, m)>
#head_key = affine_map<(h, m, n, d, e) -> (n, d)>
#head_value = affine_map<(h, m, n, d, e) -> (n, e)>
#head_acc = affine_map<(h, m, n, d, e) -> (e, m)>
#head_row = affine_map<(h, m, n, d, e) -> (m)>
func.func @alibi(%h: index, %heads: index, %q: memref<64x48xf32>, %k: memref<?x64xf32, #tile>,
                 %v: memref<?x64xf32, #tile>, %acc: memref<64x48xf32>,
                 %max: memref<48xf32>, %sum: memref<48xf32>,
                 %i: index, %j: index, %m: index, %n: index) {
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) bias [#attn.alibi]
      schedule(#schedule) indexing_maps [#head_packed, #head_key, #head_value, #head_acc, #head_row, #head_row]
      origin(%h, %i, %j, %c64, %c64) sizes(%heads, %m, %n, %c64, %c64)
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xf32, #tile>, memref<?x64xf32, #tile>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// The norms of 16 keys at a time: squares along each key, one transpose, one
// root and one quotient. A similarity is multiplied by the norm of its key. What
// is left of a dimension that no vector divides is loaded under a mask.
// CHECK-LABEL: func.func @cosine
// CHECK: %[[NORMS:.*]] = memref.alloc() {{.*}} : memref<64xf32>
// CHECK: scf.for
// CHECK: vector.load
// CHECK: vector.maskedload
// CHECK-COUNT-64: vector.shuffle
// CHECK: math.sqrt %{{.*}} : vector<16xf32>
// CHECK: arith.divf %{{.*}} : vector<16xf32>
// CHECK: vector.store %{{.*}}, %[[NORMS]]
// CHECK: %{{.*}}:24 = scf.for
// CHECK: %[[NORM:.*]] = memref.load %[[NORMS]]
// CHECK: vector.broadcast %[[NORM]]
// CHECK: arith.mulf
func.func @cosine(%q: memref<20x48xf32>, %k: memref<?x20xf32, #tile>,
                  %v: memref<?x64xf32, #tile>, %acc: memref<64x48xf32>,
                  %max: memref<48xf32>, %sum: memref<48xf32>,
                  %i: index, %j: index, %m: index, %n: index) {
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.constant<10.0>) similarity(#attn.cosine<eps = 1.0e-6, mode = max_norm>)
      softmax(#attn.softmax)
      schedule(#schedule) indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %j, %c20, %c64) sizes(%m, %n, %c20, %c64)
      ins(%q, %k, %v : memref<20x48xf32>, memref<?x20xf32, #tile>, memref<?x64xf32, #tile>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// A tile whose ids lie apart from those of the rows is skipped as a whole.
// CHECK-LABEL: func.func @segments
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: memref<?xi32>, %[[KEYS:[a-z0-9]+]]: memref<?xi32>
// CHECK: %[[OF_ROWS:.*]]:2 = scf.for
// CHECK: memref.load %[[ROWS]]
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: %[[OF_KEYS:.*]]:2 = scf.for
// CHECK: memref.load %[[KEYS]]
// CHECK: %[[MEET:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK: scf.if %[[MEET]] {
// CHECK: %{{.*}}:24 = scf.for
// CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: return
func.func @segments(%rows: memref<?xi32>, %keys: memref<?xi32>, %q: memref<64x48xf32>,
                    %k: memref<?x64xf32, #tile>, %v: memref<?x64xf32, #tile>,
                    %acc: memref<64x48xf32>, %max: memref<48xf32>, %sum: memref<48xf32>,
                    %i: index, %j: index, %m: index, %n: index) {
  %c64 = arith.constant 64 : index
  attn.online_attention packed scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.segment_ids]
      schedule(#schedule) indexing_maps [#packed, #key, #value, #row, #column, #acc, #row, #row]
      origin(%i, %j, %c64, %c64) sizes(%m, %n, %c64, %c64)
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xf32, #tile>, memref<?x64xf32, #tile>)
      params(%rows, %keys : memref<?xi32>, memref<?xi32>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}
