// Why scores are divided by sqrt(d): see variance.md.

// The mean square of the scores of 512 queries and 512 keys.
func.func @scores(%q: tensor<512x?xf32>, %k: tensor<512x?xf32>) -> tensor<f32> {
  %empty = tensor.empty() : tensor<512x512xf32>
  %s = attn.linear weight(out_in) ins(%q, %k : tensor<512x?xf32>, tensor<512x?xf32>)
      outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %m = func.call @mean_square(%s) : (tensor<512x512xf32>) -> tensor<f32>
  return %m : tensor<f32>
}

// The same of queries and keys that are projections of one x, by initial weights
// whose variance takes the place of the scale.
func.func @projected(%x: tensor<512x256xf32>) -> tensor<f32> {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %we = tensor.empty() : tensor<256x64xf32>
  %wq = attn.init normal variance(t5) head_dim(64) seed(%c1 : i64) outs(%we : tensor<256x64xf32>) -> tensor<256x64xf32>
  %wk = attn.init normal variance(t5) head_dim(64) seed(%c2 : i64) outs(%we : tensor<256x64xf32>) -> tensor<256x64xf32>
  %e = tensor.empty() : tensor<512x64xf32>
  %q = attn.linear ins(%x, %wq : tensor<512x256xf32>, tensor<256x64xf32>) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<512x256xf32>, tensor<256x64xf32>) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %empty = tensor.empty() : tensor<512x512xf32>
  %s = attn.linear weight(out_in) ins(%q, %k : tensor<512x64xf32>, tensor<512x64xf32>)
      outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %m = func.call @mean_square(%s) : (tensor<512x512xf32>) -> tensor<f32>
  return %m : tensor<f32>
}

// Entropy of the weights of each of 256 queries on 512 keys, under three scales.
func.func @weights(%q: tensor<1x256x64xf32>, %k: tensor<1x512x64xf32>)
    -> (tensor<1x256xf32>, tensor<1x256xf32>, tensor<1x256xf32>) {
  %o = tensor.empty() : tensor<1x256x64xf32>
  %r = tensor.empty() : tensor<1x256xf32>
  %0:2 = attn.attention scale(#attn.none) softmax(#attn.softmax) probes [#attn.probe<entropy>]
      ins(%q, %k, %k : tensor<1x256x64xf32>, tensor<1x512x64xf32>, tensor<1x512x64xf32>)
      outs(%o, %r : tensor<1x256x64xf32>, tensor<1x256xf32>) -> tensor<1x256x64xf32>, tensor<1x256xf32>
  %1:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<entropy>]
      ins(%q, %k, %k : tensor<1x256x64xf32>, tensor<1x512x64xf32>, tensor<1x512x64xf32>)
      outs(%o, %r : tensor<1x256x64xf32>, tensor<1x256xf32>) -> tensor<1x256x64xf32>, tensor<1x256xf32>
  %2:2 = attn.attention scale(#attn.inv_dim) softmax(#attn.softmax) probes [#attn.probe<entropy>]
      ins(%q, %k, %k : tensor<1x256x64xf32>, tensor<1x512x64xf32>, tensor<1x512x64xf32>)
      outs(%o, %r : tensor<1x256x64xf32>, tensor<1x256xf32>) -> tensor<1x256x64xf32>, tensor<1x256xf32>
  return %0#1, %1#1, %2#1 : tensor<1x256xf32>, tensor<1x256xf32>, tensor<1x256xf32>
}

func.func private @mean_square(%s: tensor<512x512xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 262144.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%s : tensor<512x512xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %acc: f32):
    %square = arith.mulf %x, %x : f32
    %share = arith.divf %square, %count : f32
    %next = arith.addf %acc, %share : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
