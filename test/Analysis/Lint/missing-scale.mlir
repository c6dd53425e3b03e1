// RUN: attn-opt %s --attn-lint -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-lint=fix -o %t.mlir 2>/dev/null
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2>&1 | count 0
// RUN: FileCheck %s < %t.mlir

// Queries and keys of second moment 1, from LeCun's initial weights: 64 products
// of variance 1 without a factor.
// CHECK-LABEL: @drawn_weights
// CHECK: attn.attention scale(#attn.inv_sqrt_dim)
func.func @drawn_weights(%x: tensor<48x256xf32>, %v: tensor<48x64xf32>, %seed: i64, %other: i64) -> tensor<48x64xf32> {
  %ew = tensor.empty() : tensor<256x64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %wq = attn.init normal variance(lecun) seed(%seed : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  %wk = attn.init normal variance(lecun) seed(%other : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  %q = attn.linear ins(%x, %wq : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  // expected-warning@below {{[attn-w101] attn.attention: the predicted variance of the scores is 64; with 1/sqrt(d), d = 64, it would be 1}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// RMS norms of queries and keys make every row's length sqrt(d) again. A
// constant that is not 1/sqrt(d) is no better than none; the causal mask of 32
// rows changes nothing.
// CHECK-LABEL: @normed_rows
// CHECK: attn.attention scale(#attn.inv_sqrt_dim)
func.func @normed_rows(%q: tensor<32x128xf32>, %k: tensor<32x128xf32>, %v: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %e = tensor.empty() : tensor<32x128xf32>
  %qn = attn.norm rms axes [1] eps(1.0e-06) ins(%q : tensor<32x128xf32>) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %kn = attn.norm rms axes [1] eps(1.0e-06) ins(%k : tensor<32x128xf32>) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  // expected-warning@below {{[attn-w101] attn.attention: the predicted variance of the scores is 32; with 1/sqrt(d), d = 128, it would be 1}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %o = attn.attention scale(#attn.constant<0.5>) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
    ins(%qn, %kn, %v : tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>)
    outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  return %o : tensor<32x128xf32>
}

// Two inputs that are added make queries and keys of second moment 2: the factor
// is missing all the same, although with it the variance is still 4.
// CHECK-LABEL: @sum_of_embeddings
// CHECK: attn.multi_head_attention heads(4) scale(#attn.inv_sqrt_dim)
func.func @sum_of_embeddings(%x: tensor<48x64xf32>, %y: tensor<48x64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>, %wo: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %s = arith.addf %x, %y : tensor<48x64xf32>
  // expected-warning@below {{the predicted variance of the scores is 64; with 1/sqrt(d), d = 16, it would be 4}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %o = attn.multi_head_attention heads(4) scale(#attn.none) softmax(#attn.softmax) ins(%s : tensor<48x64xf32>) query(%wq : tensor<64x64xf32>) key(%wk : tensor<64x64xf32>) value(%wv : tensor<64x64xf32>) output(%wo : tensor<64x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// A table that is looked up by the distance itself is no sign of T5.
// CHECK-LABEL: @other_bias
// CHECK: scale(#attn.inv_sqrt_dim)
func.func @other_bias(%x: tensor<48x256xf32>, %wq: tensor<256x64xf32>, %wk: tensor<256x64xf32>, %v: tensor<48x64xf32>, %table: tensor<32xf32>) -> tensor<48x64xf32> {
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
    %l = arith.addf %g, %a : f32
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
  // expected-warning@below {{[attn-w101] attn.attention: the predicted variance of the scores is 65}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax) bias [#attn.dense_bias]
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) params(%bias : tensor<48x48xf32>)
    outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}
