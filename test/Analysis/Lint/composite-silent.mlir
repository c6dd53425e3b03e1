// The twins of composite.mlir.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint=fix | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after

// One new row of a decoder: a row that something is added to is no bias, and the
// stream has its second moment.
// RUN: attn-opt %examples/decoder_layer.mlir --attn-lint -o /dev/null 2>&1 | count 0

// Scores with the factor as the scale, sqrt(d) behind norms of length 1, and the factor in the weights
// (T5); a feed-forward layer of relu, one of a gain, and a sigmoid that is a gate.
func.func @layers(%x: tensor<32x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %w3: tensor<64x64xf32>, %w4: tensor<64x64xf32>,
                  %up: tensor<64x256xf32>, %gate: tensor<64x256xf32>, %down: tensor<256x64xf32>, %seed: i64, %other: i64)
    -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %wq = attn.init normal variance(t5) head_dim(16) seed(%seed : i64) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %wk = attn.init normal variance(t5) head_dim(16) seed(%other : i64) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<32x64xf32>) query(%w1 : tensor<64x64xf32>) key(%w2 : tensor<64x64xf32>)
      value(%w3 : tensor<64x64xf32>) output(%w4 : tensor<64x64xf32>) -> tensor<32x64xf32>
  %b = attn.multi_head_attention heads(4) scale(#attn.constant<4.0>) softmax(#attn.softmax) qk_norm(l2, 1.0e-06)
      ins(%x : tensor<32x64xf32>) query(%w1 : tensor<64x64xf32>) key(%w2 : tensor<64x64xf32>)
      value(%w3 : tensor<64x64xf32>) output(%w4 : tensor<64x64xf32>) -> tensor<32x64xf32>
  %c = attn.multi_head_attention heads(4) scale(#attn.none) softmax(#attn.softmax)
      ins(%x : tensor<32x64xf32>) query(%wq : tensor<64x64xf32>) key(%wk : tensor<64x64xf32>)
      value(%w3 : tensor<64x64xf32>) output(%w4 : tensor<64x64xf32>) -> tensor<32x64xf32>
  %f = attn.feed_forward relu ins(%x : tensor<32x64xf32>) up(%up : tensor<64x256xf32>) down(%down : tensor<256x64xf32>) -> tensor<32x64xf32>
  %g = attn.feed_forward tanh unit_moment ins(%x : tensor<32x64xf32>) up(%up : tensor<64x256xf32>) down(%down : tensor<256x64xf32>) -> tensor<32x64xf32>
  %h = attn.feed_forward sigmoid ins(%x : tensor<32x64xf32>) gate(%gate : tensor<64x256xf32>) up(%up : tensor<64x256xf32>) down(%down : tensor<256x64xf32>) -> tensor<32x64xf32>
  return %a, %b, %c, %f, %g, %h : tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>
}
