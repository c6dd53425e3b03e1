// RUN: attn-opt %s --split-input-file --verify-diagnostics

// mha_c1: rows and weights share their elements.
func.func @elements(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf16>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c1: the tensors of rows and the weights share one of f16, bf16, f32 and f64}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf16>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c1: a bias is as wide as the sums, or as the input.
func.func @bias_elements(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %bq: tensor<32xf64>) {
  // expected-error @below {{mha_c1: biases and gains have the input's element type or 'f32'}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq, %bq : tensor<32x32xf32>, tensor<32xf64>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c2: a weight takes what its rows have.
func.func @width(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<16x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c2: the weight of 'key' does not fit: 'tensor<16x16xf32>'}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<16x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c2: a bias has one number for each that the layer gives.
func.func @bias_width(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %bq: tensor<16xf32>) {
  // expected-error @below {{mha_c2: the bias of 'query' does not fit: 'tensor<16xf32>'}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq, %bq : tensor<32x32xf32>, tensor<16xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c2: the last layer takes the outputs of all heads.
func.func @output_width(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<16x32xf32>) {
  // expected-error @below {{mha_c2: the weight of 'output' does not fit: 'tensor<16x32xf32>'}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<16x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c2: stored as [out, in].
func.func @stored_out_in(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c2: the weight of 'key' does not fit: 'tensor<32x16xf32>'}}
  %y0 = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) weight(out_in)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c3: the memory has the input's batch.
func.func @memory_batch(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %m: tensor<3x7x32xf32>) {
  // expected-error @below {{mha_c3: the input is [batch..., rows, width], and memory has the same batch}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) memory(%m : tensor<3x7x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c3: keys without values.
func.func @one_source(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c3: 'key' and 'value' stand together}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c3: neither keys nor a cache.
func.func @no_source(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c3: without 'key' and 'value' there is a cache and no memory}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c4: heads are shared evenly.
func.func @groups(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c4: heads and kv_heads are positive, and kv_heads divides heads}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(3) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c4: at least one head.
func.func @no_heads(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c4: heads and kv_heads are positive}}
  %y0 = attn.multi_head_attention heads(0) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c4: the width of a projection is that of its heads.
func.func @uneven(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x15xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c4: what query, key and value give is of a static width that their heads divide}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x15xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c4: and static.
func.func @dynamic_width(%x: tensor<2x5x32xf32>, %wq: tensor<32x?xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c4: what query, key and value give is of a static width that their heads divide}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x?xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c4: queries and keys have one dimension.
func.func @head_dims(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x8xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c4: heads of query and key have one dimension, found 8 and 4}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x8xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c5: a cache is used up to some row.
func.func @no_past(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %kc: tensor<2x2x9x8xf32>, %vc: tensor<2x2x9x8xf32>) {
  // expected-error @below {{mha_c5: the caches of keys and values and 'past' stand together}}
  %y0, %y1, %y2 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) cache(%kc, %vc : tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>) -> tensor<2x5x32xf32>, tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>
  return
}

// -----

// mha_c5: heads lie before rows in a cache.
func.func @cache_shape(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %kc: tensor<2x9x2x8xf32>, %vc: tensor<2x2x9x8xf32>, %p: index) {
  // expected-error @below {{mha_c5: caches are [batch..., kv heads, room, dimension], found 'tensor<2x9x2x8xf32>'}}
  %y0, %y1, %y2 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) cache(%kc, %vc : tensor<2x9x2x8xf32>, tensor<2x2x9x8xf32>) past(%p : index) -> tensor<2x5x32xf32>, tensor<2x9x2x8xf32>, tensor<2x2x9x8xf32>
  return
}

// -----

// mha_c5: one past, or one for each sequence.
func.func @past_shape(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %kc: tensor<2x2x9x8xf32>, %vc: tensor<2x2x9x8xf32>, %p: tensor<3xi32>) {
  // expected-error @below {{mha_c5: past is one integer, or one for each index of a single batch dimension}}
  %y0, %y1, %y2 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) cache(%kc, %vc : tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>) past(%p : tensor<3xi32>) -> tensor<2x5x32xf32>, tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>
  return
}

// -----

// mha_c5: past is a number of rows.
func.func @past_element(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %kc: tensor<2x2x9x8xf32>, %vc: tensor<2x2x9x8xf32>, %p: f32) {
  // expected-error @below {{mha_c5: past is one integer}}
  %y0, %y1, %y2 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) cache(%kc, %vc : tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>) past(%p : f32) -> tensor<2x5x32xf32>, tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>
  return
}

// -----

// mha_c6: appended rows are seen in the results.
func.func @no_new_caches(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %kc: tensor<2x2x9x8xf32>, %vc: tensor<2x2x9x8xf32>, %p: index) {
  // expected-error @below {{mha_c6: the results are y and, where rows are appended, the caches}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) cache(%kc, %vc : tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>) past(%p : index) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c6: y has the input's rows.
func.func @result_rows(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c6: y has the input's rows and elements, of the output's width, not 'tensor<2x6x32xf32>'}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x6x32xf32>
  return
}

// -----

// mha_c7: angles belong to rope.
func.func @base_alone(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c7: only with rope are there positions, base, position_scale and rotary_dim}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) base(5.0e+05)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c7: a memory has no positions.
func.func @rope_of_memory(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %m: tensor<2x7x32xf32>) {
  // expected-error @below {{mha_c7: rope needs rows of self attention}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) rope(half_split)
      ins(%x : tensor<2x5x32xf32>) memory(%m : tensor<2x7x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c7: pairs of a head's numbers.
func.func @rotary_dim(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c7: rotary_dim is even and at most the head dimension}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) rope(half_split) rotary_dim(10)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c7: one position for each row.
func.func @positions(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %q: tensor<6xi32>) {
  // expected-error @below {{mha_c7: positions are integers [rows] or [first dimension, rows]}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) rope(interleaved)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) positions(%q : tensor<6xi32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c8: gains belong to a norm.
func.func @one_gain(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %ga: tensor<8xf32>, %gb: tensor<8xf32>) {
  // expected-error @below {{mha_c8: gains of query and key stand together, and with qk_norm}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) gains(%ga, %gb : tensor<8xf32>, tensor<8xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c8: norms of a vector.
func.func @norm_kind(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c8: qk_norm is rms, layer or l2, and its eps finite and not negative}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) qk_norm(batch, 1.0e-06)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c8: eps under the root.
func.func @norm_eps(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c8: qk_norm is rms, layer or l2, and its eps finite and not negative}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) qk_norm(rms, -1.0e-06)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c8: a gain for each number of a head.
func.func @gain_size(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %ga: tensor<8xf32>, %gb: tensor<16xf32>) {
  // expected-error @below {{mha_c8: a gain has one number for each of a head's}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) qk_norm(rms, 1.0e-06)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) gains(%ga, %gb : tensor<8xf32>, tensor<16xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c9: positions need a place.
func.func @align(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c9: a policy uses positions: state align(top_left) or align(bottom_right)}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.causal]
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c9: the cache has its lengths in 'past'.
func.func @lengths_twice(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %n: tensor<2xi32>, %kc: tensor<2x2x9x8xf32>, %vc: tensor<2x2x9x8xf32>, %p: index) {
  // expected-error @below {{mha_c9: kv_lengths and segment_ids stand once, and kv_lengths not beside a cache, which has 'past'}}
  %y0, %y1, %y2 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.kv_lengths]
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) params(%n : tensor<2xi32>) cache(%kc, %vc : tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>) past(%p : index) -> tensor<2x5x32xf32>, tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>
  return
}

// -----

// mha_c9: tanh needs a width.
func.func @softcap(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c9: softcap must be positive}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) softcap(0.0)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c9: similarities of rows.
func.func @similarity(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c9: similarity must be #attn.dot or #attn.cosine}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) similarity(#attn.causal) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c9: the scale's own constraints.
func.func @cosine_scores(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c9: scores = cosine needs similarity(#attn.cosine)}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.gradient_max_fit<scores = cosine, n = keys>) softmax(#attn.softmax)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c10: each policy finds its params.
func.func @params(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>) {
  // expected-error @below {{mha_c10: params has 0, the policies take 1: #attn.sink needs one float per head}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.sink)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c10: with its elements.
func.func @param_element(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %t: tensor<4xi32>) {
  // expected-error @below {{mha_c10: param 'sink' must hold floats, found 'tensor<4xi32>'}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.sink)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) params(%t : tensor<4xi32>) -> tensor<2x5x32xf32>
  return
}

// -----

// mha_c10: and no more dimensions than it has.
func.func @param_rank(%x: tensor<2x5x32xf32>, %wq: tensor<32x32xf32>, %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>, %wo: tensor<32x32xf32>, %t: tensor<2x4xf32>) {
  // expected-error @below {{mha_c10: param 'sink' of rank 2 needs explicit indexing_maps}}
  %y0 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.sink)
      ins(%x : tensor<2x5x32xf32>) query(%wq : tensor<32x32xf32>) key(%wk : tensor<32x16xf32>) value(%wv : tensor<32x16xf32>) output(%wo : tensor<32x32xf32>) params(%t : tensor<2x4xf32>) -> tensor<2x5x32xf32>
  return
}

// -----

// ffn_c1: rows and weights share their elements.
func.func @ffn_elements(%x: tensor<5x8xf32>, %u: tensor<8x12xbf16>, %d: tensor<12x8xf32>) {
  // expected-error @below {{ffn_c1: the tensors of rows and the weights share one of f16, bf16, f32 and f64}}
  %y = attn.feed_forward gelu ins(%x : tensor<5x8xf32>) up(%u : tensor<8x12xbf16>) down(%d : tensor<12x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

// ffn_c2: a weight takes what its rows have.
func.func @ffn_up(%x: tensor<5x8xf32>, %u: tensor<9x12xf32>, %d: tensor<12x8xf32>) {
  // expected-error @below {{ffn_c2: the weight of 'up' does not fit: 'tensor<9x12xf32>'}}
  %y = attn.feed_forward gelu ins(%x : tensor<5x8xf32>) up(%u : tensor<9x12xf32>) down(%d : tensor<12x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

// ffn_c2: gate and up meet number by number.
func.func @ffn_gate(%x: tensor<5x8xf32>, %g: tensor<8x13xf32>, %u: tensor<8x12xf32>, %d: tensor<12x8xf32>) {
  // expected-error @below {{ffn_c2: the weight of 'gate' does not fit: 'tensor<8x13xf32>'}}
  %y = attn.feed_forward gelu ins(%x : tensor<5x8xf32>) gate(%g : tensor<8x13xf32>) up(%u : tensor<8x12xf32>) down(%d : tensor<12x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

// ffn_c2: a bias has one number for each that the layer gives.
func.func @ffn_bias(%x: tensor<5x8xf32>, %u: tensor<8x12xf32>, %ub: tensor<8xf32>, %d: tensor<12x8xf32>) {
  // expected-error @below {{ffn_c2: the bias of 'up' does not fit: 'tensor<8xf32>'}}
  %y = attn.feed_forward gelu ins(%x : tensor<5x8xf32>) up(%u, %ub : tensor<8x12xf32>, tensor<8xf32>) down(%d : tensor<12x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

// ffn_c2: the last layer takes what the first gave.
func.func @ffn_down(%x: tensor<5x8xf32>, %u: tensor<13x8xf32>, %d: tensor<8x12xf32>) {
  // expected-error @below {{ffn_c2: the weight of 'down' does not fit: 'tensor<8x12xf32>'}}
  %y = attn.feed_forward gelu weight(out_in) ins(%x : tensor<5x8xf32>) up(%u : tensor<13x8xf32>) down(%d : tensor<8x12xf32>) -> tensor<5x8xf32>
  return
}

// -----

// ffn_c3: y has the input's rows.
func.func @ffn_result(%x: tensor<5x8xf32>, %u: tensor<8x12xf32>, %d: tensor<12x8xf32>) {
  // expected-error @below {{ffn_c3: y has the input's rows, of the width that 'down' gives, not 'tensor<6x8xf32>'}}
  %y = attn.feed_forward gelu ins(%x : tensor<5x8xf32>) up(%u : tensor<8x12xf32>) down(%d : tensor<12x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

// ffn_c4: without a function there is nothing to centre.
func.func @ffn_no_function(%x: tensor<5x8xf32>, %u: tensor<8x12xf32>, %d: tensor<12x8xf32>) {
  // expected-error @below {{ffn_c4: centered and unit_moment are of an activation function}}
  %y = attn.feed_forward centered ins(%x : tensor<5x8xf32>) up(%u : tensor<8x12xf32>) down(%d : tensor<12x8xf32>) -> tensor<5x8xf32>
  return
}
