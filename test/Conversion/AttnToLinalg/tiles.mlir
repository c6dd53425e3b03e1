// RUN: attn-opt %s --attn-decompose --canonicalize --cse | FileCheck %s
// RUN: attn-opt %s --attn-decompose=keep-tiles | FileCheck %s --check-prefix=KEEP

// keep-tiles leaves ops that have a schedule to another lowering.
// KEEP-LABEL: @pack_query
// KEEP-NOT: attn.pack_query
// KEEP-LABEL: @kept
// KEEP: attn.pack_query

#md = affine_map<(b, h, m, n, d, e) -> (m, d)>
#dm = affine_map<(b, h, m, n, d, e) -> (d, m)>
#nd = affine_map<(b, h, m, n, d, e) -> (n, d)>
#ne = affine_map<(b, h, m, n, d, e) -> (n, e)>
#em = affine_map<(b, h, m, n, d, e) -> (e, m)>
#me = affine_map<(b, h, m, n, d, e) -> (m, e)>
#m = affine_map<(b, h, m, n, d, e) -> (m)>

// A tile of rows is packed: columns past the last row repeat it, and the
// positions that lambda depends on are those in the whole problem (origin +
// local). The elements themselves are not scaled.
// CHECK-LABEL: @pack_query
// CHECK-SAME: (%[[QUERY:.*]]: tensor<?x64xf32>, %[[OUT:.*]]: tensor<64x48xf32>, %[[SCALES:.*]]: tensor<48xf32>, %[[ROW:[^:]*]]: index, %[[SIZE:[^:]*]]: index)
// CHECK: %[[ROWS:.*]] = tensor.dim %[[QUERY]], %c0
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %c1 : index
// CHECK: %[[LAMBDA:.*]] = linalg.generic {{.*}} outs(%[[SCALES]] : tensor<48xf32>)
// CHECK: %[[I:.*]] = linalg.index 0 : index
// CHECK: %[[OWN:.*]] = arith.minsi %[[I]], %[[LAST]] : index
// CHECK: %[[ABSOLUTE:.*]] = arith.addi %[[ROW]], %[[OWN]] : index
// CHECK: arith.addi %[[ABSOLUTE]], %c1 : index
// CHECK: math.log
// CHECK: %[[PACKED:.*]] = linalg.generic {{.*}} outs(%[[OUT]] : tensor<64x48xf32>)
// CHECK: %[[E:.*]] = tensor.extract %[[QUERY]]
// CHECK-NEXT: linalg.yield %[[E]]
// CHECK: return %[[PACKED]], %[[LAMBDA]]
func.func @pack_query(%q: tensor<?x64xf32>, %out: tensor<64x48xf32>, %scales: tensor<48xf32>, %row: index, %size: index) -> (tensor<64x48xf32>, tensor<48xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %0:2 = attn.pack_query scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax) align(top_left)
      indexing_maps [#md, #dm, #m] origin(%c0, %c0, %row, %c0, %c0, %c0) sizes(%size, %size, %size, %size, %c64, %c64)
      ins(%q : tensor<?x64xf32>) outs(%out, %scales : tensor<64x48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>
  return %0#0, %0#1 : tensor<64x48xf32>, tensor<48xf32>
}

// The state is rescaled by 2^(old maximum - new maximum) in its own layout, then
// the tile's keys are added; everything is in log2 units.
// CHECK-LABEL: @online_attention
// CHECK-SAME: %[[ACC:[a-z0-9]*]]: tensor<32x48xf32>, %[[MAX:[a-z0-9]*]]: tensor<48xf32>, %[[SUM:[a-z0-9]*]]: tensor<48xf32>, %[[ROW:[a-z0-9]*]]: index, %[[KEY:[a-z0-9]*]]: index
// CHECK: %[[J:.*]] = arith.addi %[[KEY]], %{{.*}} : index
// CHECK: arith.cmpi sle, %[[J]], %{{.*}} : index
// CHECK: %[[NEW:.*]] = linalg.generic {{.*}} outs(%[[MAX]] : tensor<48xf32>)
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%[[MAX]], %[[NEW]] : tensor<48xf32>, tensor<48xf32>) outs(%[[ACC]] : tensor<32x48xf32>)
// CHECK: math.exp2
// CHECK: %[[REST:.*]] = linalg.generic {{.*}} ins(%[[MAX]], %[[NEW]] : tensor<48xf32>, tensor<48xf32>) outs(%[[SUM]] : tensor<48xf32>)
// CHECK: %[[TOTAL:.*]] = linalg.generic {{.*}} outs(%[[REST]] : tensor<48xf32>)
// CHECK: %[[ADDED:.*]] = linalg.generic {{.*}} outs(%[[SCALED]] : tensor<32x48xf32>)
// CHECK: return %[[ADDED]], %[[NEW]], %[[TOTAL]]
func.func @online_attention(%q: tensor<64x48xf32>, %k: tensor<?x64xf32>, %v: tensor<?x32xf32>,
    %acc: tensor<32x48xf32>, %max: tensor<48xf32>, %sum: tensor<48xf32>, %row: index, %key: index, %size: index)
    -> (tensor<32x48xf32>, tensor<48xf32>, tensor<48xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %s:3 = attn.online_attention packed scale(#attn.none) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      indexing_maps [#dm, #nd, #ne, #em, #m, #m] origin(%c0, %c0, %row, %key, %c0, %c0) sizes(%size, %size, %size, %size, %c64, %c32)
      ins(%q, %k, %v : tensor<64x48xf32>, tensor<?x64xf32>, tensor<?x32xf32>)
      outs(%acc, %max, %sum : tensor<32x48xf32>, tensor<48xf32>, tensor<48xf32>)
      -> tensor<32x48xf32>, tensor<48xf32>, tensor<48xf32>
  return %s#0, %s#1, %s#2 : tensor<32x48xf32>, tensor<48xf32>, tensor<48xf32>
}

// Only the tile's own rows of the padded state are finished.
// CHECK-LABEL: @finalize
// CHECK: %[[ROWS:.*]] = tensor.dim %[[OUT:arg[0-9]*]], %c0
// CHECK: tensor.extract_slice %arg0[0, 0] [32, %[[ROWS]]] [1, 1]
// CHECK: tensor.extract_slice %arg1[0] [%[[ROWS]]] [1]
// CHECK: tensor.extract_slice %arg2[0] [%[[ROWS]]] [1]
// CHECK: %[[RESULT:.*]] = linalg.generic {{.*}} outs(%[[OUT]] : tensor<?x32xf32>)
// CHECK: return %[[RESULT]]
func.func @finalize(%acc: tensor<32x48xf32>, %max: tensor<48xf32>, %sum: tensor<48xf32>, %out: tensor<?x32xf32>, %size: index) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %r = attn.finalize scale(#attn.none) softmax(#attn.softmax1) indexing_maps [#em, #m, #m, #me]
      origin(%c0, %c0, %c0, %c0, %c0, %c0) sizes(%size, %size, %size, %size, %size, %size)
      ins(%acc, %max, %sum : tensor<32x48xf32>, tensor<48xf32>, tensor<48xf32>) outs(%out : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

func.func @kept(%q: tensor<?x64xf32>, %out: tensor<64x48xf32>, %scales: tensor<48xf32>, %row: index, %size: index) -> (tensor<64x48xf32>, tensor<48xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %0:2 = attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      indexing_maps [#md, #dm, #m] origin(%c0, %c0, %row, %c0, %c0, %c0) sizes(%size, %size, %size, %size, %c64, %c64)
      ins(%q : tensor<?x64xf32>) outs(%out, %scales : tensor<64x48xf32>, tensor<48xf32>) -> tensor<64x48xf32>, tensor<48xf32>
  return %0#0, %0#1 : tensor<64x48xf32>, tensor<48xf32>
}
