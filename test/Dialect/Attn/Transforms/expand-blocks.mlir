// RUN: attn-opt %s --attn-expand-blocks | FileCheck %s
// RUN: attn-opt %s --attn-expand-blocks | attn-opt --attn-expand-blocks | FileCheck %s --check-prefix=NONE --implicit-check-not=multi_head --implicit-check-not=feed_forward --implicit-check-not=attn.residual
// RUN: attn-opt %s --attn-decompose | FileCheck %s --check-prefix=NONE --implicit-check-not=attn.

// NONE: module

// The attention reads queries, keys and values as the projections give them.
// CHECK-DAG: #[[$ROWS:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d4)>
// CHECK-DAG: #[[$KEYS:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1 floordiv 2, d4)>
// CHECK-DAG: #[[$VALUES:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1 floordiv 2, d5)>
// CHECK-DAG: #[[$OUT:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d5)>
// CHECK-DAG: #[[$CACHED:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 floordiv 2, d3, d4)>
// CHECK-DAG: #[[$SEQUENCE:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0)>

// CHECK-LABEL: @self
// CHECK: %[[Q:.+]] = attn.linear weight(out_in) ins(%[[X:.+]], %{{.*}}, %{{.*}} : tensor<2x?x64xf32>, tensor<64x64xf32>, tensor<64xf32>)
// CHECK: %[[QH:.+]] = tensor.expand_shape %[[Q]] {{.*}} into tensor<2x?x4x16xf32>
// CHECK: %[[QN:.+]] = attn.norm rms axes [3] eps(1.0{{0*}}e-06) ins(%[[QH]] : {{.*}} gamma(
// CHECK: %[[QR:.+]] = attn.rope pairs(half_split) row_dim(1) ins(%[[QN]]
// CHECK: %[[K:.+]] = attn.linear weight(out_in) ins(%[[X]], {{.*}} tensor<32x64xf32>)
// CHECK: %[[KH:.+]] = tensor.expand_shape %[[K]] {{.*}} into tensor<2x?x2x16xf32>
// CHECK: %[[KN:.+]] = attn.norm rms axes [3] eps(1.0{{0*}}e-06) ins(%[[KH]] : {{.*}} gamma(
// CHECK: %[[KR:.+]] = attn.rope pairs(half_split) row_dim(1) ins(%[[KN]]
// CHECK: %[[V:.+]] = attn.linear weight(out_in) ins(%[[X]]
// CHECK: %[[VH:.+]] = tensor.expand_shape %[[V]]
// CHECK-NOT: linalg.
// CHECK: %[[O:.+]] = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.sink) align(top_left) masks [#attn.causal]
// CHECK-SAME: indexing_maps [#[[$ROWS]], #[[$KEYS]], #[[$VALUES]], #{{.+}}, #[[$OUT]]]
// CHECK-SAME: ins(%[[QR]], %[[KR]], %[[VH]] :
// CHECK: %[[FLAT:.+]] = tensor.collapse_shape %[[O]]
// CHECK: %[[Y:.+]] = attn.linear weight(out_in) ins(%[[FLAT]]
// CHECK: return %[[Y]]
func.func @self(%x: tensor<2x?x64xf32>, %wq: tensor<64x64xf32>, %bq: tensor<64xf32>, %wk: tensor<32x64xf32>,
                %wo: tensor<64x64xf32>, %g: tensor<16xf32>, %sink: tensor<4xf32>) -> tensor<2x?x64xf32> {
  %y = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.sink)
      align(top_left) masks [#attn.causal] qk_norm(rms, 1.0e-06) rope(half_split) weight(out_in)
      ins(%x : tensor<2x?x64xf32>) query(%wq, %bq : tensor<64x64xf32>, tensor<64xf32>) key(%wk : tensor<32x64xf32>)
      value(%wk : tensor<32x64xf32>) output(%wo : tensor<64x64xf32>) gains(%g, %g : tensor<16xf32>, tensor<16xf32>)
      params(%sink : tensor<4xf32>) -> tensor<2x?x64xf32>
  return %y : tensor<2x?x64xf32>
}

// Keys and values of a memory, and no rotation.
// CHECK-LABEL: @cross
// CHECK-SAME: %[[X:.+]]: tensor<2x5x64xf32>, %[[M:.+]]: tensor<2x9x48xf32>
// CHECK: attn.linear ins(%[[X]],
// CHECK: attn.linear ins(%[[M]],
// CHECK: attn.linear ins(%[[M]],
// CHECK: attn.attention
func.func @cross(%x: tensor<2x5x64xf32>, %m: tensor<2x9x48xf32>, %w: tensor<64x64xf32>, %wm: tensor<48x64xf32>) -> tensor<2x5x64xf32> {
  %y = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x64xf32>) memory(%m : tensor<2x9x48xf32>) query(%w : tensor<64x64xf32>)
      key(%wm : tensor<48x64xf32>) value(%wm : tensor<48x64xf32>) output(%w : tensor<64x64xf32>) -> tensor<2x5x64xf32>
  return %y : tensor<2x5x64xf32>
}

// New rows go into a slice of the cache; the attention sees a slice up to them.
// CHECK-LABEL: @append
// CHECK-SAME: %[[KEYS:[^ ]+]]: tensor<1x2x?x16xf32>, %[[VALUES:[^ ]+]]: tensor<1x2x?x16xf32>, %[[PAST:[^ ]+]]: index
// CHECK: attn.rope row_dim(1) {{.*}} offset(%[[PAST]] : index)
// CHECK: cf.assert {{.*}} "past leaves the cache no room for the rows"
// CHECK: %[[PLACE:.+]] = tensor.extract_slice %[[KEYS]][0, 0, %[[PAST]], 0] [1, 2, 3, 16]
// CHECK: %[[COPY:.+]] = linalg.generic {{.*}} outs(%[[PLACE]]
// CHECK: %[[NEW:.+]] = tensor.insert_slice %[[COPY]] into %[[KEYS]][0, 0, %[[PAST]], 0] [1, 2, 3, 16]
// CHECK: %[[NEWV:.+]] = tensor.insert_slice {{.*}} into %[[VALUES]][0, 0, %[[PAST]], 0]
// CHECK: %[[SEEN:.+]] = arith.addi %[[PAST]], %c3
// CHECK: %[[USED:.+]] = tensor.extract_slice %[[NEW]][0, 0, 0, 0] [1, 2, %[[SEEN]], 16]
// CHECK: %[[USEDV:.+]] = tensor.extract_slice %[[NEWV]][0, 0, 0, 0] [1, 2, %[[SEEN]], 16]
// CHECK: attn.attention {{.*}} align(bottom_right) masks [#attn.causal] indexing_maps [#[[$ROWS]], #[[$CACHED]],
// CHECK-SAME: ins(%{{[^ ]+}}, %[[USED]], %[[USEDV]] :
// CHECK: return %{{[^ ]+}}, %[[NEW]], %[[NEWV]]
func.func @append(%x: tensor<1x3x64xf32>, %w: tensor<64x64xf32>, %wk: tensor<64x32xf32>,
                  %keys: tensor<1x2x?x16xf32>, %values: tensor<1x2x?x16xf32>, %past: index)
    -> (tensor<1x3x64xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>) {
  %y:3 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(bottom_right) masks [#attn.causal] rope(interleaved)
      ins(%x : tensor<1x3x64xf32>) query(%w : tensor<64x64xf32>) key(%wk : tensor<64x32xf32>)
      value(%wk : tensor<64x32xf32>) output(%w : tensor<64x64xf32>)
      cache(%keys, %values : tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>) past(%past : index)
      -> tensor<1x3x64xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>
  return %y#0, %y#1, %y#2 : tensor<1x3x64xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>
}

// Each sequence appends at its own row, and a mask says how many it has.
// CHECK-LABEL: @ragged
// CHECK-SAME: %[[PAST:[^ ]+]]: tensor<3xi32>
// CHECK: %[[NEW:.+]]:2 = scf.for
// CHECK: tensor.extract %[[PAST]][
// CHECK: cf.assert
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// CHECK: %[[SEEN:.+]] = arith.addi %[[PAST]], %{{.*}} : tensor<3xi32>
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.sink) align(bottom_right) masks [#attn.causal, #attn.kv_lengths]
// CHECK-SAME: #[[$SEQUENCE]],
// CHECK-SAME: ins(%{{[^ ]+}}, %[[NEW]]#0, %[[NEW]]#1 : {{.*}} params(%[[SEEN]], %{{[^ ]+}} : tensor<3xi32>, tensor<4xf32>)
func.func @ragged(%x: tensor<3x1x64xf32>, %w: tensor<64x64xf32>, %sink: tensor<4xf32>, %keys: tensor<3x4x9x16xf32>,
                  %values: tensor<3x4x9x16xf32>, %past: tensor<3xi32>)
    -> (tensor<3x1x64xf32>, tensor<3x4x9x16xf32>, tensor<3x4x9x16xf32>) {
  %y:3 = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.sink)
      align(bottom_right) masks [#attn.causal]
      ins(%x : tensor<3x1x64xf32>) query(%w : tensor<64x64xf32>) key(%w : tensor<64x64xf32>)
      value(%w : tensor<64x64xf32>) output(%w : tensor<64x64xf32>) params(%sink : tensor<4xf32>)
      cache(%keys, %values : tensor<3x4x9x16xf32>, tensor<3x4x9x16xf32>) past(%past : tensor<3xi32>)
      -> tensor<3x1x64xf32>, tensor<3x4x9x16xf32>, tensor<3x4x9x16xf32>
  return %y#0, %y#1, %y#2 : tensor<3x1x64xf32>, tensor<3x4x9x16xf32>, tensor<3x4x9x16xf32>
}

// CHECK-LABEL: @gated
// CHECK: %[[G:.+]] = attn.linear parameterisation(ntk) ins(%[[X:.+]], %{{.*}} :
// CHECK: %[[F:.+]] = attn.activation silu unit_moment %[[G]]
// CHECK: %[[U:.+]] = attn.linear parameterisation(ntk) ins(%[[X]], %{{.*}} :
// CHECK: %[[H:.+]] = arith.mulf %[[F]], %[[U]]
// CHECK: %[[Y:.+]] = attn.linear parameterisation(ntk) ins(%[[H]], %{{.*}}, %{{.*}} :
// CHECK: return %[[Y]]
func.func @gated(%x: tensor<5x8xf32>, %w: tensor<8x12xf32>, %d: tensor<12x8xf32>, %b: tensor<8xf32>) -> tensor<5x8xf32> {
  %y = attn.feed_forward silu unit_moment parameterisation(ntk) ins(%x : tensor<5x8xf32>)
      gate(%w : tensor<8x12xf32>) up(%w : tensor<8x12xf32>) down(%d, %b : tensor<12x8xf32>, tensor<8xf32>) -> tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}

// A residual block around a composite op: the norm comes first, the sum last.
// CHECK-LABEL: @pre
// CHECK-SAME: %[[X:[^ ]+]]: tensor<5x8xf32>
// CHECK: %[[N:.+]] = attn.norm rms axes [1] {{.*}} ins(%[[X]]
// CHECK: attn.linear ins(%[[N]],
// CHECK: %[[F:.+]] = attn.linear
// CHECK: %[[Y:.+]] = arith.addf %[[X]], %[[F]]
// CHECK: return %[[Y]]
func.func @pre(%x: tensor<5x8xf32>, %w: tensor<8x8xf32>) -> tensor<5x8xf32> {
  %init = tensor.empty() : tensor<5x8xf32>
  %y = attn.residual pre(%x : tensor<5x8xf32>) norm {
  ^bb0(%z: tensor<5x8xf32>):
    %n = attn.norm rms axes [1] eps(1.0e-06) ins(%z : tensor<5x8xf32>) outs(%init : tensor<5x8xf32>) -> tensor<5x8xf32>
    attn.yield %n : tensor<5x8xf32>
  } branch {
  ^bb0(%h: tensor<5x8xf32>):
    %f = attn.feed_forward gelu ins(%h : tensor<5x8xf32>) up(%w : tensor<8x8xf32>) down(%w : tensor<8x8xf32>) -> tensor<5x8xf32>
    attn.yield %f : tensor<5x8xf32>
  }
  return %y : tensor<5x8xf32>
}

// CHECK-LABEL: @post
// CHECK: %[[F:.+]] = attn.linear ins(%[[X:[^ ,]+]],
// CHECK: %[[S:.+]] = arith.addf %[[X]], %[[F]]
// CHECK: %[[Y:.+]] = attn.norm layer axes [1] {{.*}} ins(%[[S]]
// CHECK: return %[[Y]]
func.func @post(%x: tensor<5x8xf32>, %w: tensor<8x8xf32>) -> tensor<5x8xf32> {
  %init = tensor.empty() : tensor<5x8xf32>
  %y = attn.residual post(%x : tensor<5x8xf32>) norm {
  ^bb0(%z: tensor<5x8xf32>):
    %n = attn.norm layer axes [1] eps(1.0e-06) ins(%z : tensor<5x8xf32>) outs(%init : tensor<5x8xf32>) -> tensor<5x8xf32>
    attn.yield %n : tensor<5x8xf32>
  } branch {
  ^bb0(%h: tensor<5x8xf32>):
    %f = attn.linear ins(%h, %w : tensor<5x8xf32>, tensor<8x8xf32>) outs(%init : tensor<5x8xf32>) -> tensor<5x8xf32>
    attn.yield %f : tensor<5x8xf32>
  }
  return %y : tensor<5x8xf32>
}

// A factor is applied in the type of sums, which is rounded once.
// CHECK-LABEL: @scheduled
// CHECK: %[[GROWN:.+]] = arith.mulf
// CHECK: %[[T:.+]] = arith.select
// CHECK: linalg.generic
// CHECK: arith.extf
// CHECK: arith.mulf %{{.*}}, %[[T]] : f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @scheduled(%x: tensor<5x8xbf16>, %t: i64) -> tensor<5x8xbf16> {
  %y = attn.residual scheduled(%x : tensor<5x8xbf16>) time(%t : i64) step(1.0e-02) branch {
  ^bb0(%h: tensor<5x8xbf16>):
    %f = attn.activation gelu %h : tensor<5x8xbf16>
    attn.yield %f : tensor<5x8xbf16>
  }
  return %y : tensor<5x8xbf16>
}
