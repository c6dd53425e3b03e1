// Scale policies against the number of keys: see scale.md.

#h0_q = affine_map<(h, m, n, d, e) -> (0, m, d)>
#h0_k = affine_map<(h, m, n, d, e) -> (0, n, d)>
#h0_v = affine_map<(h, m, n, d, e) -> (0, n, e)>
#head = affine_map<(h, m, n, d, e) -> (h)>
#out = affine_map<(h, m, n, d, e) -> (h, m, e)>
#row_head = affine_map<(h, m, n, d, e) -> (m, h)>

// lambda sqrt(d) of each of 20000 rows, row i with n = i + 1. One key, and a
// similarity of sqrt(d) with it, so that the score of a row is lambda sqrt(d).
func.func @alpha() -> (tensor<1x20000xf64>, tensor<1x20000xf64>, tensor<1x20000xf64>, tensor<1x20000xf64>) {
  %one = arith.constant 1.0 : f64
  %eighth = arith.constant 0.125 : f64
  %qe = tensor.empty() : tensor<1x20000x64xf64>
  %ke = tensor.empty() : tensor<1x1x64xf64>
  %q = linalg.fill ins(%one : f64) outs(%qe : tensor<1x20000x64xf64>) -> tensor<1x20000x64xf64>
  %k = linalg.fill ins(%eighth : f64) outs(%ke : tensor<1x1x64xf64>) -> tensor<1x1x64xf64>
  %r = tensor.empty() : tensor<1x20000xf64>
  %0:2 = attn.attention scale(#attn.gradient_max<scores = normal, n = position>) softmax(#attn.softmax)
      align(top_left) probes [#attn.probe<max_logit>]
      ins(%q, %k, %k : tensor<1x20000x64xf64>, tensor<1x1x64xf64>, tensor<1x1x64xf64>)
      outs(%qe, %r : tensor<1x20000x64xf64>, tensor<1x20000xf64>) -> tensor<1x20000x64xf64>, tensor<1x20000xf64>
  %1:2 = attn.attention scale(#attn.gradient_max_fit<scores = normal, n = position>) softmax(#attn.softmax)
      align(top_left) probes [#attn.probe<max_logit>]
      ins(%q, %k, %k : tensor<1x20000x64xf64>, tensor<1x1x64xf64>, tensor<1x1x64xf64>)
      outs(%qe, %r : tensor<1x20000x64xf64>, tensor<1x20000xf64>) -> tensor<1x20000x64xf64>, tensor<1x20000xf64>
  %2:2 = attn.attention scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax)
      align(top_left) probes [#attn.probe<max_logit>]
      ins(%q, %k, %k : tensor<1x20000x64xf64>, tensor<1x1x64xf64>, tensor<1x1x64xf64>)
      outs(%qe, %r : tensor<1x20000x64xf64>, tensor<1x20000xf64>) -> tensor<1x20000x64xf64>, tensor<1x20000xf64>
  %3:2 = attn.attention scale(#attn.gradient_max<scores = normal, n = half_max(1024)>) softmax(#attn.softmax)
      align(top_left) probes [#attn.probe<max_logit>]
      ins(%q, %k, %k : tensor<1x20000x64xf64>, tensor<1x1x64xf64>, tensor<1x1x64xf64>)
      outs(%qe, %r : tensor<1x20000x64xf64>, tensor<1x20000xf64>) -> tensor<1x20000x64xf64>, tensor<1x20000xf64>
  return %0#1, %1#1, %2#1, %3#1 : tensor<1x20000xf64>, tensor<1x20000xf64>, tensor<1x20000xf64>, tensor<1x20000xf64>
}

// The same for cosine similarity, where lambda is alpha itself.
func.func @alpha_cosine() -> (tensor<1x20000xf64>, tensor<1x20000xf64>) {
  %one = arith.constant 1.0 : f64
  %qe = tensor.empty() : tensor<1x20000x128xf64>
  %ke = tensor.empty() : tensor<1x1x128xf64>
  %q = linalg.fill ins(%one : f64) outs(%qe : tensor<1x20000x128xf64>) -> tensor<1x20000x128xf64>
  %k = linalg.fill ins(%one : f64) outs(%ke : tensor<1x1x128xf64>) -> tensor<1x1x128xf64>
  %r = tensor.empty() : tensor<1x20000xf64>
  %0:2 = attn.attention scale(#attn.gradient_max<scores = cosine, n = position>) similarity(#attn.cosine<eps = 0.0, mode = rsqrt_sum>)
      softmax(#attn.softmax) align(top_left) probes [#attn.probe<max_logit>]
      ins(%q, %k, %k : tensor<1x20000x128xf64>, tensor<1x1x128xf64>, tensor<1x1x128xf64>)
      outs(%qe, %r : tensor<1x20000x128xf64>, tensor<1x20000xf64>) -> tensor<1x20000x128xf64>, tensor<1x20000xf64>
  %1:2 = attn.attention scale(#attn.gradient_max_fit<scores = cosine, n = position>) similarity(#attn.cosine<eps = 0.0, mode = rsqrt_sum>)
      softmax(#attn.softmax) align(top_left) probes [#attn.probe<max_logit>]
      ins(%q, %k, %k : tensor<1x20000x128xf64>, tensor<1x1x128xf64>, tensor<1x1x128xf64>)
      outs(%qe, %r : tensor<1x20000x128xf64>, tensor<1x20000xf64>) -> tensor<1x20000x128xf64>, tensor<1x20000xf64>
  return %0#1, %1#1 : tensor<1x20000xf64>, tensor<1x20000xf64>
}

// Half the L1 norm of the gradient of the weights, and their sum of squares, for
// 80 scales lambda sqrt(d) = 0.05, 0.10, ... 4.00, one a head, on the same 256
// random queries and 512 keys.
func.func @gradient() -> (tensor<256x80xf32>, tensor<256x80xf32>) {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %step = arith.constant 0.00625 : f32
  %qe = tensor.empty() : tensor<1x256x64xf32>
  %ke = tensor.empty() : tensor<1x512x64xf32>
  %q = attn.init normal variance(constant) value(1.0) seed(%c1 : i64) outs(%qe : tensor<1x256x64xf32>) -> tensor<1x256x64xf32>
  %k = attn.init normal variance(constant) value(1.0) seed(%c2 : i64) outs(%ke : tensor<1x512x64xf32>) -> tensor<1x512x64xf32>
  %le = tensor.empty() : tensor<80xf32>
  %lambda = linalg.generic {indexing_maps = [affine_map<(h) -> (h)>], iterator_types = ["parallel"]} outs(%le : tensor<80xf32>) {
  ^bb0(%unused: f32):
    %h = linalg.index 0 : index
    %i = arith.index_cast %h : index to i32
    %f = arith.sitofp %i : i32 to f32
    %a = arith.mulf %f, %step : f32
    %b = arith.addf %a, %step : f32
    linalg.yield %b : f32
  } -> tensor<80xf32>
  %o = tensor.empty() : tensor<80x256x64xf32>
  %r = tensor.empty() : tensor<256x80xf32>
  %0:3 = attn.attention scale(#attn.operand) softmax(#attn.softmax)
      probes [#attn.probe<half_gradient_norm>, #attn.probe<sum_p2>]
      indexing_maps [#h0_q, #h0_k, #h0_v, #head, #out, #row_head, #row_head]
      ins(%q, %k, %k : tensor<1x256x64xf32>, tensor<1x512x64xf32>, tensor<1x512x64xf32>) params(%lambda : tensor<80xf32>)
      outs(%o, %r, %r : tensor<80x256x64xf32>, tensor<256x80xf32>, tensor<256x80xf32>)
      -> tensor<80x256x64xf32>, tensor<256x80xf32>, tensor<256x80xf32>
  return %0#1, %0#2 : tensor<256x80xf32>, tensor<256x80xf32>
}

// Entropy of the weights of a causal attention of 8 heads: row i sees n = i + 1
// keys, so that one run measures every n.
func.func @entropy() -> (tensor<8x4096xf32>, tensor<8x4096xf32>, tensor<8x4096xf32>, tensor<8x4096xf32>) {
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %e = tensor.empty() : tensor<8x4096x64xf32>
  %q = attn.init normal variance(constant) value(1.0) seed(%c3 : i64) outs(%e : tensor<8x4096x64xf32>) -> tensor<8x4096x64xf32>
  %k = attn.init normal variance(constant) value(1.0) seed(%c4 : i64) outs(%e : tensor<8x4096x64xf32>) -> tensor<8x4096x64xf32>
  %r = tensor.empty() : tensor<8x4096xf32>
  %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(top_left) masks [#attn.causal] probes [#attn.probe<entropy>]
      ins(%q, %k, %k : tensor<8x4096x64xf32>, tensor<8x4096x64xf32>, tensor<8x4096x64xf32>)
      outs(%e, %r : tensor<8x4096x64xf32>, tensor<8x4096xf32>) -> tensor<8x4096x64xf32>, tensor<8x4096xf32>
  %1:2 = attn.attention scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax)
      align(top_left) masks [#attn.causal] probes [#attn.probe<entropy>]
      ins(%q, %k, %k : tensor<8x4096x64xf32>, tensor<8x4096x64xf32>, tensor<8x4096x64xf32>)
      outs(%e, %r : tensor<8x4096x64xf32>, tensor<8x4096xf32>) -> tensor<8x4096x64xf32>, tensor<8x4096xf32>
  %2:2 = attn.attention scale(#attn.gradient_max<scores = normal, n = position>) softmax(#attn.softmax)
      align(top_left) masks [#attn.causal] probes [#attn.probe<entropy>]
      ins(%q, %k, %k : tensor<8x4096x64xf32>, tensor<8x4096x64xf32>, tensor<8x4096x64xf32>)
      outs(%e, %r : tensor<8x4096x64xf32>, tensor<8x4096xf32>) -> tensor<8x4096x64xf32>, tensor<8x4096xf32>
  %3:2 = attn.attention scale(#attn.gradient_max_blind) softmax(#attn.softmax)
      align(top_left) masks [#attn.causal] probes [#attn.probe<entropy>]
      ins(%q, %k, %k : tensor<8x4096x64xf32>, tensor<8x4096x64xf32>, tensor<8x4096x64xf32>)
      outs(%e, %r : tensor<8x4096x64xf32>, tensor<8x4096xf32>) -> tensor<8x4096x64xf32>, tensor<8x4096xf32>
  return %0#1, %1#1, %2#1, %3#1 : tensor<8x4096xf32>, tensor<8x4096xf32>, tensor<8x4096xf32>, tensor<8x4096xf32>
}

// Entropy of the weights of 512 queries on 4096 keys of d = 16 by cosine, for the
// scales lambda d = 1, 2, ... 32, one a head.
func.func @entropy_cosine() -> tensor<512x32xf32> {
  %c5 = arith.constant 5 : i64
  %c6 = arith.constant 6 : i64
  %one = arith.constant 1.0 : f32
  %qe = tensor.empty() : tensor<1x512x16xf32>
  %ke = tensor.empty() : tensor<1x4096x16xf32>
  %q = attn.init normal variance(constant) value(1.0) seed(%c5 : i64) outs(%qe : tensor<1x512x16xf32>) -> tensor<1x512x16xf32>
  %k = attn.init normal variance(constant) value(1.0) seed(%c6 : i64) outs(%ke : tensor<1x4096x16xf32>) -> tensor<1x4096x16xf32>
  %le = tensor.empty() : tensor<32xf32>
  %lambda = linalg.generic {indexing_maps = [affine_map<(h) -> (h)>], iterator_types = ["parallel"]} outs(%le : tensor<32xf32>) {
  ^bb0(%unused: f32):
    %h = linalg.index 0 : index
    %i = arith.index_cast %h : index to i32
    %f = arith.sitofp %i : i32 to f32
    %b = arith.addf %f, %one : f32
    linalg.yield %b : f32
  } -> tensor<32xf32>
  %o = tensor.empty() : tensor<32x512x16xf32>
  %r = tensor.empty() : tensor<512x32xf32>
  %0:2 = attn.attention scale(#attn.operand) similarity(#attn.cosine<eps = 0.0, mode = rsqrt_sum>)
      softmax(#attn.softmax) probes [#attn.probe<entropy>]
      indexing_maps [#h0_q, #h0_k, #h0_v, #head, #out, #row_head]
      ins(%q, %k, %k : tensor<1x512x16xf32>, tensor<1x4096x16xf32>, tensor<1x4096x16xf32>) params(%lambda : tensor<32xf32>)
      outs(%o, %r : tensor<32x512x16xf32>, tensor<512x32xf32>) -> tensor<32x512x16xf32>, tensor<512x32xf32>
  return %0#1 : tensor<512x32xf32>
}

// lambda sqrt(d) of the rows of a packed batch: documents of 100, 300 and 624
// tokens, each seen by its own rows only. Every similarity is sqrt(d).
func.func @packed() -> (tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1x1024xf32>) {
  %one = arith.constant 1.0 : f32
  %eighth = arith.constant 0.125 : f32
  %first = arith.constant 100 : index
  %second = arith.constant 400 : index
  %e = tensor.empty() : tensor<1x1024x64xf32>
  %q = linalg.fill ins(%one : f32) outs(%e : tensor<1x1024x64xf32>) -> tensor<1x1024x64xf32>
  %k = linalg.fill ins(%eighth : f32) outs(%e : tensor<1x1024x64xf32>) -> tensor<1x1024x64xf32>
  %ie = tensor.empty() : tensor<1024xi32>
  %ids = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%ie : tensor<1024xi32>) {
  ^bb0(%unused: i32):
    %i = linalg.index 0 : index
    %a = arith.cmpi sge, %i, %first : index
    %b = arith.cmpi sge, %i, %second : index
    %x = arith.extui %a : i1 to i32
    %y = arith.extui %b : i1 to i32
    %id = arith.addi %x, %y : i32
    linalg.yield %id : i32
  } -> tensor<1024xi32>
  %r = tensor.empty() : tensor<1x1024xf32>
  %0:2 = attn.attention scale(#attn.log_length<n = keys>) softmax(#attn.softmax) align(top_left) masks [#attn.segment_ids]
      probes [#attn.probe<max_logit>] ins(%q, %k, %k : tensor<1x1024x64xf32>, tensor<1x1024x64xf32>, tensor<1x1024x64xf32>)
      params(%ids, %ids : tensor<1024xi32>, tensor<1024xi32>) outs(%e, %r : tensor<1x1024x64xf32>, tensor<1x1024xf32>) -> tensor<1x1024x64xf32>, tensor<1x1024xf32>
  %1:2 = attn.attention scale(#attn.log_length<n = position>) softmax(#attn.softmax) align(top_left) masks [#attn.segment_ids]
      probes [#attn.probe<max_logit>] ins(%q, %k, %k : tensor<1x1024x64xf32>, tensor<1x1024x64xf32>, tensor<1x1024x64xf32>)
      params(%ids, %ids : tensor<1024xi32>, tensor<1024xi32>) outs(%e, %r : tensor<1x1024x64xf32>, tensor<1x1024xf32>) -> tensor<1x1024x64xf32>, tensor<1x1024xf32>
  %2:2 = attn.attention scale(#attn.log_length<n = seen>) softmax(#attn.softmax) align(top_left) masks [#attn.segment_ids]
      probes [#attn.probe<max_logit>] ins(%q, %k, %k : tensor<1x1024x64xf32>, tensor<1x1024x64xf32>, tensor<1x1024x64xf32>)
      params(%ids, %ids : tensor<1024xi32>, tensor<1024xi32>) outs(%e, %r : tensor<1x1024x64xf32>, tensor<1x1024xf32>) -> tensor<1x1024x64xf32>, tensor<1x1024xf32>
  return %0#1, %1#1, %2#1 : tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1x1024xf32>
}
