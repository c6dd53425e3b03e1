// Scales that are too small or too large: each with a mend for what the scores are, and what was
// computed of it.
// RUN: attn-opt %s --attn-lint -o /dev/null --verify-diagnostics
// RUN: attn-opt %s --attn-lint=fix 2>/dev/null | tee %t.mended | FileCheck %s
// RUN: attn-opt %t.mended --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %t.mended -o /dev/null --attn-analyze-moments=text=- 2>/dev/null | FileCheck %s --check-prefix=AFTER

// S2's own example: 1/d.
// CHECK-LABEL: @inv_dim
// CHECK: scale(#attn.inv_sqrt_dim)
// AFTER-LABEL: @inv_dim
// AFTER: scores of
// AFTER-NEXT: %{{.*}} 1 1 0.125 128 1 0.0203
func.func @inv_dim(%q: tensor<4x128x64xf32>, %k: tensor<4x128x64xf32>, %v: tensor<4x128x64xf32>) -> tensor<4x128x64xf32> {
  // expected-warning@below {{[attn-w108] attn.attention: the predicted variance of the scores is only 0.01562: sum p^2 is 0.007935, with equal weights 0.007812; with #attn.inv_sqrt_dim they would be 1 and 0.0203}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %r = attn.attention scale(#attn.inv_dim) softmax(#attn.softmax) ins(%q, %k, %v : tensor<4x128x64xf32>, tensor<4x128x64xf32>, tensor<4x128x64xf32>) outs(%q : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
  return %r : tensor<4x128x64xf32>
}

// 1/sqrt(d) in the queries, and again.
// CHECK-LABEL: @twice
// CHECK: scale(#attn.none)
func.func @twice(%q: tensor<4x128x64xf32>, %k: tensor<4x128x64xf32>, %v: tensor<4x128x64xf32>) -> tensor<4x128x64xf32> {
  %eighth = arith.constant dense<0.125> : tensor<4x128x64xf32>
  %s = arith.mulf %q, %eighth : tensor<4x128x64xf32>
  // expected-warning@below {{[attn-w108] attn.attention: the predicted variance of the scores is only 0.01562}}
  // expected-note@below {{mend it by scale(#attn.none)}}
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%s, %k, %v : tensor<4x128x64xf32>, tensor<4x128x64xf32>, tensor<4x128x64xf32>) outs(%q : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
  return %r : tensor<4x128x64xf32>
}

// T5's weights have the factor.
// CHECK-LABEL: @t5
// CHECK: scale(#attn.none)
func.func @t5(%x: tensor<48x256xf32>, %v: tensor<48x64xf32>, %seed: i64, %other: i64) -> tensor<48x64xf32> {
  %ew = tensor.empty() : tensor<256x64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %wq = attn.init normal variance(t5) head_dim(64) seed(%seed : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  %wk = attn.init normal variance(t5) head_dim(64) seed(%other : i64) outs(%ew : tensor<256x64xf32>) -> tensor<256x64xf32>
  %q = attn.linear ins(%x, %wq : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<48x256xf32>, tensor<256x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  // expected-warning@below {{[attn-w108] attn.attention: the predicted variance of the scores is only 0.01562}}
  // expected-note@below {{mend it by scale(#attn.none)}}
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// Cosines lie between -1 and 1, and 1/sqrt(d) is no temperature for them.
// CHECK-LABEL: @cosines
// CHECK-COUNT-2: scale(#attn.gradient_max_fit<scores = cosine, n = keys>)
// AFTER-LABEL: @cosines
// AFTER: scores of
// AFTER-NEXT: %{{.*}} 2.237 2.237 16.92 128 1 0.0481
func.func @cosines(%q: tensor<4x128x128xf32>, %k: tensor<4x128x128xf32>, %v: tensor<4x128x128xf32>) -> (tensor<4x128x128xf32>, tensor<4x128x128xf32>) {
  // expected-warning@below {{[attn-w108] attn.attention: the predicted variance of the scores is only 0.007812: sum p^2 is 0.007873, with equal weights 0.007812; with #attn.gradient_max_fit<scores = cosine, n = keys> they would be 2.237 and 0.0481}}
  // expected-note@below {{mend it by scale(#attn.gradient_max_fit<scores = cosine, n = keys>)}}
  %r = attn.attention scale(#attn.none) similarity(#attn.cosine<eps = 1.0e-12, mode = rsqrt_sum>) softmax(#attn.softmax) ins(%q, %k, %v : tensor<4x128x128xf32>, tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%q : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  // expected-warning@below {{[attn-w108] attn.attention: the predicted variance of the scores is only 6.104e-05}}
  // expected-note@below {{mend it by scale(#attn.gradient_max_fit<scores = cosine, n = keys>)}}
  %s = attn.attention scale(#attn.inv_sqrt_dim) similarity(#attn.cosine<eps = 1.0e-12, mode = rsqrt_sum>) softmax(#attn.softmax) ins(%q, %k, %v : tensor<4x128x128xf32>, tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%q : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  return %r, %s : tensor<4x128x128xf32>, tensor<4x128x128xf32>
}

// Rows of length 1 have cosines for products, too: the policy of those would be refused.
// CHECK-LABEL: @unit_rows
// CHECK: scale(#attn.constant<8.0
func.func @unit_rows(%q: tensor<48x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %qn = attn.norm l2 axes [1] eps(1.0e-06) ins(%q : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %kn = attn.norm l2 axes [1] eps(1.0e-06) ins(%k : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  // expected-warning@below {{[attn-w108] attn.attention: the predicted variance of the scores is only 0.01562}}
  // expected-note@below {{mend it by scale(#attn.constant<8.0}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%qn, %kn, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// CHECK-LABEL: @hot_unit_rows
// CHECK: scale(#attn.constant<8.0
func.func @hot_unit_rows(%q: tensor<48x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %qn = attn.norm l2 axes [1] eps(1.0e-06) ins(%q : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %kn = attn.norm l2 axes [1] eps(1.0e-06) ins(%k : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  // expected-warning@below {{[attn-w109] attn.attention: the predicted variance of the scores is 156.2}}
  // expected-note@below {{mend it by scale(#attn.constant<8.0}}
  %o = attn.attention scale(#attn.constant<100.0>) softmax(#attn.softmax) ins(%qn, %kn, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// log_2 n and kappa log(n) / d multiply the scores by 9 and more.
// CHECK-LABEL: @policies
// CHECK-COUNT-2: scale(#attn.inv_sqrt_dim)
func.func @policies(%q: tensor<4x512x64xf32>, %k: tensor<4x512x64xf32>, %v: tensor<4x512x64xf32>) -> (tensor<4x512x64xf32>, tensor<4x512x64xf32>) {
  // expected-warning@below {{[attn-w109] attn.attention: the predicted variance of the scores is 81, sum p^2 0.66}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %r = attn.attention scale(#attn.log_length<base = 2.0, n = keys>) softmax(#attn.softmax) ins(%q, %k, %v : tensor<4x512x64xf32>, tensor<4x512x64xf32>, tensor<4x512x64xf32>) outs(%q : tensor<4x512x64xf32>) -> tensor<4x512x64xf32>
  // expected-warning@below {{[attn-w109] attn.attention: the predicted variance of the scores is 2491, sum p^2 0.92}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %s = attn.attention scale(#attn.entropy_invariant<kappa = 64.0, n = keys>) softmax(#attn.softmax) ins(%q, %k, %v : tensor<4x512x64xf32>, tensor<4x512x64xf32>, tensor<4x512x64xf32>) outs(%q : tensor<4x512x64xf32>) -> tensor<4x512x64xf32>
  return %r, %s : tensor<4x512x64xf32>, tensor<4x512x64xf32>
}

// A temperature of 100 leaves few of the cosines.
// CHECK-LABEL: @hot_cosines
// CHECK: scale(#attn.gradient_max_fit<scores = cosine, n = keys>)
func.func @hot_cosines(%q: tensor<4x512x64xf32>, %k: tensor<4x512x64xf32>, %v: tensor<4x512x64xf32>) -> tensor<4x512x64xf32> {
  // expected-warning@below {{[attn-w109] attn.attention: the predicted variance of the scores is 156.2}}
  // expected-note@below {{mend it by scale(#attn.gradient_max_fit<scores = cosine, n = keys>)}}
  %r = attn.attention scale(#attn.constant<100.0>) similarity(#attn.cosine<eps = 1.0e-12, mode = rsqrt_sum>) softmax(#attn.softmax) ins(%q, %k, %v : tensor<4x512x64xf32>, tensor<4x512x64xf32>, tensor<4x512x64xf32>) outs(%q : tensor<4x512x64xf32>) -> tensor<4x512x64xf32>
  return %r : tensor<4x512x64xf32>
}

// Tokens find their rows of a table: what is without a scale behind a lookup is seen.
// CHECK-LABEL: @tokens
// CHECK: scale(#attn.inv_sqrt_dim)
func.func @tokens(%ids: tensor<48xi32>, %table: tensor<1000x64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<48xi32>) outs(%e : tensor<48x64xf32>) {
  ^bb0(%id: i32, %o: f32):
    %row = arith.index_cast %id : i32 to index
    %column = linalg.index 1 : index
    %y = tensor.extract %table[%row, %column] : tensor<1000x64xf32>
    linalg.yield %y : f32
  } -> tensor<48x64xf32>
  %q = attn.linear ins(%x, %wq : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %v = attn.linear ins(%x, %wv : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  // expected-warning@below {{[attn-w101] attn.attention: the predicted variance of the scores is 64; with 1/sqrt(d), d = 64, it would be 1, and sum p^2 0.05}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %r = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %r : tensor<48x64xf32>
}
