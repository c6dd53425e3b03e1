// T5: each head learns one number for each of 32 buckets of the distance from query to
// key. Half of the buckets hold one distance each, the others grow geometrically up to 128
// positions, and the last holds all that is farther. T5 has no factor 1 / sqrt(d): the
// weights of its queries have it, whose numbers so have a variance of 1 / d.
//
// A score region reads a param at its own row and key only, so it cannot look up a table
// by a bucket. The table is looked up once for each distance, at j - i + 159 for rows and
// keys 0 .. 159, and that is spread over rows and keys as a dense bias.
//   attn-run examples/t5_bias.mlir --entry=bidirectional --check

// An encoder: 16 buckets for keys up to the query, 16 for those behind it. Of each 16, 8
// are exact; distance r >= 8 has bucket 8 + floor(8 log(r / 8) / log(128 / 8)).
func.func @bidirectional(%q: tensor<1x4x160x32xf32> {attn.moments = array<f64: 0.0, 0.03125>}, %k: tensor<1x4x160x32xf32>, %v: tensor<1x4x160x32xf32>,
                         %table: tensor<32x4xf32>) -> tensor<1x4x160x32xf32> {
  %last = arith.constant 159 : index
  %distances = tensor.empty() : tensor<4x319xf32>
  %by_distance = linalg.generic {indexing_maps = [affine_map<(h, t) -> (h, t)>], iterator_types = ["parallel", "parallel"]}
      outs(%distances : tensor<4x319xf32>) {
  ^bb0(%unused: f32):
    %zero = arith.constant 0 : i32
    %exact = arith.constant 8 : i32
    %most = arith.constant 15 : i32
    %behind = arith.constant 16 : i32
    %inverse = arith.constant 0.125 : f32
    // 8 / log(16); where the logarithm is a multiple of log(2), rounding must not cost a bucket.
    %steps_a_unit = arith.constant 2.88539008 : f32
    %rounding = arith.constant 1.0e-04 : f32
    %h = linalg.index 0 : index
    %t = linalg.index 1 : index
    %relative = arith.subi %t, %last : index
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
    %within = arith.select %is_exact, %distance, %large : i32
    %is_behind = arith.cmpi sgt, %signed, %zero : i32
    %side = arith.select %is_behind, %behind, %zero : i32
    %number = arith.addi %side, %within : i32
    %bucket = arith.index_cast %number : i32 to index
    %value = tensor.extract %table[%bucket, %h] : tensor<32x4xf32>
    linalg.yield %value : f32
  } -> tensor<4x319xf32>
  %square = tensor.empty() : tensor<4x160x160xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%square : tensor<4x160x160xf32>) {
  ^bb0(%unused: f32):
    %h = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %relative = arith.subi %j, %i : index
    %t = arith.addi %relative, %last : index
    %value = tensor.extract %by_distance[%h, %t] : tensor<4x319xf32>
    linalg.yield %value : f32
  } -> tensor<4x160x160xf32>
  %init = tensor.empty() : tensor<1x4x160x32xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax) bias [#attn.dense_bias]
      ins(%q, %k, %v : tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>)
      params(%bias : tensor<4x160x160xf32>) outs(%init : tensor<1x4x160x32xf32>) -> tensor<1x4x160x32xf32>
  return %o : tensor<1x4x160x32xf32>
}

// A decoder: all 32 buckets are for keys up to the query, 16 of them exact; distance
// r >= 16 has bucket 16 + floor(16 log(r / 16) / log(128 / 16)). No key behind the query
// is visible; such distances count as 0.
func.func @causal(%q: tensor<1x4x160x32xf32> {attn.moments = array<f64: 0.0, 0.03125>}, %k: tensor<1x4x160x32xf32>, %v: tensor<1x4x160x32xf32>,
                  %table: tensor<32x4xf32>) -> tensor<1x4x160x32xf32> {
  %last = arith.constant 159 : index
  %distances = tensor.empty() : tensor<4x319xf32>
  %by_distance = linalg.generic {indexing_maps = [affine_map<(h, t) -> (h, t)>], iterator_types = ["parallel", "parallel"]}
      outs(%distances : tensor<4x319xf32>) {
  ^bb0(%unused: f32):
    %zero = arith.constant 0 : i32
    %exact = arith.constant 16 : i32
    %most = arith.constant 31 : i32
    %inverse = arith.constant 0.0625 : f32
    // 16 / log(8)
    %steps_a_unit = arith.constant 7.6943735 : f32
    %rounding = arith.constant 1.0e-04 : f32
    %h = linalg.index 0 : index
    %t = linalg.index 1 : index
    %back = arith.subi %last, %t : index
    %signed = arith.index_cast %back : index to i32
    %distance = arith.maxsi %signed, %zero : i32
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
    %value = tensor.extract %table[%bucket, %h] : tensor<32x4xf32>
    linalg.yield %value : f32
  } -> tensor<4x319xf32>
  %square = tensor.empty() : tensor<4x160x160xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%square : tensor<4x160x160xf32>) {
  ^bb0(%unused: f32):
    %h = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %relative = arith.subi %j, %i : index
    %t = arith.addi %relative, %last : index
    %value = tensor.extract %by_distance[%h, %t] : tensor<4x319xf32>
    linalg.yield %value : f32
  } -> tensor<4x160x160xf32>
  %init = tensor.empty() : tensor<1x4x160x32xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left) bias [#attn.dense_bias] masks [#attn.causal]
      ins(%q, %k, %v : tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>, tensor<1x4x160x32xf32>)
      params(%bias : tensor<4x160x160xf32>) outs(%init : tensor<1x4x160x32xf32>) -> tensor<1x4x160x32xf32>
  return %o : tensor<1x4x160x32xf32>
}
