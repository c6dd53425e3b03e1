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
