// Sandwich: the products of sinusoidal positions, sum_t cos((i - j) / 10000^(2t/128)),
// divided by 8 (h + 1) / H for head h = 0..H-1, are added to the scores. One matrix of
// rows and keys serves all heads; the score region divides it.
//   attn-run examples/sandwich.mlir --check
func.func @sandwich(%q: tensor<1x4x160x32xf32>, %k: tensor<1x4x160x32xf32>, %v: tensor<1x4x160x32xf32>) -> tensor<1x4x160x32xf32> {
  %table = tensor.empty() : tensor<160x128xf32>
  %p = attn.sinusoidal_positions outs(%table : tensor<160x128xf32>) -> tensor<160x128xf32>
  %square = tensor.empty() : tensor<160x160xf32>
  %products = attn.linear weight(out_in) ins(%p, %p : tensor<160x128xf32>, tensor<160x128xf32>)
      outs(%square : tensor<160x160xf32>) -> tensor<160x160xf32>
  %init = tensor.empty() : tensor<1x4x160x32xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      ins(%q, %k, %v : tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>)
      params(%products : tensor<160x160xf32>)
      outs(%init : tensor<1x4x160x32xf32>)
      score {
      ^bb0(%s: f32, %batch: index, %head: index, %i: index, %j: index, %product: f32):
        %one = arith.constant 1.0 : f32
        %per_head = arith.constant 2.0 : f32
        %int = arith.index_cast %head : index to i32
        %h = arith.sitofp %int : i32 to f32
        %number = arith.addf %h, %one : f32
        %ratio = arith.mulf %number, %per_head : f32
        %bias = arith.divf %product, %ratio : f32
        %changed = arith.addf %s, %bias : f32
        attn.yield %changed : f32
      } -> tensor<1x4x160x32xf32>
  return %o : tensor<1x4x160x32xf32>
}
