// A layer of a decoder: Pre Norm, RMSNorm, 16 query heads of which each 4 share a
// head of keys and values, rotary positions, and a gated feed-forward layer of
// width 2816.

// Training form: all rows of a sequence at once, each of which sees itself and
// those before it.
func.func @layer(%x: tensor<1x512x1024xf32>, %attention_gain: tensor<1024xf32>,
                 %wq: tensor<1024x1024xf32>, %wk: tensor<1024x256xf32>,
                 %wv: tensor<1024x256xf32>, %wo: tensor<1024x1024xf32>,
                 %ffn_gain: tensor<1024xf32>, %gate: tensor<1024x2816xf32>,
                 %up: tensor<1024x2816xf32>, %down: tensor<2816x1024xf32>)
    -> tensor<1x512x1024xf32> {
  %init = tensor.empty() : tensor<1x512x1024xf32>
  %a = attn.residual pre(%x : tensor<1x512x1024xf32>) norm {
  ^bb0(%r: tensor<1x512x1024xf32>):
    %n = attn.norm rms axes [2] eps(1.0e-06) ins(%r : tensor<1x512x1024xf32>)
        gamma(%attention_gain : tensor<1024xf32>)
        outs(%init : tensor<1x512x1024xf32>) -> tensor<1x512x1024xf32>
    attn.yield %n : tensor<1x512x1024xf32>
  } branch {
  ^bb0(%n: tensor<1x512x1024xf32>):
    %f = attn.multi_head_attention heads(16) kv_heads(4)
        scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        align(bottom_right) masks [#attn.causal] rope(half_split)
        ins(%n : tensor<1x512x1024xf32>)
        query(%wq : tensor<1024x1024xf32>) key(%wk : tensor<1024x256xf32>)
        value(%wv : tensor<1024x256xf32>) output(%wo : tensor<1024x1024xf32>)
        -> tensor<1x512x1024xf32>
    attn.yield %f : tensor<1x512x1024xf32>
  }
  %y = attn.residual pre(%a : tensor<1x512x1024xf32>) norm {
  ^bb0(%r: tensor<1x512x1024xf32>):
    %n = attn.norm rms axes [2] eps(1.0e-06) ins(%r : tensor<1x512x1024xf32>)
        gamma(%ffn_gain : tensor<1024xf32>)
        outs(%init : tensor<1x512x1024xf32>) -> tensor<1x512x1024xf32>
    attn.yield %n : tensor<1x512x1024xf32>
  } branch {
  ^bb0(%n: tensor<1x512x1024xf32>):
    %f = attn.feed_forward silu ins(%n : tensor<1x512x1024xf32>)
        gate(%gate : tensor<1024x2816xf32>) up(%up : tensor<1024x2816xf32>)
        down(%down : tensor<2816x1024xf32>) -> tensor<1x512x1024xf32>
    attn.yield %f : tensor<1x512x1024xf32>
  }
  return %y : tensor<1x512x1024xf32>
}

// Step form: one new row. Its key and value go behind the `past` rows of the
// caches, which the caller owns and which are updated in place; it sees all of
// them. Row by row this gives what the training form gives.
func.func @step(%x: tensor<1x1x1024xf32>, %attention_gain: tensor<1024xf32>,
                %wq: tensor<1024x1024xf32>, %wk: tensor<1024x256xf32>,
                %wv: tensor<1024x256xf32>, %wo: tensor<1024x1024xf32>,
                %ffn_gain: tensor<1024xf32>, %gate: tensor<1024x2816xf32>,
                %up: tensor<1024x2816xf32>, %down: tensor<2816x1024xf32>,
                %keys: tensor<1x4x?x64xf32> {attn.inout = 1 : index},
                %values: tensor<1x4x?x64xf32> {attn.inout = 2 : index},
                %past: i32)
    -> (tensor<1x1x1024xf32>, tensor<1x4x?x64xf32>, tensor<1x4x?x64xf32>) {
  %init = tensor.empty() : tensor<1x1x1024xf32>
  %n = attn.norm rms axes [2] eps(1.0e-06) ins(%x : tensor<1x1x1024xf32>)
      gamma(%attention_gain : tensor<1024xf32>)
      outs(%init : tensor<1x1x1024xf32>) -> tensor<1x1x1024xf32>
  %f, %new_keys, %new_values = attn.multi_head_attention heads(16) kv_heads(4)
      scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(bottom_right) masks [#attn.causal] rope(half_split)
      ins(%n : tensor<1x1x1024xf32>)
      query(%wq : tensor<1024x1024xf32>) key(%wk : tensor<1024x256xf32>)
      value(%wv : tensor<1024x256xf32>) output(%wo : tensor<1024x1024xf32>)
      cache(%keys, %values : tensor<1x4x?x64xf32>, tensor<1x4x?x64xf32>)
      past(%past : i32)
      -> tensor<1x1x1024xf32>, tensor<1x4x?x64xf32>, tensor<1x4x?x64xf32>
  %a = arith.addf %x, %f : tensor<1x1x1024xf32>
  %y = attn.residual pre(%a : tensor<1x1x1024xf32>) norm {
  ^bb0(%r: tensor<1x1x1024xf32>):
    %m = attn.norm rms axes [2] eps(1.0e-06) ins(%r : tensor<1x1x1024xf32>)
        gamma(%ffn_gain : tensor<1024xf32>)
        outs(%init : tensor<1x1x1024xf32>) -> tensor<1x1x1024xf32>
    attn.yield %m : tensor<1x1x1024xf32>
  } branch {
  ^bb0(%m: tensor<1x1x1024xf32>):
    %g = attn.feed_forward silu ins(%m : tensor<1x1x1024xf32>)
        gate(%gate : tensor<1024x2816xf32>) up(%up : tensor<1024x2816xf32>)
        down(%down : tensor<2816x1024xf32>) -> tensor<1x1x1024xf32>
    attn.yield %g : tensor<1x1x1024xf32>
  }
  return %y, %new_keys, %new_values
    : tensor<1x1x1024xf32>, tensor<1x4x?x64xf32>, tensor<1x4x?x64xf32>
}
