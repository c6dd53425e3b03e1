// An encoder and a decoder of one layer each, over 16 tokens that are given as
// one-hot rows: START is token 0, END token 1. Weights are those before training.
//
// @teach has the whole target, shifted right: row i is token i - 1, row 0 START.
// @first and @next make one row: the token before it goes in, the logits of the
// next one come out. What a host needs for a greedy loop: call @first with START,
// then @next with the token of the largest logit, until that is END. @first projects
// the keys and values of the source once; the caches belong to the host.
// Row by row the logits are the same.

// A row for each token.
func.func private @embedding() -> (tensor<16x32xf32>) {
  %seed0 = arith.constant 100 : i64
  %empty0 = tensor.empty() : tensor<16x32xf32>
  %w0 = attn.init normal variance(xavier) seed(%seed0 : i64) outs(%empty0 : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %w0 : tensor<16x32xf32>
}

// A column for each token: its logit.
func.func private @output_table() -> (tensor<32x16xf32>) {
  %seed0 = arith.constant 171 : i64
  %empty0 = tensor.empty() : tensor<32x16xf32>
  %w0 = attn.init normal variance(xavier) seed(%seed0 : i64) outs(%empty0 : tensor<32x16xf32>) -> tensor<32x16xf32>
  return %w0 : tensor<32x16xf32>
}

// Query, key, value, output; up and down.
func.func private @encoder_weights() -> (tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x96xf32>, tensor<96x32xf32>) {
  %seed0 = arith.constant 200 : i64
  %empty0 = tensor.empty() : tensor<32x32xf32>
  %w0 = attn.init normal variance(xavier) seed(%seed0 : i64) outs(%empty0 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %seed1 = arith.constant 201 : i64
  %empty1 = tensor.empty() : tensor<32x16xf32>
  %w1 = attn.init normal variance(xavier) seed(%seed1 : i64) outs(%empty1 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %seed2 = arith.constant 202 : i64
  %empty2 = tensor.empty() : tensor<32x16xf32>
  %w2 = attn.init normal variance(xavier) seed(%seed2 : i64) outs(%empty2 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %seed3 = arith.constant 203 : i64
  %empty3 = tensor.empty() : tensor<32x32xf32>
  %w3 = attn.init normal variance(xavier) seed(%seed3 : i64) outs(%empty3 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %seed4 = arith.constant 204 : i64
  %empty4 = tensor.empty() : tensor<32x96xf32>
  %w4 = attn.init normal variance(xavier) seed(%seed4 : i64) outs(%empty4 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %seed5 = arith.constant 205 : i64
  %empty5 = tensor.empty() : tensor<96x32xf32>
  %w5 = attn.init normal variance(xavier) seed(%seed5 : i64) outs(%empty5 : tensor<96x32xf32>) -> tensor<96x32xf32>
  return %w0, %w1, %w2, %w3, %w4, %w5 : tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x96xf32>, tensor<96x32xf32>
}

// Query, key, value, output over the target's rows.
func.func private @decoder_weights() -> (tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>) {
  %seed0 = arith.constant 300 : i64
  %empty0 = tensor.empty() : tensor<32x32xf32>
  %w0 = attn.init normal variance(xavier) seed(%seed0 : i64) outs(%empty0 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %seed1 = arith.constant 301 : i64
  %empty1 = tensor.empty() : tensor<32x16xf32>
  %w1 = attn.init normal variance(xavier) seed(%seed1 : i64) outs(%empty1 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %seed2 = arith.constant 302 : i64
  %empty2 = tensor.empty() : tensor<32x16xf32>
  %w2 = attn.init normal variance(xavier) seed(%seed2 : i64) outs(%empty2 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %seed3 = arith.constant 303 : i64
  %empty3 = tensor.empty() : tensor<32x32xf32>
  %w3 = attn.init normal variance(xavier) seed(%seed3 : i64) outs(%empty3 : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %w0, %w1, %w2, %w3 : tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>
}

// Query, key, value, output over the source's rows.
func.func private @source_weights() -> (tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>) {
  %seed0 = arith.constant 400 : i64
  %empty0 = tensor.empty() : tensor<32x32xf32>
  %w0 = attn.init normal variance(xavier) seed(%seed0 : i64) outs(%empty0 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %seed1 = arith.constant 401 : i64
  %empty1 = tensor.empty() : tensor<32x16xf32>
  %w1 = attn.init normal variance(xavier) seed(%seed1 : i64) outs(%empty1 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %seed2 = arith.constant 402 : i64
  %empty2 = tensor.empty() : tensor<32x16xf32>
  %w2 = attn.init normal variance(xavier) seed(%seed2 : i64) outs(%empty2 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %seed3 = arith.constant 403 : i64
  %empty3 = tensor.empty() : tensor<32x32xf32>
  %w3 = attn.init normal variance(xavier) seed(%seed3 : i64) outs(%empty3 : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %w0, %w1, %w2, %w3 : tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>
}

// Gate, up, down.
func.func private @decoder_feed_forward() -> (tensor<32x96xf32>, tensor<32x96xf32>, tensor<96x32xf32>) {
  %seed0 = arith.constant 500 : i64
  %empty0 = tensor.empty() : tensor<32x96xf32>
  %w0 = attn.init normal variance(xavier) seed(%seed0 : i64) outs(%empty0 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %seed1 = arith.constant 501 : i64
  %empty1 = tensor.empty() : tensor<32x96xf32>
  %w1 = attn.init normal variance(xavier) seed(%seed1 : i64) outs(%empty1 : tensor<32x96xf32>) -> tensor<32x96xf32>
  %seed2 = arith.constant 502 : i64
  %empty2 = tensor.empty() : tensor<96x32xf32>
  %w2 = attn.init normal variance(xavier) seed(%seed2 : i64) outs(%empty2 : tensor<96x32xf32>) -> tensor<96x32xf32>
  return %w0, %w1, %w2 : tensor<32x96xf32>, tensor<32x96xf32>, tensor<96x32xf32>
}

func.func private @normalise(%x: tensor<1x?x32xf32>) -> tensor<1x?x32xf32> {
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c1 : tensor<1x?x32xf32>
  %init = tensor.empty(%rows) : tensor<1x?x32xf32>
  %y = attn.norm rms axes [2] eps(1.0e-06) ins(%x : tensor<1x?x32xf32>) outs(%init : tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
  return %y : tensor<1x?x32xf32>
}

func.func private @normalise_row(%x: tensor<1x1x32xf32>) -> tensor<1x1x32xf32> {
  %init = tensor.empty() : tensor<1x1x32xf32>
  %y = attn.norm rms axes [2] eps(1.0e-06) ins(%x : tensor<1x1x32xf32>) outs(%init : tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
  return %y : tensor<1x1x32xf32>
}

func.func private @embed(%tokens: tensor<1x?x16xf32>, %past: index) -> tensor<1x?x32xf32> {
  %table = call @embedding() : () -> tensor<16x32xf32>
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %tokens, %c1 : tensor<1x?x16xf32>
  %init = tensor.empty(%rows) : tensor<1x?x32xf32>
  %x = attn.linear ins(%tokens, %table : tensor<1x?x16xf32>, tensor<16x32xf32>) outs(%init : tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
  %at = attn.sinusoidal_positions offset(%past : index) outs(%init : tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
  %y = arith.addf %x, %at : tensor<1x?x32xf32>
  return %y : tensor<1x?x32xf32>
}

func.func private @get_logits(%x: tensor<1x?x32xf32>) -> tensor<1x?x16xf32> {
  %n = call @normalise(%x) : (tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
  %table = call @output_table() : () -> tensor<32x16xf32>
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c1 : tensor<1x?x32xf32>
  %init = tensor.empty(%rows) : tensor<1x?x16xf32>
  %y = attn.linear ins(%n, %table : tensor<1x?x32xf32>, tensor<32x16xf32>) outs(%init : tensor<1x?x16xf32>) -> tensor<1x?x16xf32>
  return %y : tensor<1x?x16xf32>
}

func.func private @embed_row(%tokens: tensor<1x1x16xf32>, %past: index) -> tensor<1x1x32xf32> {
  %table = call @embedding() : () -> tensor<16x32xf32>
  %init = tensor.empty() : tensor<1x1x32xf32>
  %x = attn.linear ins(%tokens, %table : tensor<1x1x16xf32>, tensor<16x32xf32>) outs(%init : tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
  %at = attn.sinusoidal_positions offset(%past : index) outs(%init : tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
  %y = arith.addf %x, %at : tensor<1x1x32xf32>
  return %y : tensor<1x1x32xf32>
}

func.func private @get_logits_of_row(%x: tensor<1x1x32xf32>) -> tensor<1x1x16xf32> {
  %n = call @normalise_row(%x) : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
  %table = call @output_table() : () -> tensor<32x16xf32>
  %init = tensor.empty() : tensor<1x1x16xf32>
  %y = attn.linear ins(%n, %table : tensor<1x1x32xf32>, tensor<32x16xf32>) outs(%init : tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
  return %y : tensor<1x1x16xf32>
}

func.func private @encode(%source: tensor<1x?x16xf32>) -> tensor<1x?x32xf32> {
  %wq, %wk, %wv, %wo, %up, %down = call @encoder_weights() : () -> (tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>, tensor<32x96xf32>, tensor<96x32xf32>)
  %zero = arith.constant 0 : index
  %x = call @embed(%source, %zero) : (tensor<1x?x16xf32>, index) -> tensor<1x?x32xf32>
  %a = attn.residual pre(%x : tensor<1x?x32xf32>) norm {
  ^bb0(%r: tensor<1x?x32xf32>):
    %n = func.call @normalise(%r) : (tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
    attn.yield %n : tensor<1x?x32xf32>
  } branch {
  ^bb0(%n: tensor<1x?x32xf32>):
    %f = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) rope(half_split)
        ins(%n : tensor<1x?x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>)
        -> tensor<1x?x32xf32>
    attn.yield %f : tensor<1x?x32xf32>
  }
  %y = attn.residual pre(%a : tensor<1x?x32xf32>) norm {
  ^bb0(%r: tensor<1x?x32xf32>):
    %n = func.call @normalise(%r) : (tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
    attn.yield %n : tensor<1x?x32xf32>
  } branch {
  ^bb0(%n: tensor<1x?x32xf32>):
    %f = attn.feed_forward gelu ins(%n : tensor<1x?x32xf32>)
        up(%up : tensor<32x96xf32>) down(%down : tensor<96x32xf32>) -> tensor<1x?x32xf32>
    attn.yield %f : tensor<1x?x32xf32>
  }
  %z = call @normalise(%y) : (tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
  return %z : tensor<1x?x32xf32>
}

func.func private @feed_forward(%x: tensor<1x?x32xf32>) -> tensor<1x?x32xf32> {
  %gate, %up, %down = call @decoder_feed_forward() : () -> (tensor<32x96xf32>, tensor<32x96xf32>, tensor<96x32xf32>)
  %y = attn.residual pre(%x : tensor<1x?x32xf32>) norm {
  ^bb0(%r: tensor<1x?x32xf32>):
    %n = func.call @normalise(%r) : (tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
    attn.yield %n : tensor<1x?x32xf32>
  } branch {
  ^bb0(%n: tensor<1x?x32xf32>):
    %f = attn.feed_forward silu ins(%n : tensor<1x?x32xf32>)
        gate(%gate : tensor<32x96xf32>) up(%up : tensor<32x96xf32>) down(%down : tensor<96x32xf32>) -> tensor<1x?x32xf32>
    attn.yield %f : tensor<1x?x32xf32>
  }
  return %y : tensor<1x?x32xf32>
}

func.func private @feed_forward_of_row(%x: tensor<1x1x32xf32>) -> tensor<1x1x32xf32> {
  %gate, %up, %down = call @decoder_feed_forward() : () -> (tensor<32x96xf32>, tensor<32x96xf32>, tensor<96x32xf32>)
  %y = attn.residual pre(%x : tensor<1x1x32xf32>) norm {
  ^bb0(%r: tensor<1x1x32xf32>):
    %n = func.call @normalise_row(%r) : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
    attn.yield %n : tensor<1x1x32xf32>
  } branch {
  ^bb0(%n: tensor<1x1x32xf32>):
    %f = attn.feed_forward silu ins(%n : tensor<1x1x32xf32>)
        gate(%gate : tensor<32x96xf32>) up(%up : tensor<32x96xf32>) down(%down : tensor<96x32xf32>) -> tensor<1x1x32xf32>
    attn.yield %f : tensor<1x1x32xf32>
  }
  return %y : tensor<1x1x32xf32>
}

// Teacher forcing: all rows of the target at once.
func.func @teach(%source: tensor<1x?x16xf32>, %target: tensor<1x?x16xf32>) -> tensor<1x?x16xf32> {
  %wq, %wk, %wv, %wo = call @decoder_weights() : () -> (tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>)
  %sq, %sk, %sv, %so = call @source_weights() : () -> (tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>)
  %memory = call @encode(%source) : (tensor<1x?x16xf32>) -> tensor<1x?x32xf32>
  %zero = arith.constant 0 : index
  %x = call @embed(%target, %zero) : (tensor<1x?x16xf32>, index) -> tensor<1x?x32xf32>
  %a = attn.residual pre(%x : tensor<1x?x32xf32>) norm {
  ^bb0(%r: tensor<1x?x32xf32>):
    %n = func.call @normalise(%r) : (tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
    attn.yield %n : tensor<1x?x32xf32>
  } branch {
  ^bb0(%n: tensor<1x?x32xf32>):
    %f = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        align(bottom_right) masks [#attn.causal] rope(half_split)
        ins(%n : tensor<1x?x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>)
        -> tensor<1x?x32xf32>
    attn.yield %f : tensor<1x?x32xf32>
  }
  %b = attn.residual pre(%a : tensor<1x?x32xf32>) norm {
  ^bb0(%r: tensor<1x?x32xf32>):
    %n = func.call @normalise(%r) : (tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
    attn.yield %n : tensor<1x?x32xf32>
  } branch {
  ^bb0(%n: tensor<1x?x32xf32>):
    %f = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%n : tensor<1x?x32xf32>) memory(%memory : tensor<1x?x32xf32>) query(%sq : tensor<32x32xf32>) key(%sk : tensor<32x16xf32>) value(%sv : tensor<32x16xf32>) output(%so : tensor<32x32xf32>)
        -> tensor<1x?x32xf32>
    attn.yield %f : tensor<1x?x32xf32>
  }
  %y = call @feed_forward(%b) : (tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
  %logits = call @get_logits(%y) : (tensor<1x?x32xf32>) -> tensor<1x?x16xf32>
  return %logits : tensor<1x?x16xf32>
}

// The first row: the caches are empty, and those of the source become its keys and
// values.
func.func @first(%source: tensor<1x?x16xf32>, %token: tensor<1x1x16xf32>,
                 %keys: tensor<1x2x?x8xf32> {attn.inout = 1 : index}, %values: tensor<1x2x?x8xf32> {attn.inout = 2 : index},
                 %source_keys: tensor<1x2x?x8xf32> {attn.inout = 3 : index}, %source_values: tensor<1x2x?x8xf32> {attn.inout = 4 : index})
    -> (tensor<1x1x16xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) {
  %past = arith.constant 0 : index
  %wq, %wk, %wv, %wo = call @decoder_weights() : () -> (tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>)
  %sq, %sk, %sv, %so = call @source_weights() : () -> (tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>)
  %memory = call @encode(%source) : (tensor<1x?x16xf32>) -> tensor<1x?x32xf32>
  %x = call @embed_row(%token, %past) : (tensor<1x1x16xf32>, index) -> tensor<1x1x32xf32>
  %n = call @normalise_row(%x) : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
  %f, %new_keys, %new_values = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(bottom_right) masks [#attn.causal] rope(half_split)
      ins(%n : tensor<1x1x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>)
      cache(%keys, %values : tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) past(%past : index)
      -> tensor<1x1x32xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>
  %a = arith.addf %x, %f : tensor<1x1x32xf32>
  %m = call @normalise_row(%a) : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
  %g, %all_keys, %all_values = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%m : tensor<1x1x32xf32>) memory(%memory : tensor<1x?x32xf32>) query(%sq : tensor<32x32xf32>) key(%sk : tensor<32x16xf32>) value(%sv : tensor<32x16xf32>) output(%so : tensor<32x32xf32>)
      cache(%source_keys, %source_values : tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) past(%past : index)
      -> tensor<1x1x32xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>
  %b = arith.addf %a, %g : tensor<1x1x32xf32>
  %y = call @feed_forward_of_row(%b) : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
  %logits = call @get_logits_of_row(%y) : (tensor<1x1x32xf32>) -> tensor<1x1x16xf32>
  return %logits, %new_keys, %new_values, %all_keys, %all_values : tensor<1x1x16xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>
}

// Each further row: `past` rows were made before, the source has `source_rows`.
func.func @next(%token: tensor<1x1x16xf32>,
                %keys: tensor<1x2x?x8xf32> {attn.inout = 1 : index}, %values: tensor<1x2x?x8xf32> {attn.inout = 2 : index}, %past: tensor<i32>,
                %source_keys: tensor<1x2x?x8xf32>, %source_values: tensor<1x2x?x8xf32>, %source_rows: tensor<i32>)
    -> (tensor<1x1x16xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) {
  %wq, %wk, %wv, %wo = call @decoder_weights() : () -> (tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>)
  %sq, %sk, %sv, %so = call @source_weights() : () -> (tensor<32x32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x32xf32>)
  %number = tensor.extract %past[] : tensor<i32>
  %row = arith.index_cast %number : i32 to index
  %x = call @embed_row(%token, %row) : (tensor<1x1x16xf32>, index) -> tensor<1x1x32xf32>
  %n = call @normalise_row(%x) : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
  %f, %new_keys, %new_values = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(bottom_right) masks [#attn.causal] rope(half_split)
      ins(%n : tensor<1x1x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>)
      cache(%keys, %values : tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) past(%past : tensor<i32>)
      -> tensor<1x1x32xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>
  %a = arith.addf %x, %f : tensor<1x1x32xf32>
  %m = call @normalise_row(%a) : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
  %g = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%m : tensor<1x1x32xf32>) query(%sq : tensor<32x32xf32>) output(%so : tensor<32x32xf32>)
      cache(%source_keys, %source_values : tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) past(%source_rows : tensor<i32>)
      -> tensor<1x1x32xf32>
  %b = arith.addf %a, %g : tensor<1x1x32xf32>
  %y = call @feed_forward_of_row(%b) : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
  %logits = call @get_logits_of_row(%y) : (tensor<1x1x32xf32>) -> tensor<1x1x16xf32>
  return %logits, %new_keys, %new_values : tensor<1x1x16xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>
}
