// RUN: attn-opt %s --verify-roundtrip | FileCheck %s

// What is as usual is not printed.
// CHECK-LABEL: @feed_forward_by_default
// CHECK: attn.feed_forward gelu ins(%{{[^ ]*}} : tensor<5x8xf32>) up(%{{[^ ]*}} : tensor<8x12xf32>) down(%{{[^ ]*}} : tensor<12x8xf32>) -> tensor<5x8xf32>
func.func @feed_forward_by_default(%x: tensor<5x8xf32>, %u: tensor<8x12xf32>, %d: tensor<12x8xf32>) -> tensor<5x8xf32> {
  %y = attn.feed_forward gelu parameterisation(standard) weight(in_out) ins(%x : tensor<5x8xf32>)
      up(%u : tensor<8x12xf32>) down(%d : tensor<12x8xf32>) -> tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}

// Each layer has a bias or none; a gate makes the layer a gated one.
// Without a function there are linear layers alone.
// CHECK-LABEL: @feed_forward_linear
// CHECK: attn.feed_forward parameterisation(ntk) ins(%{{[^ ]*}} : tensor<5x8xf32>) up(%{{[^ ]*}} : tensor<8x12xf32>) down(
// CHECK: attn.feed_forward ins(%{{[^ ]*}} : tensor<5x8xf32>) gate(
func.func @feed_forward_linear(%x: tensor<5x8xf32>, %u: tensor<8x12xf32>, %d: tensor<12x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>) {
  %y = attn.feed_forward parameterisation(ntk) ins(%x : tensor<5x8xf32>) up(%u : tensor<8x12xf32>) down(%d : tensor<12x8xf32>) -> tensor<5x8xf32>
  %z = attn.feed_forward ins(%x : tensor<5x8xf32>) gate(%u : tensor<8x12xf32>) up(%u : tensor<8x12xf32>) down(%d : tensor<12x8xf32>) -> tensor<5x8xf32>
  return %y, %z : tensor<5x8xf32>, tensor<5x8xf32>
}

// CHECK-LABEL: @feed_forward_gated
// CHECK: attn.feed_forward sigmoid centered unit_moment parameterisation(ntk) weight(out_in) ins(%{{[^ ]*}} : tensor<2x?x8xbf16>)
// CHECK-SAME: gate(%{{[^ ]*}}, %{{[^ ]*}} : tensor<12x8xbf16>, tensor<12xf32>) up(%{{[^ ]*}} : tensor<12x8xbf16>)
// CHECK-SAME: down(%{{[^ ]*}}, %{{[^ ]*}} : tensor<6x12xbf16>, tensor<6xbf16>) -> tensor<2x?x6xbf16>
func.func @feed_forward_gated(%x: tensor<2x?x8xbf16>, %g: tensor<12x8xbf16>, %gb: tensor<12xf32>, %u: tensor<12x8xbf16>,
                              %d: tensor<6x12xbf16>, %db: tensor<6xbf16>) -> tensor<2x?x6xbf16> {
  %y = attn.feed_forward sigmoid centered unit_moment parameterisation(ntk) weight(out_in) ins(%x : tensor<2x?x8xbf16>)
      gate(%g, %gb : tensor<12x8xbf16>, tensor<12xf32>) up(%u : tensor<12x8xbf16>)
      down(%d, %db : tensor<6x12xbf16>, tensor<6xbf16>) -> tensor<2x?x6xbf16>
  return %y : tensor<2x?x6xbf16>
}

// Self attention of one sequence.
// CHECK-LABEL: @self
// CHECK: attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%{{[^ ]*}} : tensor<5x32xf32>)
// CHECK-SAME: query(%{{[^ ]*}} : tensor<32x32xf32>) key(%{{[^ ]*}} : tensor<32x32xf32>) value(%{{[^ ]*}} : tensor<32x32xf32>)
// CHECK-SAME: output(%{{[^ ]*}} : tensor<32x32xf32>) -> tensor<5x32xf32>
func.func @self(%x: tensor<5x32xf32>, %w: tensor<32x32xf32>) -> tensor<5x32xf32> {
  %y = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<5x32xf32>) query(%w : tensor<32x32xf32>) key(%w : tensor<32x32xf32>)
      value(%w : tensor<32x32xf32>) output(%w : tensor<32x32xf32>) -> tensor<5x32xf32>
  return %y : tensor<5x32xf32>
}

// Everything that changes scores and heads, in its order.
// CHECK-LABEL: @policies
// CHECK: attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.learned) similarity(#attn.cosine<{{[^>]*}}>) softmax(#attn.sink)
// CHECK-SAME: align(bottom_right) bias [#attn.alibi] masks [#attn.causal, #attn.window<left = 3, right = 0>] softcap(3.000000e+01)
// CHECK-SAME: qk_norm(rms, 1.000000e-06) rope(half_split) base(5.000000e+05) position_scale(5.000000e-01) rotary_dim(4)
// CHECK-SAME: parameterisation(ntk) weight(out_in) ins(%{{[^ ]*}} : tensor<2x?x32xf32>)
// CHECK-SAME: query(%{{[^ ]*}}, %{{[^ ]*}} : tensor<32x32xf32>, tensor<32xf32>) key(%{{[^ ]*}} : tensor<16x32xf32>)
// CHECK-SAME: value(%{{[^ ]*}} : tensor<20x32xf32>) output(%{{[^ ]*}}, %{{[^ ]*}} : tensor<24x40xf32>, tensor<24xf32>)
// CHECK-SAME: gains(%{{[^ ]*}}, %{{[^ ]*}} : tensor<8xf32>, tensor<8xf32>) positions(%{{[^ ]*}} : tensor<2x?xi64>)
// CHECK-SAME: params(%{{[^ ]*}}, %{{[^ ]*}} : tensor<4xf32>, tensor<4xf32>) -> tensor<2x?x24xf32>
func.func @policies(%x: tensor<2x?x32xf32>, %wq: tensor<32x32xf32>, %bq: tensor<32xf32>, %wk: tensor<16x32xf32>,
                    %wv: tensor<20x32xf32>, %wo: tensor<24x40xf32>, %bo: tensor<24xf32>, %g: tensor<8xf32>,
                    %at: tensor<2x?xi64>, %lambda: tensor<4xf32>, %sink: tensor<4xf32>) -> tensor<2x?x24xf32> {
  %y = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.learned) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>)
      softmax(#attn.sink) align(bottom_right) bias [#attn.alibi]
      masks [#attn.causal, #attn.window<left = 3, right = 0>] softcap(30.0) qk_norm(rms, 1.0e-06)
      rope(half_split) base(5.0e+05) position_scale(0.5) rotary_dim(4) parameterisation(ntk) weight(out_in)
      ins(%x : tensor<2x?x32xf32>) query(%wq, %bq : tensor<32x32xf32>, tensor<32xf32>) key(%wk : tensor<16x32xf32>)
      value(%wv : tensor<20x32xf32>) output(%wo, %bo : tensor<24x40xf32>, tensor<24xf32>)
      gains(%g, %g : tensor<8xf32>, tensor<8xf32>) positions(%at : tensor<2x?xi64>)
      params(%lambda, %sink : tensor<4xf32>, tensor<4xf32>) -> tensor<2x?x24xf32>
  return %y : tensor<2x?x24xf32>
}

// Cross attention, whose keys and values go to a cache.
// CHECK-LABEL: @memory_to_cache
// CHECK: ins(%{{[^ ]*}} : tensor<2x5x32xf32>) memory(%{{[^ ]*}} : tensor<2x?x48xf32>) query
// CHECK-SAME: cache(%{{[^ ]*}}, %{{[^ ]*}} : tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>) past(%{{[^ ]*}} : index)
// CHECK-SAME: -> tensor<2x5x32xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>
func.func @memory_to_cache(%x: tensor<2x5x32xf32>, %m: tensor<2x?x48xf32>, %w: tensor<32x32xf32>, %wm: tensor<48x32xf32>,
                           %keys: tensor<2x4x?x8xf32>, %values: tensor<2x4x?x8xf32>, %past: index)
    -> (tensor<2x5x32xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>) {
  %y:3 = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) memory(%m : tensor<2x?x48xf32>) query(%w : tensor<32x32xf32>)
      key(%wm : tensor<48x32xf32>) value(%wm : tensor<48x32xf32>) output(%w : tensor<32x32xf32>)
      cache(%keys, %values : tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>) past(%past : index)
      -> tensor<2x5x32xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>
  return %y#0, %y#1, %y#2 : tensor<2x5x32xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>
}

// Attention to what a cache holds, one length for each sequence.
// CHECK-LABEL: @cache_alone
// CHECK: ins(%{{[^ ]*}} : tensor<2x1x32xf32>) query(%{{[^ ]*}} : tensor<32x32xf32>) output(%{{[^ ]*}} : tensor<32x32xf32>)
// CHECK-SAME: cache(%{{[^ ]*}}, %{{[^ ]*}} : tensor<2x4x9x8xf32>, tensor<2x4x9x8xf32>) past(%{{[^ ]*}} : tensor<2xi32>) -> tensor<2x1x32xf32>
func.func @cache_alone(%x: tensor<2x1x32xf32>, %w: tensor<32x32xf32>, %keys: tensor<2x4x9x8xf32>,
                       %values: tensor<2x4x9x8xf32>, %past: tensor<2xi32>) -> tensor<2x1x32xf32> {
  %y = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x1x32xf32>) query(%w : tensor<32x32xf32>) output(%w : tensor<32x32xf32>)
      cache(%keys, %values : tensor<2x4x9x8xf32>, tensor<2x4x9x8xf32>) past(%past : tensor<2xi32>)
      -> tensor<2x1x32xf32>
  return %y : tensor<2x1x32xf32>
}
