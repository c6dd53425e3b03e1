// What a position does to the weights: see positions.md. Queries and keys say nothing here, so that the weights of
// the last of 256 rows are those of the distance alone; the values are the rows of an identity, so that they come out.

func.func private @identity() -> tensor<1x256x256xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x256x256xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<1x256x256xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %same = arith.cmpi eq, %i, %j : index
    %r = arith.select %same, %one, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x256x256xf32>
  return %v : tensor<1x256x256xf32>
}

func.func private @last_row(%o: tensor<1x256x256xf32>) -> tensor<256xf32> {
  %r = tensor.extract_slice %o[0, 255, 0] [1, 1, 256] [1, 1, 1] : tensor<1x256x256xf32> to tensor<256xf32>
  return %r : tensor<256xf32>
}

// T5's bias: row i and key j look up the bucket of their distance. The first 16 of 32 buckets hold one distance each,
// the others grow up to 128. The numbers are learned; here bucket b has -b / 4.
func.func private @buckets() -> tensor<256x256xf32> {
  %te = tensor.empty() : tensor<32xf32>
  %table = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>], iterator_types = ["parallel"]} outs(%te : tensor<32xf32>) {
  ^bb0(%unused: f32):
    %quarter = arith.constant -0.25 : f32
    %b = linalg.index 0 : index
    %int = arith.index_cast %b : index to i32
    %float = arith.sitofp %int : i32 to f32
    %number = arith.mulf %float, %quarter : f32
    linalg.yield %number : f32
  } -> tensor<32xf32>
  %e = tensor.empty() : tensor<256x256xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<256x256xf32>) {
  ^bb0(%unused: f32):
    %exact = arith.constant 16 : i32
    %most = arith.constant 31 : i32
    %inverse = arith.constant 0.0625 : f32
    // 16 / log(8); where the logarithm is a multiple of log(2), rounding must not cost a bucket.
    %steps_a_unit = arith.constant 7.69437361 : f32
    %rounding = arith.constant 1.0e-04 : f32
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %relative = arith.subi %i, %j : index
    %signed = arith.index_cast %relative : index to i32
    %distance = math.absi %signed : i32
    %far = arith.maxsi %distance, %exact : i32
    %far_float = arith.sitofp %far : i32 to f32
    %ratio = arith.mulf %far_float, %inverse : f32
    %log = math.log %ratio : f32
    %scaled = arith.mulf %log, %steps_a_unit : f32
    %steps_float = arith.addf %scaled, %rounding : f32
    %steps = arith.fptosi %steps_float : f32 to i32
    %grown = arith.addi %exact, %steps : i32
    %large = arith.minsi %grown, %most : i32
    %is_exact = arith.cmpi slt, %distance, %exact : i32
    %number = arith.select %is_exact, %distance, %large : i32
    %bucket = arith.index_cast %number : i32 to index
    %value = tensor.extract %table[%bucket] : tensor<32xf32>
    linalg.yield %value : f32
  } -> tensor<256x256xf32>
  return %bias : tensor<256x256xf32>
}

// Sandwich's: products of the rows of sinusoidal positions, 128 wide, divided by 8.
func.func private @products() -> tensor<256x256xf32> {
  %pe = tensor.empty() : tensor<256x128xf32>
  %e = tensor.empty() : tensor<256x256xf32>
  %p = attn.sinusoidal_positions outs(%pe : tensor<256x128xf32>) -> tensor<256x128xf32>
  %sums = attn.linear weight(out_in) ins(%p, %p : tensor<256x128xf32>, tensor<256x128xf32>) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) {
  ^bb0(%sum: f32, %unused: f32):
    %eighth = arith.constant 0.125 : f32
    %number = arith.mulf %sum, %eighth : f32
    linalg.yield %number : f32
  } -> tensor<256x256xf32>
  return %bias : tensor<256x256xf32>
}

// ALiBi with one head (slope 2^-8), KERPLE's logarithm with a = 1 and b = 1, Sandwich, T5's buckets, and no bias.
func.func @biases() -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) {
  %v = call @identity() : () -> tensor<1x256x256xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x256x64xf32>
  %q = linalg.fill ins(%zero : f32) outs(%e : tensor<1x256x64xf32>) -> tensor<1x256x64xf32>
  %init = tensor.empty() : tensor<1x256x256xf32>
  %alibi = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) bias [#attn.alibi] masks [#attn.causal]
      ins(%q, %q, %v : tensor<1x256x64xf32>, tensor<1x256x64xf32>, tensor<1x256x256xf32>) outs(%init : tensor<1x256x256xf32>) -> tensor<1x256x256xf32>
  %kerple = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal]
      ins(%q, %q, %v : tensor<1x256x64xf32>, tensor<1x256x64xf32>, tensor<1x256x256xf32>) outs(%init : tensor<1x256x256xf32>)
      score {
      ^bb0(%s: f32, %batch: index, %head: index, %i: index, %j: index):
        %one = arith.constant 1.0 : f32
        %difference = arith.subi %i, %j : index
        %int = arith.index_cast %difference : index to i32
        %distance = arith.sitofp %int : i32 to f32
        %inner = arith.addf %one, %distance : f32
        %loss = math.log %inner : f32
        %changed = arith.subf %s, %loss : f32
        attn.yield %changed : f32
      } -> tensor<1x256x256xf32>
  %waves = call @products() : () -> tensor<256x256xf32>
  %sandwich = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) bias [#attn.dense_bias] masks [#attn.causal]
      ins(%q, %q, %v : tensor<1x256x64xf32>, tensor<1x256x64xf32>, tensor<1x256x256xf32>) params(%waves : tensor<256x256xf32>)
      outs(%init : tensor<1x256x256xf32>) -> tensor<1x256x256xf32>
  %numbers = call @buckets() : () -> tensor<256x256xf32>
  %t5 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(bottom_right) bias [#attn.dense_bias] masks [#attn.causal]
      ins(%q, %q, %v : tensor<1x256x64xf32>, tensor<1x256x64xf32>, tensor<1x256x256xf32>) params(%numbers : tensor<256x256xf32>)
      outs(%init : tensor<1x256x256xf32>) -> tensor<1x256x256xf32>
  %none = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal]
      ins(%q, %q, %v : tensor<1x256x64xf32>, tensor<1x256x64xf32>, tensor<1x256x256xf32>) outs(%init : tensor<1x256x256xf32>) -> tensor<1x256x256xf32>
  %a = call @last_row(%alibi) : (tensor<1x256x256xf32>) -> tensor<256xf32>
  %b = call @last_row(%kerple) : (tensor<1x256x256xf32>) -> tensor<256xf32>
  %c = call @last_row(%sandwich) : (tensor<1x256x256xf32>) -> tensor<256xf32>
  %d = call @last_row(%t5) : (tensor<1x256x256xf32>) -> tensor<256xf32>
  %f = call @last_row(%none) : (tensor<1x256x256xf32>) -> tensor<256xf32>
  return %a, %b, %c, %d, %f : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
}

// Rotated rows of ones: the score depends on the distance, as sum cos(s (i - j) 10000^(-2t/64)). s = 1, and s = 1/4,
// which squeezes 256 positions into 64 trained ones.
func.func @rotated() -> (tensor<256xf32>, tensor<256xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<256x64xf32>
  %se = tensor.empty() : tensor<256x256xf32>
  %x = linalg.fill ins(%one : f32) outs(%e : tensor<256x64xf32>) -> tensor<256x64xf32>
  %near = attn.rope pairs(half_split) ins(%x : tensor<256x64xf32>) outs(%e : tensor<256x64xf32>) -> tensor<256x64xf32>
  %far = attn.rope pairs(half_split) position_scale(0.25) ins(%x : tensor<256x64xf32>) outs(%e : tensor<256x64xf32>) -> tensor<256x64xf32>
  %s = attn.linear weight(out_in) ins(%near, %near : tensor<256x64xf32>, tensor<256x64xf32>) outs(%se : tensor<256x256xf32>) -> tensor<256x256xf32>
  %t = attn.linear weight(out_in) ins(%far, %far : tensor<256x64xf32>, tensor<256x64xf32>) outs(%se : tensor<256x256xf32>) -> tensor<256x256xf32>
  %a = tensor.extract_slice %s[255, 0] [1, 256] [1, 1] : tensor<256x256xf32> to tensor<256xf32>
  %b = tensor.extract_slice %t[255, 0] [1, 256] [1, 1] : tensor<256x256xf32> to tensor<256xf32>
  return %a, %b : tensor<256xf32>, tensor<256xf32>
}
