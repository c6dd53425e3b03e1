// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-tile --canonicalize --cse 2>/dev/null | FileCheck %s

// Work items are key heads times ranges of keys; an item has the rows of all
// query heads of its key head and reads key and value once. The number of ranges
// comes from the sizes: 64 items at least, 512 keys a range at least.
// CHECK-LABEL: @grouped
func.func @grouped(%q: tensor<2x8x1x64xf32>, %k: tensor<2x4x16384x64xf32>, %o: tensor<2x8x1x64xf32>, %l: tensor<2x8x1xf32>) -> (tensor<2x8x1x64xf32>, tensor<2x8x1xf32>) {
  // CHECK: %[[STATES:.*]]:3 = scf.forall (%[[B:.*]], %[[H:.*]], %[[S:.*]]) in (2, 4, 8) shared_outs
  // CHECK-SAME: -> (tensor<2x4x8x2x1x64xf32>, tensor<2x4x8x2x1xf32>, tensor<2x4x8x2x1xf32>)
  // CHECK: %[[HEAD:.*]] = affine.apply #{{.*}}(%[[H]])
  // CHECK: tensor.extract_slice %{{.*}}[%[[B]], %[[HEAD]], 0, 0] [1, 2, 1, 64] {{.*}} to tensor<2x1x64xf32>
  // CHECK: tensor.extract_slice %{{.*}}[%[[B]], %[[H]], %{{.*}}, 0] [1, 1, %{{.*}}, 64] {{.*}} to tensor<?x64xf32>
  // CHECK: attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule
  // CHECK-SAME: splitKeys = 512, items = 64
  // CHECK-SAME: outs({{.*}} : tensor<2x1x64xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  // CHECK: scf.forall.in_parallel
  // CHECK: scf.forall (%{{.*}}, %{{.*}}) in (2, 4) shared_outs
  // CHECK: attn.finalize scale(#attn.none) softmax(#attn.softmax1)
  // CHECK-SAME: ins(%{{.*}} : tensor<8x2x1x64xf32>, tensor<8x2x1xf32>, tensor<8x2x1xf32>)
  // CHECK-SAME: outs(%{{.*}} : tensor<2x1x64xf32>, tensor<2x1xf32>)
  %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
      ins(%q, %k, %k : tensor<2x8x1x64xf32>, tensor<2x4x16384x64xf32>, tensor<2x4x16384x64xf32>)
      outs(%o, %l : tensor<2x8x1x64xf32>, tensor<2x8x1xf32>) -> tensor<2x8x1x64xf32>, tensor<2x8x1xf32>
  return %0#0, %0#1 : tensor<2x8x1x64xf32>, tensor<2x8x1xf32>
}

// What one row sees, it sees whole: no mask is left. The ranges divide the keys
// that the length leaves.
// CHECK-LABEL: @one_row_needs_no_mask
func.func @one_row_needs_no_mask(%q: tensor<2x4x1x64xf32>, %k: tensor<2x4x?x64xf32>, %n: tensor<2xi32>) -> tensor<2x4x1x64xf32> {
  // CHECK: scf.forall
  // CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<2xi32>
  // CHECK-NOT: masks
  // CHECK: attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule
  // CHECK-NOT: attn.online_attention
  // CHECK: return
  %e = tensor.empty() : tensor<2x4x1x64xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.kv_lengths]
      ins(%q, %k, %k : tensor<2x4x1x64xf32>, tensor<2x4x?x64xf32>, tensor<2x4x?x64xf32>)
      params(%n : tensor<2xi32>) outs(%e : tensor<2x4x1x64xf32>) -> tensor<2x4x1x64xf32>
  return %0 : tensor<2x4x1x64xf32>
}

// Several rows keep their masks, and so does a row whose scale or bias looks at
// the length.
// CHECK-LABEL: @several_rows
func.func @several_rows(%q: tensor<4x3x64xf32>, %k: tensor<4x?x64xf32>) -> tensor<4x3x64xf32> {
  // CHECK: attn.online_attention {{.*}} align(bottom_right) masks [#attn.causal]
  %e = tensor.empty() : tensor<4x3x64xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %k : tensor<4x3x64xf32>, tensor<4x?x64xf32>, tensor<4x?x64xf32>) outs(%e : tensor<4x3x64xf32>) -> tensor<4x3x64xf32>
  return %0 : tensor<4x3x64xf32>
}

// CHECK-LABEL: @position_needs_length
func.func @position_needs_length(%q: tensor<2x4x1x64xf32>, %k: tensor<2x4x?x64xf32>, %n: tensor<2xi32>) -> tensor<2x4x1x64xf32> {
  // CHECK: attn.online_attention {{.*}} bias [#attn.alibi] masks [#attn.kv_lengths]
  %e = tensor.empty() : tensor<2x4x1x64xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) bias [#attn.alibi] masks [#attn.kv_lengths]
      ins(%q, %k, %k : tensor<2x4x1x64xf32>, tensor<2x4x?x64xf32>, tensor<2x4x?x64xf32>)
      params(%n : tensor<2xi32>) outs(%e : tensor<2x4x1x64xf32>) -> tensor<2x4x1x64xf32>
  return %0 : tensor<2x4x1x64xf32>
}

// Many rows, transposed keys and a dynamic number of rows leave the queries in
// the lanes.
// CHECK-LABEL: @not_decoding
// CHECK-COUNT-3: attn.pack_query
func.func @not_decoding(%q: tensor<4x5x64xf32>, %k: tensor<4x?x64xf32>, %d: tensor<4x?x64xf32>, %one: tensor<4x1x64xf32>, %t: tensor<4x64x?xf32>) -> (tensor<4x5x64xf32>, tensor<4x?x64xf32>, tensor<4x1x64xf32>) {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x5x64xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<4x5x64xf32>, tensor<4x?x64xf32>, tensor<4x?x64xf32>) outs(%e : tensor<4x5x64xf32>) -> tensor<4x5x64xf32>
  %m = tensor.dim %d, %c1 : tensor<4x?x64xf32>
  %f = tensor.empty(%m) : tensor<4x?x64xf32>
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%d, %k, %k : tensor<4x?x64xf32>, tensor<4x?x64xf32>, tensor<4x?x64xf32>) outs(%f : tensor<4x?x64xf32>) -> tensor<4x?x64xf32>
  %g = tensor.empty() : tensor<4x1x64xf32>
  %2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      indexing_maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, d, n)>, affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%one, %t, %k : tensor<4x1x64xf32>, tensor<4x64x?xf32>, tensor<4x?x64xf32>) outs(%g : tensor<4x1x64xf32>) -> tensor<4x1x64xf32>
  return %0, %1, %2 : tensor<4x5x64xf32>, tensor<4x?x64xf32>, tensor<4x1x64xf32>
}
