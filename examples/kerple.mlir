// KERPLE: a kernel of the distance, with two learned positive numbers a head, is
// subtracted from the score. Both forms are score regions; what is learned is made
// positive outside of them, once.
//   attn-run examples/kerple.mlir --entry=log --check

// s - a log(1 + b |i - j|), a = exp(%log_a), b = exp(%log_b)
func.func @log(%q: tensor<1x4x160x32xf32>, %k: tensor<1x4x160x32xf32>, %v: tensor<1x4x160x32xf32>,
               %log_a: tensor<4x1x1xf32>, %log_b: tensor<4x1x1xf32>) -> tensor<1x4x160x32xf32> {
  %a = math.exp %log_a : tensor<4x1x1xf32>
  %b = math.exp %log_b : tensor<4x1x1xf32>
  %init = tensor.empty() : tensor<1x4x160x32xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      ins(%q, %k, %v : tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>)
      params(%a, %b : tensor<4x1x1xf32>, tensor<4x1x1xf32>)
      outs(%init : tensor<1x4x160x32xf32>)
      score {
      ^bb0(%s: f32, %batch: index, %head: index, %i: index, %j: index, %factor: f32, %slope: f32):
        %one = arith.constant 1.0 : f32
        %difference = arith.subi %i, %j : index
        %int = arith.index_cast %difference : index to i32
        %signed = arith.sitofp %int : i32 to f32
        %distance = math.absf %signed : f32
        %grown = arith.mulf %slope, %distance : f32
        %inner = arith.addf %one, %grown : f32
        %log = math.log %inner : f32
        %loss = arith.mulf %factor, %log : f32
        %changed = arith.subf %s, %loss : f32
        attn.yield %changed : f32
      } -> tensor<1x4x160x32xf32>
  return %o : tensor<1x4x160x32xf32>
}

// s - a |i - j|^p, a = exp(%log_a), p = 2 sigmoid(%logit_p), which lies in (0, 2)
func.func @power(%q: tensor<1x4x160x32xf32>, %k: tensor<1x4x160x32xf32>, %v: tensor<1x4x160x32xf32>,
                 %log_a: tensor<4x1x1xf32>, %logit_p: tensor<4x1x1xf32>) -> tensor<1x4x160x32xf32> {
  %a = math.exp %log_a : tensor<4x1x1xf32>
  %half_p = attn.activation sigmoid %logit_p : tensor<4x1x1xf32>
  %p = arith.addf %half_p, %half_p : tensor<4x1x1xf32>
  %init = tensor.empty() : tensor<1x4x160x32xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      ins(%q, %k, %v : tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>)
      params(%a, %p : tensor<4x1x1xf32>, tensor<4x1x1xf32>)
      outs(%init : tensor<1x4x160x32xf32>)
      score {
      ^bb0(%s: f32, %batch: index, %head: index, %i: index, %j: index, %factor: f32, %exponent: f32):
        %difference = arith.subi %i, %j : index
        %int = arith.index_cast %difference : index to i32
        %signed = arith.sitofp %int : i32 to f32
        %distance = math.absf %signed : f32
        // At distance 0 the logarithm is -inf, and the power 0.
        %log = math.log %distance : f32
        %times = arith.mulf %exponent, %log : f32
        %power = math.exp %times : f32
        %loss = arith.mulf %factor, %power : f32
        %changed = arith.subf %s, %loss : f32
        attn.yield %changed : f32
      } -> tensor<1x4x160x32xf32>
  return %o : tensor<1x4x160x32xf32>
}
