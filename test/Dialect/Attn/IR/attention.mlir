// RUN: attn-opt %s --verify-roundtrip | FileCheck %s
// RUN: attn-opt %s --mlir-print-op-generic | attn-opt --verify-roundtrip | FileCheck %s

// Everything a plain attention leaves out of its text is a default.
// CHECK-LABEL: @plain
func.func @plain(%q: tensor<2x8x16x64xf32>, %k: tensor<2x8x24x64xf32>, %v: tensor<2x8x24x32xf32>, %o: tensor<2x8x16x32xf32>) -> tensor<2x8x16x32xf32> {
  // CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x8x16x64xf32>, tensor<2x8x24x64xf32>, tensor<2x8x24x32xf32>) outs(%{{.*}} : tensor<2x8x16x32xf32>) -> tensor<2x8x16x32xf32>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<2x8x16x64xf32>, tensor<2x8x24x64xf32>, tensor<2x8x24x32xf32>)
      outs(%o : tensor<2x8x16x32xf32>) -> tensor<2x8x16x32xf32>
  return %r : tensor<2x8x16x32xf32>
}

// Every clause at once, with lse, dynamic sizes and grouped heads.
// CHECK-LABEL: @all_clauses
func.func @all_clauses(%q: tensor<?x32x?x128xbf16>, %k: tensor<?x8x?x128xbf16>, %v: tensor<?x8x?x128xbf16>,
    %lens: tensor<?xi32>, %o: tensor<?x32x?x128xbf16>, %l: tensor<?x32x?xf32>) -> (tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>) {
  // CHECK: attn.attention scale(#attn.log_length<base = 5.120000e+02, n = position>)
  // CHECK-SAME: similarity(#attn.cosine<eps = 1.000000e-06, mode = rsqrt_sum>)
  // CHECK-SAME: softmax(#attn.softmax1) align(bottom_right)
  // CHECK-SAME: bias [#attn.alibi]
  // CHECK-SAME: masks [#attn.causal, #attn.window<left = 128, right = 0>, #attn.kv_lengths]
  // CHECK-SAME: softcap(3.000000e+01)
  // CHECK-SAME: ins({{.*}}) params(%{{.*}} : tensor<?xi32>) outs(
  // CHECK-SAME: -> tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>
  %r:2 = attn.attention scale(#attn.log_length<base = 512.0, n = position>)
      similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax1)
      align(bottom_right) bias [#attn.alibi] masks [#attn.causal, #attn.window<left = 128, right = 0>, #attn.kv_lengths] softcap(30.0)
      ins(%q, %k, %v : tensor<?x32x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>)
      params(%lens : tensor<?xi32>) outs(%o, %l : tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>)
      -> tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>
  return %r#0, %r#1 : tensor<?x32x?x128xbf16>, tensor<?x32x?xf32>
}

// Scale policies and the sources of n keep their text.
// CHECK-LABEL: @scales
func.func @scales(%q: tensor<4x16x64xf32>, %o: tensor<4x16x64xf32>, %h: tensor<4xf32>, %p: tensor<16xi64>, %c: f32) {
  // CHECK: scale(#attn.none)
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // CHECK: scale(#attn.inv_dim)
  %1 = attn.attention scale(#attn.inv_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // A number that six digits do not hold is printed in full.
  // CHECK: scale(#attn.constant<1.76776695296636{{[0-9]*}}e-01>)
  %2 = attn.attention scale(#attn.constant<0.17677669529663687>) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // CHECK: scale(#attn.operand){{.*}}params(%{{.*}} : tensor<4xf32>)
  %3 = attn.attention scale(#attn.operand) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%h : tensor<4xf32>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // CHECK: scale(#attn.operand){{.*}}params(%{{.*}} : f32)
  %4 = attn.attention scale(#attn.operand) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%c : f32) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // CHECK: scale(#attn.learned)
  %5 = attn.attention scale(#attn.learned) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%h : tensor<4xf32>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // CHECK: scale(#attn.entropy_invariant<kappa = 2.000000e+00, n = visible>)
  %6 = attn.attention scale(#attn.entropy_invariant<kappa = 2.0, n = visible>) softmax(#attn.softmax) align(top_left) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // kappa as a param is the default, and n = keys.
  // CHECK: scale(#attn.entropy_invariant) softmax
  %7 = attn.attention scale(#attn.entropy_invariant<n = keys>) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%h : tensor<4xf32>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // CHECK: scale(#attn.gradient_max_fit<scores = normal, n = constant(1024)>)
  %8 = attn.attention scale(#attn.gradient_max_fit<scores = normal, n = constant(1024)>) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // CHECK: scale(#attn.gradient_max<scores = normal, n = half_max(4096)>)
  %9 = attn.attention scale(#attn.gradient_max<scores = normal, n = half_max(4096)>) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // CHECK: scale(#attn.gradient_max_blind)
  %10 = attn.attention scale(#attn.gradient_max_blind) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  // CHECK: scale(#attn.log_length<base = 2.000000e+00, n = position_operand>)
  %11 = attn.attention scale(#attn.log_length<base = 2.0, n = position_operand>) softmax(#attn.softmax) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) params(%p : tensor<16xi64>) outs(%o : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// Normalisers, and masks and biases with params in their order.
// CHECK-LABEL: @params_in_order
func.func @params_in_order(%q: tensor<1x4x16x64xf32>, %o: tensor<1x4x16x64xf32>, %t: tensor<4xf32>, %b: tensor<1x1x16x16xf32>, %m: tensor<16x16xi1>, %s: tensor<1x16xi32>) {
  // CHECK: softmax(#attn.sink) bias [#attn.dense_bias] masks [#attn.dense_mask, #attn.segment_ids]
  // CHECK-SAME: params(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x1x16x16xf32>, tensor<16x16xi1>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<4xf32>)
  %0 = attn.attention scale(#attn.none) softmax(#attn.sink) bias [#attn.dense_bias] masks [#attn.dense_mask, #attn.segment_ids]
      ins(%q, %q, %q : tensor<1x4x16x64xf32>, tensor<1x4x16x64xf32>, tensor<1x4x16x64xf32>)
      params(%b, %m, %s, %s, %t : tensor<1x1x16x16xf32>, tensor<16x16xi1>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<4xf32>)
      outs(%o : tensor<1x4x16x64xf32>) -> tensor<1x4x16x64xf32>
  // CHECK: softmax(#attn.softmax_n<2.500000e+00>)
  // CHECK-SAME: bias [#attn.alibi<slopes = operand>] masks [#attn.additive_mask]
  %1 = attn.attention scale(#attn.none) softmax(#attn.softmax_n<2.5>) align(top_left) bias [#attn.alibi<slopes = operand>] masks [#attn.additive_mask]
      ins(%q, %q, %q : tensor<1x4x16x64xf32>, tensor<1x4x16x64xf32>, tensor<1x4x16x64xf32>)
      params(%t, %b : tensor<4xf32>, tensor<1x1x16x16xf32>)
      outs(%o : tensor<1x4x16x64xf32>) -> tensor<1x4x16x64xf32>
  return
}

// A score region sees absolute indices and its own params.
// CHECK-LABEL: @score_region
func.func @score_region(%q: tensor<4x16x64xf32>, %o: tensor<4x16x64xf32>, %t: tensor<4xf32>) {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax)
      indexing_maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
        affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>)
      params(%t : tensor<4xf32>) outs(%o : tensor<4x16x64xf32>)
      // CHECK: score {
      // CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[T:.*]]: f32):
      // CHECK-NEXT: %[[R:.*]] = arith.mulf %[[S]], %[[T]]
      // CHECK-NEXT: attn.yield %[[R]] : f32
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %slope: f32):
        %r = arith.mulf %s, %slope : f32
        attn.yield %r : f32
      } -> tensor<4x16x64xf32>
  return
}

// Params of a region are numbers or conditions.
// CHECK-LABEL: @score_region_condition
func.func @score_region_condition(%q: tensor<4x16x64xf32>, %o: tensor<4x16x64xf32>, %m: tensor<16x16xi1>) {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>)
      params(%m : tensor<16x16xi1>) outs(%o : tensor<4x16x64xf32>)
      // CHECK: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[M:.*]]: i1):
      // CHECK: arith.select %[[M]], %[[S]]
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %keep: i1):
        %fill = arith.constant -1.0e+9 : f32
        %r = arith.select %keep, %s, %fill : f32
        attn.yield %r : f32
      } -> tensor<4x16x64xf32>
  return
}

// Layouts are maps: here [batch, rows, heads, dim], as JAX has it, on memrefs.
// CHECK-LABEL: @layout_memref
func.func @layout_memref(%q: memref<1x16x4x64xf32>, %k: memref<1x16x2x64xf32>, %o: memref<1x16x4x64xf32>) {
  // CHECK: indexing_maps [
  attn.attention scale(#attn.none) softmax(#attn.softmax)
      indexing_maps [affine_map<(b, h, m, n, d, e) -> (b, m, h, d)>, affine_map<(b, h, m, n, d, e) -> (b, n, h floordiv 2, d)>,
        affine_map<(b, h, m, n, d, e) -> (b, n, h floordiv 2, e)>, affine_map<(b, h, m, n, d, e) -> (b, m, h, e)>]
      ins(%q, %k, %k : memref<1x16x4x64xf32>, memref<1x16x2x64xf32>, memref<1x16x2x64xf32>) outs(%o : memref<1x16x4x64xf32>)
  return
}
