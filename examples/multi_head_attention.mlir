// Grouped heads with rotary positions and normalised queries and keys, over a
// sequence; the same for one new row behind what a cache holds; and attention to
// the rows of another sequence.
//   attn-run examples/multi_head_attention.mlir --entry=grouped --check
func.func @grouped(%x: tensor<2x37x64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x32xf32>, %wv: tensor<64x32xf32>,
                   %wo: tensor<64x64xf32>, %query_gain: tensor<16xf32>, %key_gain: tensor<16xf32>) -> tensor<2x37x64xf32> {
  %y = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
      align(bottom_right) masks [#attn.causal] qk_norm(rms, 1.0e-06) rope(half_split) base(5.0e+05)
      ins(%x : tensor<2x37x64xf32>) query(%wq : tensor<64x64xf32>) key(%wk : tensor<64x32xf32>)
      value(%wv : tensor<64x32xf32>) output(%wo : tensor<64x64xf32>)
      gains(%query_gain, %key_gain : tensor<16xf32>, tensor<16xf32>) -> tensor<2x37x64xf32>
  return %y : tensor<2x37x64xf32>
}

// Each sequence has its own number of rows in the caches, which are updated in place.
func.func @step(%x: tensor<2x1x64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x32xf32>, %wv: tensor<64x32xf32>,
                %wo: tensor<64x64xf32>, %query_gain: tensor<16xf32>, %key_gain: tensor<16xf32>,
                %keys: tensor<2x2x?x16xf32> {attn.inout = 1 : index},
                %values: tensor<2x2x?x16xf32> {attn.inout = 2 : index}, %past: tensor<2xi32>)
    -> (tensor<2x1x64xf32>, tensor<2x2x?x16xf32>, tensor<2x2x?x16xf32>) {
  %y:3 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
      align(bottom_right) masks [#attn.causal] qk_norm(rms, 1.0e-06) rope(half_split) base(5.0e+05)
      ins(%x : tensor<2x1x64xf32>) query(%wq : tensor<64x64xf32>) key(%wk : tensor<64x32xf32>)
      value(%wv : tensor<64x32xf32>) output(%wo : tensor<64x64xf32>)
      gains(%query_gain, %key_gain : tensor<16xf32>, tensor<16xf32>)
      cache(%keys, %values : tensor<2x2x?x16xf32>, tensor<2x2x?x16xf32>) past(%past : tensor<2xi32>)
      -> tensor<2x1x64xf32>, tensor<2x2x?x16xf32>, tensor<2x2x?x16xf32>
  return %y#0, %y#1, %y#2 : tensor<2x1x64xf32>, tensor<2x2x?x16xf32>, tensor<2x2x?x16xf32>
}

// Keys and values are projections of %memory; the layers have biases.
func.func @cross(%x: tensor<2x9x64xf32>, %memory: tensor<2x?x48xf32>, %wq: tensor<64x64xf32>, %bq: tensor<64xf32>,
                 %wk: tensor<48x64xf32>, %bk: tensor<64xf32>, %wv: tensor<48x64xf32>, %bv: tensor<64xf32>,
                 %wo: tensor<64x64xf32>, %bo: tensor<64xf32>) -> tensor<2x9x64xf32> {
  %y = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x9x64xf32>) memory(%memory : tensor<2x?x48xf32>)
      query(%wq, %bq : tensor<64x64xf32>, tensor<64xf32>) key(%wk, %bk : tensor<48x64xf32>, tensor<64xf32>)
      value(%wv, %bv : tensor<48x64xf32>, tensor<64xf32>) output(%wo, %bo : tensor<64x64xf32>, tensor<64xf32>)
      -> tensor<2x9x64xf32>
  return %y : tensor<2x9x64xf32>
}
