// Normalisers that let a head be silent: see sinks.md.

#q = affine_map<(h, m, n, d, e) -> (0, m, d)>
#k = affine_map<(h, m, n, d, e) -> (0, n, d)>
#kh = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (0, n, e)>
#head = affine_map<(h, m, n, d, e) -> (h)>
#out = affine_map<(h, m, n, d, e) -> (h, m, e)>
#row_head = affine_map<(h, m, n, d, e) -> (m, h)>

// The sum of a row's weights on 512 keys. All scores of head h are lowered by h/2,
// h = 0 ... 32.
func.func @silence() -> (tensor<256x33xf32>, tensor<256x33xf32>, tensor<256x33xf32>) {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %half = arith.constant -0.5 : f32
  %four = arith.constant 4.0 : f32
  %qe = tensor.empty() : tensor<1x256x64xf32>
  %ke = tensor.empty() : tensor<1x512x64xf32>
  %q = attn.init normal variance(constant) value(1.0) seed(%c1 : i64) outs(%qe : tensor<1x256x64xf32>) -> tensor<1x256x64xf32>
  %k = attn.init normal variance(constant) value(1.0) seed(%c2 : i64) outs(%ke : tensor<1x512x64xf32>) -> tensor<1x512x64xf32>
  %te = tensor.empty() : tensor<33xf32>
  %shift = linalg.generic {indexing_maps = [affine_map<(h) -> (h)>], iterator_types = ["parallel"]} outs(%te : tensor<33xf32>) {
  ^bb0(%unused: f32):
    %h = linalg.index 0 : index
    %i = arith.index_cast %h : index to i32
    %f = arith.sitofp %i : i32 to f32
    %b = arith.mulf %f, %half : f32
    linalg.yield %b : f32
  } -> tensor<33xf32>
  %sink = linalg.fill ins(%four : f32) outs(%te : tensor<33xf32>) -> tensor<33xf32>
  %o = tensor.empty() : tensor<33x256x64xf32>
  %r = tensor.empty() : tensor<256x33xf32>
  %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) bias [#attn.dense_bias] probes [#attn.probe<sum_p>]
      indexing_maps [#q, #k, #v, #head, #out, #row_head]
      ins(%q, %k, %k : tensor<1x256x64xf32>, tensor<1x512x64xf32>, tensor<1x512x64xf32>) params(%shift : tensor<33xf32>)
      outs(%o, %r : tensor<33x256x64xf32>, tensor<256x33xf32>) -> tensor<33x256x64xf32>, tensor<256x33xf32>
  %1:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) bias [#attn.dense_bias] probes [#attn.probe<sum_p>]
      indexing_maps [#q, #k, #v, #head, #out, #row_head]
      ins(%q, %k, %k : tensor<1x256x64xf32>, tensor<1x512x64xf32>, tensor<1x512x64xf32>) params(%shift : tensor<33xf32>)
      outs(%o, %r : tensor<33x256x64xf32>, tensor<256x33xf32>) -> tensor<33x256x64xf32>, tensor<256x33xf32>
  %2:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.sink) bias [#attn.dense_bias] probes [#attn.probe<sum_p>]
      indexing_maps [#q, #k, #v, #head, #head, #out, #row_head]
      ins(%q, %k, %k : tensor<1x256x64xf32>, tensor<1x512x64xf32>, tensor<1x512x64xf32>) params(%shift, %sink : tensor<33xf32>, tensor<33xf32>)
      outs(%o, %r : tensor<33x256x64xf32>, tensor<256x33xf32>) -> tensor<33x256x64xf32>, tensor<256x33xf32>
  return %0#1, %1#1, %2#1 : tensor<256x33xf32>, tensor<256x33xf32>, tensor<256x33xf32>
}

// The same sum with softmax1, row i of a causal attention on n = i + 1 keys, the
// scores of head h lowered by 2h, h = 0 ... 4.
func.func @length() -> tensor<4096x5xf32> {
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %shift = arith.constant dense<[0.0, -2.0, -4.0, -6.0, -8.0]> : tensor<5xf32>
  %e = tensor.empty() : tensor<1x4096x64xf32>
  %q = attn.init normal variance(constant) value(1.0) seed(%c3 : i64) outs(%e : tensor<1x4096x64xf32>) -> tensor<1x4096x64xf32>
  %k = attn.init normal variance(constant) value(1.0) seed(%c4 : i64) outs(%e : tensor<1x4096x64xf32>) -> tensor<1x4096x64xf32>
  %o = tensor.empty() : tensor<5x4096x64xf32>
  %r = tensor.empty() : tensor<4096x5xf32>
  %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) align(top_left)
      bias [#attn.dense_bias] masks [#attn.causal] probes [#attn.probe<sum_p>]
      indexing_maps [#q, #k, #v, #head, #out, #row_head]
      ins(%q, %k, %k : tensor<1x4096x64xf32>, tensor<1x4096x64xf32>, tensor<1x4096x64xf32>) params(%shift : tensor<5xf32>)
      outs(%o, %r : tensor<5x4096x64xf32>, tensor<4096x5xf32>) -> tensor<5x4096x64xf32>, tensor<4096x5xf32>
  return %0#1 : tensor<4096x5xf32>
}

// What softmax does in its place: one of 512 keys, without a value, takes the
// logit t = h in head h = 0 ... 16. Results of each head: the weight left for the
// other keys, the largest element of the keys, and their kurtosis.
func.func @token() -> (tensor<256x17xf32>, tensor<17xf32>, tensor<17xf32>) {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eight = arith.constant 8.0 : f32
  %c0 = arith.constant 0 : index
  %qe = tensor.empty() : tensor<1x256x64xf32>
  %ke = tensor.empty() : tensor<17x512x64xf32>
  %qr = attn.init normal variance(constant) value(1.0) seed(%c1 : i64) outs(%qe : tensor<1x256x64xf32>) -> tensor<1x256x64xf32>
  %kr = attn.init normal variance(constant) value(1.0) seed(%c2 : i64) outs(%ke : tensor<17x512x64xf32>) -> tensor<17x512x64xf32>
  // Every query says sqrt(d) in dimension 0; key 0 answers t there, and the
  // others say nothing.
  %q = linalg.generic {indexing_maps = [affine_map<(h, m, d) -> (h, m, d)>, affine_map<(h, m, d) -> (h, m, d)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%qr : tensor<1x256x64xf32>) outs(%qe : tensor<1x256x64xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %d = linalg.index 2 : index
    %first = arith.cmpi eq, %d, %c0 : index
    %y = arith.select %first, %eight, %x : f32
    linalg.yield %y : f32
  } -> tensor<1x256x64xf32>
  %k = linalg.generic {indexing_maps = [affine_map<(h, n, d) -> (h, n, d)>, affine_map<(h, n, d) -> (h, n, d)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%kr : tensor<17x512x64xf32>) outs(%ke : tensor<17x512x64xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %h = linalg.index 0 : index
    %n = linalg.index 1 : index
    %d = linalg.index 2 : index
    %i = arith.index_cast %h : index to i32
    %t = arith.sitofp %i : i32 to f32
    %first = arith.cmpi eq, %d, %c0 : index
    %token = arith.cmpi eq, %n, %c0 : index
    %here = arith.select %first, %t, %zero : f32
    %nothing = arith.select %first, %zero, %x : f32
    %y = arith.select %token, %here, %nothing : f32
    linalg.yield %y : f32
  } -> tensor<17x512x64xf32>
  // Values are 1, but the token's is 0: o is the weight on the other keys.
  %ve = tensor.empty() : tensor<1x512x1xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(h, n, e) -> (h, n, e)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%ve : tensor<1x512x1xf32>) {
  ^bb0(%unused: f32):
    %n = linalg.index 1 : index
    %token = arith.cmpi eq, %n, %c0 : index
    %y = arith.select %token, %zero, %one : f32
    linalg.yield %y : f32
  } -> tensor<1x512x1xf32>
  %oe = tensor.empty() : tensor<256x17xf32>
  %o4 = tensor.expand_shape %oe [[0], [1, 2]] output_shape [256, 17, 1] : tensor<256x17xf32> into tensor<256x17x1xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      indexing_maps [#q, #kh, #v, affine_map<(h, m, n, d, e) -> (m, h, e)>]
      ins(%q, %k, %v : tensor<1x256x64xf32>, tensor<17x512x64xf32>, tensor<1x512x1xf32>)
      outs(%o4 : tensor<256x17x1xf32>) -> tensor<256x17x1xf32>
  %left = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<256x17x1xf32> into tensor<256x17xf32>
  %te = tensor.empty() : tensor<17xf32>
  %largest = attn.statistics infinity_norm axes [1, 2] ins(%k : tensor<17x512x64xf32>) outs(%te : tensor<17xf32>) -> tensor<17xf32>
  %kurtosis = attn.statistics kurtosis axes [1, 2] ins(%k : tensor<17x512x64xf32>) outs(%te : tensor<17xf32>) -> tensor<17xf32>
  return %left, %largest, %kurtosis : tensor<256x17xf32>, tensor<17xf32>, tensor<17xf32>
}

// Two keys whose scores differ by 1, lowered by 0, 2, 4, 8 and 16: their weights by softmax and by softmax1.
func.func @ratios() -> (tensor<5x2xf32>, tensor<5x2xf32>) {
  %scores = arith.constant dense<[[1.0, 0.0], [-1.0, -2.0], [-3.0, -4.0], [-7.0, -8.0], [-15.0, -16.0]]> : tensor<5x2xf32>
  %e = tensor.empty() : tensor<5x2xf32>
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%scores : tensor<5x2xf32>) outs(%e : tensor<5x2xf32>) -> tensor<5x2xf32>
  %1 = attn.softmax scale(#attn.none) softmax(#attn.softmax1) ins(%scores : tensor<5x2xf32>) outs(%e : tensor<5x2xf32>) -> tensor<5x2xf32>
  return %0, %1 : tensor<5x2xf32>, tensor<5x2xf32>
}

// How p_1 of softmax1 grows with its own score: over a step of 2^-10 around each of the rows of @ratios, and p (1 - p).
func.func @derivative() -> (tensor<5xf64>, tensor<5xf64>) {
  %scores = arith.constant dense<[[1.0, 0.0], [-1.0, -2.0], [-3.0, -4.0], [-7.0, -8.0], [-15.0, -16.0]]> : tensor<5x2xf64>
  %half = arith.constant dense<[[0.00048828125, 0.0], [0.00048828125, 0.0], [0.00048828125, 0.0], [0.00048828125, 0.0], [0.00048828125, 0.0]]> : tensor<5x2xf64>
  %e = tensor.empty() : tensor<5x2xf64>
  %r = tensor.empty() : tensor<5xf64>
  %more = arith.addf %scores, %half : tensor<5x2xf64>
  %less = arith.subf %scores, %half : tensor<5x2xf64>
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax1) ins(%scores : tensor<5x2xf64>) outs(%e : tensor<5x2xf64>) -> tensor<5x2xf64>
  %1 = attn.softmax scale(#attn.none) softmax(#attn.softmax1) ins(%more : tensor<5x2xf64>) outs(%e : tensor<5x2xf64>) -> tensor<5x2xf64>
  %2 = attn.softmax scale(#attn.none) softmax(#attn.softmax1) ins(%less : tensor<5x2xf64>) outs(%e : tensor<5x2xf64>) -> tensor<5x2xf64>
  %p = tensor.extract_slice %0[0, 0] [5, 1] [1, 1] : tensor<5x2xf64> to tensor<5xf64>
  %above = tensor.extract_slice %1[0, 0] [5, 1] [1, 1] : tensor<5x2xf64> to tensor<5xf64>
  %below = tensor.extract_slice %2[0, 0] [5, 1] [1, 1] : tensor<5x2xf64> to tensor<5xf64>
  %slope:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%p, %above, %below : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) outs(%r, %r : tensor<5xf64>, tensor<5xf64>) {
  ^bb0(%weight: f64, %a: f64, %b: f64, %unused: f64, %unused_too: f64):
    %one = arith.constant 1.0 : f64
    %steps = arith.constant 1024.0 : f64
    %difference = arith.subf %a, %b : f64
    %quotient = arith.mulf %difference, %steps : f64
    %rest = arith.subf %one, %weight : f64
    %product = arith.mulf %weight, %rest : f64
    linalg.yield %quotient, %product : f64, f64
  } -> (tensor<5xf64>, tensor<5xf64>)
  return %slope#0, %slope#1 : tensor<5xf64>, tensor<5xf64>
}

// The kurtosis of the weights of 256 rows on 512 keys, the first of which has the
// logit t = h more in head h = 0 ... 16, and half the weight of softmax1 or more.
func.func @concentration() -> (tensor<256x17xf32>, tensor<256x17xf32>) {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %qe = tensor.empty() : tensor<1x256x64xf32>
  %ke = tensor.empty() : tensor<1x512x64xf32>
  %q = attn.init normal variance(constant) value(1.0) seed(%c1 : i64) outs(%qe : tensor<1x256x64xf32>) -> tensor<1x256x64xf32>
  %k = attn.init normal variance(constant) value(1.0) seed(%c2 : i64) outs(%ke : tensor<1x512x64xf32>) -> tensor<1x512x64xf32>
  %te = tensor.empty() : tensor<17x512xf32>
  %logit = linalg.generic {indexing_maps = [affine_map<(h, n) -> (h, n)>], iterator_types = ["parallel", "parallel"]} outs(%te : tensor<17x512xf32>) {
  ^bb0(%unused: f32):
    %h = linalg.index 0 : index
    %n = linalg.index 1 : index
    %i = arith.index_cast %h : index to i32
    %f = arith.sitofp %i : i32 to f32
    %is = arith.cmpi eq, %n, %first : index
    %t = arith.select %is, %f, %zero : f32
    linalg.yield %t : f32
  } -> tensor<17x512xf32>
  %o = tensor.empty() : tensor<17x256x64xf32>
  %r = tensor.empty() : tensor<256x17xf32>
  %0:3 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) bias [#attn.dense_bias] probes [#attn.probe<kurtosis>, #attn.probe<sum_p2>]
      indexing_maps [#q, #k, #v, affine_map<(h, m, n, d, e) -> (h, n)>, #out, #row_head, #row_head]
      ins(%q, %k, %k : tensor<1x256x64xf32>, tensor<1x512x64xf32>, tensor<1x512x64xf32>) params(%logit : tensor<17x512xf32>)
      outs(%o, %r, %r : tensor<17x256x64xf32>, tensor<256x17xf32>, tensor<256x17xf32>) -> tensor<17x256x64xf32>, tensor<256x17xf32>, tensor<256x17xf32>
  return %0#1, %0#2 : tensor<256x17xf32>, tensor<256x17xf32>
}
