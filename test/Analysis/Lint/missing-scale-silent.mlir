// The twins of missing-scale.mlir: attentions without 1/sqrt(d) that have the
// factor elsewhere. None is warned of.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint=fix | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after

// T5: the variance of W_q and W_k is 1/(m sqrt(d)) each.
func.func @t5(%x: tensor<48x256xf32>, %v: tensor<48x64xf32>, %seed: i64, %other: i64) -> tensor<48x64xf32> {
  %ew = tensor.empty() : tensor<256x64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %wq = attn.init normal variance(t5) head_dim(64) seed(%seed : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  %wk = attn.init normal variance(t5) head_dim(64) seed(%other : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  %q = attn.linear ins(%x, %wq : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// qk-norm with a trained scale in place of 1/sqrt(d).
func.func @qk_norm_learned(%q: tensor<2x48x64xf32>, %k: tensor<2x48x64xf32>, %v: tensor<2x48x64xf32>, %scale: tensor<2xf32>) -> tensor<2x48x64xf32> {
  %e = tensor.empty() : tensor<2x48x64xf32>
  %qn = attn.norm l2 axes [2] eps(1.0e-06) ins(%q : tensor<2x48x64xf32>) outs(%e : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  %kn = attn.norm l2 axes [2] eps(1.0e-06) ins(%k : tensor<2x48x64xf32>) outs(%e : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  %o = attn.attention scale(#attn.learned) softmax(#attn.softmax)
    ins(%qn, %kn, %v : tensor<2x48x64xf32>, tensor<2x48x64xf32>, tensor<2x48x64xf32>) params(%scale : tensor<2xf32>)
    outs(%e : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  return %o : tensor<2x48x64xf32>
}

// qk-norm with gains of d^(-1/4) = 0.35355339 in place of 1/sqrt(d).
func.func @qk_norm_gain(%q: tensor<48x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %gain = arith.constant dense<0.35355339> : tensor<64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %qn = attn.norm rms axes [1] eps(1.0e-06) ins(%q : tensor<48x64xf32>) gamma(%gain : tensor<64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %kn = attn.norm rms axes [1] eps(1.0e-06) ins(%k : tensor<48x64xf32>) gamma(%gain : tensor<64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%qn, %kn, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// Cosines lie between -1 and 1; their temperature is a constant above 1.
func.func @cosine(%q: tensor<48x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %o = attn.attention scale(#attn.constant<30.0>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// The factor is multiplied into the queries, as an elementwise op of tensors and
// as a structured op.
func.func @scaled_query(%q: tensor<48x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> (tensor<48x64xf32>, tensor<48x64xf32>) {
  %factor = arith.constant 0.125 : f32
  %factors = arith.constant dense<0.125> : tensor<48x64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %qs = arith.mulf %q, %factors : tensor<48x64xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%qs, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %qt = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%q : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %factor : f32
    linalg.yield %s : f32
  } -> tensor<48x64xf32>
  %p = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%qt, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o, %p : tensor<48x64xf32>, tensor<48x64xf32>
}

// The factor is in the weights of the queries: drawn with the variance 1/(m d),
// or constants of that size.
func.func @scaled_weights(%x: tensor<48x256xf32>, %v: tensor<48x64xf32>, %seed: i64, %wk: tensor<256x64xf32>) -> (tensor<48x64xf32>, tensor<48x64xf32>) {
  %ew = tensor.empty() : tensor<256x64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %wq = attn.init normal variance(constant) value(6.103515625e-05) seed(%seed : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  %q = attn.linear ins(%x, %wq : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %small = arith.constant dense<0.0078125> : tensor<256x64xf32>
  %qc = attn.linear ins(%x, %small : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %p = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%qc, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o, %p : tensor<48x64xf32>, tensor<48x64xf32>
}

// Temperatures that are meant have policies of their own.
func.func @other_policies(%q: tensor<48x64xf32>, %k: tensor<4096x64xf32>, %v: tensor<4096x64xf32>, %lambda: tensor<f32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %a = attn.attention scale(#attn.gradient_max_blind) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<4096x64xf32>, tensor<4096x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %b = attn.attention scale(#attn.gradient_max<scores = normal, n = keys>) softmax(#attn.softmax)
    ins(%a, %k, %v : tensor<48x64xf32>, tensor<4096x64xf32>, tensor<4096x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %c = attn.attention scale(#attn.operand) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<4096x64xf32>, tensor<4096x64xf32>) params(%lambda : tensor<f32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %d = arith.addf %b, %c : tensor<48x64xf32>
  return %d : tensor<48x64xf32>
}

// Large queries and keys under 1/sqrt(d) as a constant: nothing is missing.
func.func @large_rows(%x: tensor<48x64xf32>, %y: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %s = arith.addf %x, %y : tensor<48x64xf32>
  %t = arith.subf %x, %y : tensor<48x64xf32>
  %o = attn.attention scale(#attn.constant<0.125>) softmax(#attn.softmax)
    ins(%s, %t, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// Cosines by norms of queries and keys, whose temperature is a constant: with
// 1/sqrt(d) their weights would be uniform.
func.func @spelled_cosine(%q: tensor<48x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %qn = attn.norm l2 axes [1] eps(1.0e-06) ins(%q : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %kn = attn.norm l2 axes [1] eps(1.0e-06) ins(%k : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %o = attn.attention scale(#attn.constant<30.0>) softmax(#attn.softmax)
    ins(%qn, %kn, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// The same of exported weights: arguments, beside T5's relative bias, a table that is looked up by the logarithm of the
// distance.
func.func @t5_exported(%x: tensor<48x256xf32>, %wq: tensor<256x64xf32>, %wk: tensor<256x64xf32>, %v: tensor<48x64xf32>, %table: tensor<32xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %be = tensor.empty() : tensor<48x48xf32>
  %q = attn.linear ins(%x, %wq : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %ne = tensor.empty() : tensor<48x48xi32>
  %numbers = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%ne : tensor<48x48xi32>) {
  ^bb0(%unused: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %r = arith.subi %i, %j : index
    %int = arith.index_cast %r : index to i32
    %f = arith.sitofp %int : i32 to f32
    %a = math.absf %f : f32
    %one = arith.constant 1.0 : f32
    %g = arith.addf %a, %one : f32
    %l = math.log %g : f32
    %n = arith.fptosi %l : f32 to i32
    linalg.yield %n : i32
  } -> tensor<48x48xi32>
  %bias = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%numbers : tensor<48x48xi32>) outs(%be : tensor<48x48xf32>) {
  ^bb0(%n: i32, %unused: f32):
    %bucket = arith.index_cast %n : i32 to index
    %y = tensor.extract %table[%bucket] : tensor<32xf32>
    linalg.yield %y : f32
  } -> tensor<48x48xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax) bias [#attn.dense_bias]
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) params(%bias : tensor<48x48xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}
