// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-tile --canonicalize --cse 2>/dev/null | FileCheck %s

// One parallel loop over heads and blocks of 96 rows, one loop over 64 keys, and
// no tensor of rows x keys. The last block is the one that is not full.
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0) -> (d0 * 96)>
// CHECK-DAG: #[[COUNT:.*]] = affine_map<(d0) -> (d0 * -96 + 200, 96)>
// CHECK-DAG: #[[CAUSAL_FIRST:.*]] = affine_map<(d0) -> (0, d0 * 48 - 40)>
// CHECK-DAG: #[[CAUSAL_COUNT:.*]] = affine_map<(d0) -> (48, d0 * 48 + 8)>
// CHECK-LABEL: @plain
// CHECK-NOT: tensor<200x100
func.func @plain(%q: tensor<2x200x64xf32>, %k: tensor<2x100x64xf32>, %o: tensor<2x200x64xf32>) -> tensor<2x200x64xf32> {
  // CHECK: scf.forall (%{{.*}}, %[[BLOCK:.*]]) in (2, 3) shared_outs
  // CHECK: %[[ROW:.*]] = affine.apply #[[FIRST]](%[[BLOCK]])
  // CHECK: affine.min #[[COUNT]](%[[BLOCK]])
  // CHECK: %[[QT:.*]]:2 = attn.pack_query scale(#attn.inv_sqrt_dim) {{.*}} -> tensor<64x96xf32>, tensor<96xf32>
  // CHECK: %[[STATE:.*]]:3 = scf.for %[[J:.*]] = %c0 to %c100 step %c64
  // CHECK:   attn.online_attention packed scale(#attn.operand{{[^)]*}}) softmax(#attn.softmax) schedule
  // CHECK-SAME: ins(%[[QT]]#0, %{{.*}}, %{{.*}} : tensor<64x96xf32>, tensor<?x64xf32>, tensor<?x64xf32>) params(%[[QT]]#1 : tensor<96xf32>)
  // CHECK: attn.finalize {{.*}} ins(%[[STATE]]#0, %[[STATE]]#1, %[[STATE]]#2
  // CHECK: tensor.parallel_insert_slice
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x200x64xf32>, tensor<2x100x64xf32>, tensor<2x100x64xf32>) outs(%o : tensor<2x200x64xf32>) -> tensor<2x200x64xf32>
  return %0 : tensor<2x200x64xf32>
}

// Under a causal mask the first block is the one that is not full: it takes as
// long as a full one, and sees the fewest keys. 104 rows are 8, 48 and 48.
// CHECK-LABEL: @causal_starts_with_the_partial_block
func.func @causal_starts_with_the_partial_block(%q: tensor<2x104x64xf32>, %o: tensor<2x104x64xf32>) -> tensor<2x104x64xf32> {
  // CHECK: scf.forall (%{{.*}}, %[[BLOCK:.*]]) in (2, 3) shared_outs
  // CHECK: %[[ROW:.*]] = affine.max #[[CAUSAL_FIRST]](%[[BLOCK]])
  // CHECK: %[[ROWS:.*]] = affine.min #[[CAUSAL_COUNT]](%[[BLOCK]])
  // CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, %[[ROW]], 0] [1, %[[ROWS]], 64]
  // CHECK: tensor.parallel_insert_slice %{{.*}}[%{{.*}}, %[[ROW]], 0] [1, %[[ROWS]], 64]
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      ins(%q, %q, %q : tensor<2x104x64xf32>, tensor<2x104x64xf32>, tensor<2x104x64xf32>) outs(%o : tensor<2x104x64xf32>) -> tensor<2x104x64xf32>
  return %0 : tensor<2x104x64xf32>
}

// A causal mask leaves two loops: the full part without the mask, then the edge
// with it; e0 enters in finalize only.
// CHECK-LABEL: @causal_skips_upper_tiles
func.func @causal_skips_upper_tiles(%q: tensor<2x96x64xf32>, %o: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
  // CHECK: scf.for
  // CHECK: attn.online_attention packed scale(#attn.operand{{[^)]*}}) softmax(#attn.softmax) align(top_left) schedule
  // CHECK: scf.for
  // CHECK: attn.online_attention packed scale(#attn.operand{{[^)]*}}) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
  // CHECK-NOT: scf.for
  // CHECK: attn.finalize scale(#attn.none) softmax(#attn.softmax1)
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) align(top_left) masks [#attn.causal]
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%o : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %0 : tensor<2x96x64xf32>
}

// A window has an edge on both sides of its full part. A loop over the sides has
// the code of both: the full part is on the left side, the right one's is empty.
// CHECK-LABEL: @window_has_two_edges
func.func @window_has_two_edges(%q: tensor<2x96x64xf32>, %o: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
  // CHECK: scf.for %[[SIDE:.*]] = %c0{{.*}} to %c2{{.*}} step %c1
  // CHECK: %[[LEFT:.*]] = arith.cmpi eq, %[[SIDE]], %c0
  // CHECK: %[[BEGIN:.*]] = arith.select %[[LEFT]], %{{.*}}, %[[AFTER:.*]] : index
  // CHECK: %[[END:.*]] = arith.select %[[LEFT]], %[[FIRST:.*]], %{{.*}} : index
  // CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step
  // CHECK: attn.online_attention {{.*}} masks [#attn.window<left = 70, right = 3>]
  // CHECK: %[[LAST:.*]] = arith.select %[[LEFT]], %[[AFTER]], %[[FIRST]] : index
  // CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] step
  // CHECK: attn.online_attention packed scale(#attn.operand{{[^)]*}}) softmax(#attn.softmax) align(top_left) schedule
  // CHECK-NOT: attn.online_attention
  // CHECK: attn.finalize
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 70, right = 3>]
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%o : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %0 : tensor<2x96x64xf32>
}

// Query heads of a group read one key head; the per-row scale is computed with
// the packed query; lse is a second result.
// CHECK-LABEL: @groups_and_lse
func.func @groups_and_lse(%q: tensor<1x8x?x64xf32>, %k: tensor<1x2x?x64xf32>, %o: tensor<1x8x?x64xf32>, %l: tensor<1x8x?xf32>) -> (tensor<1x8x?x64xf32>, tensor<1x8x?xf32>) {
  // CHECK: scf.forall (%[[HEAD:.*]], %{{.*}}) in (8, %{{.*}})
  // CHECK: attn.pack_query scale(#attn.log_length<base = 2.000000e+00, n = position>) {{.*}} align(bottom_right)
  // CHECK: %[[KV:.*]] = affine.apply #{{.*}}(%[[HEAD]])
  // CHECK: tensor.extract_slice %{{.*}}[0, %[[KV]], %{{.*}}, 0]
  // CHECK: attn.finalize {{.*}} -> tensor<?x64xf32>, tensor<?xf32>
  %0:2 = attn.attention scale(#attn.log_length<base = 2.0, n = position>) softmax(#attn.softmax) align(bottom_right)
      ins(%q, %k, %k : tensor<1x8x?x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>) outs(%o, %l : tensor<1x8x?x64xf32>, tensor<1x8x?xf32>) -> tensor<1x8x?x64xf32>, tensor<1x8x?xf32>
  return %0#0, %0#1 : tensor<1x8x?x64xf32>, tensor<1x8x?xf32>
}

// Without a schedule nothing is tiled.
// CHECK-LABEL: @unscheduled
func.func @unscheduled(%q: tensor<2x96x?xf32>) -> tensor<2x96x?xf32> {
  // CHECK-NEXT: attn.attention
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x96x?xf32>, tensor<2x96x?xf32>, tensor<2x96x?xf32>) outs(%q : tensor<2x96x?xf32>) -> tensor<2x96x?xf32>
  return %0 : tensor<2x96x?xf32>
}
