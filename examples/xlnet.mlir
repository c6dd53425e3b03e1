// XLNet's (and Transformer-XL's) scores, ((q_i + u) . k_j + (q_i + v) . r_(i-j)) / sqrt(d): what a key says, and how far it
// lies. u and v are learned for each head, r is a projection of sinusoidal positions: row t of %r is the distance
// 159 - t, from 159 keys behind the query to 159 in front of it.
//   attn-run examples/xlnet.mlir --check
func.func @xlnet(%q: tensor<1x4x160x32xf32>, %k: tensor<1x4x160x32xf32>, %v: tensor<1x4x160x32xf32>,
                 %r: tensor<4x319x32xf32>, %u: tensor<4x1x32xf32>, %w: tensor<4x1x32xf32>) -> tensor<1x4x160x32xf32> {
  %init = tensor.empty() : tensor<1x4x160x32xf32>
  %zero = arith.constant 0.0 : f32
  %factor = arith.constant 0.17677669529663687 : f32
  %content = linalg.generic {indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>, affine_map<(b, h, i, d) -> (h, 0, d)>, affine_map<(b, h, i, d) -> (b, h, i, d)>],
                             iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q, %u : tensor<1x4x160x32xf32>, tensor<4x1x32xf32>) outs(%init : tensor<1x4x160x32xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<1x4x160x32xf32>
  // (q_i + v) . r_t for all distances, and of those the ones that a row and a key have.
  %e = tensor.empty() : tensor<1x4x160x319xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x160x319xf32>) -> tensor<1x4x160x319xf32>
  %distances = linalg.generic {indexing_maps = [affine_map<(b, h, i, t, d) -> (b, h, i, d)>, affine_map<(b, h, i, t, d) -> (h, 0, d)>, affine_map<(b, h, i, t, d) -> (h, t, d)>, affine_map<(b, h, i, t, d) -> (b, h, i, t)>],
                               iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %w, %r : tensor<1x4x160x32xf32>, tensor<4x1x32xf32>, tensor<4x319x32xf32>) outs(%z : tensor<1x4x160x319xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %acc: f32):
    %sum = arith.addf %a, %b : f32
    %product = arith.mulf %sum, %c : f32
    %next = arith.addf %acc, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x4x160x319xf32>
  %be = tensor.empty() : tensor<1x4x160x160xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%be : tensor<1x4x160x160xf32>) {
  ^bb0(%unused: f32):
    %last = arith.constant 159 : index
    %b = linalg.index 0 : index
    %h = linalg.index 1 : index
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %behind = arith.subi %last, %i : index
    %t = arith.addi %behind, %j : index
    %number = tensor.extract %distances[%b, %h, %i, %t] : tensor<1x4x160x319xf32>
    %scaled = arith.mulf %number, %factor : f32
    linalg.yield %scaled : f32
  } -> tensor<1x4x160x160xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) bias [#attn.dense_bias]
      ins(%content, %k, %v : tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>)
      params(%bias : tensor<1x4x160x160xf32>) outs(%init : tensor<1x4x160x32xf32>) -> tensor<1x4x160x32xf32>
  return %o : tensor<1x4x160x32xf32>
}
