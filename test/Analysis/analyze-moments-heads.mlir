// RUN: attn-opt %s -o /dev/null --attn-analyze-moments=text=- 2>/dev/null | FileCheck %s
// What differs between heads by their index is one number for all keys of a row.
// What NumPy draws, over 40 models and 150: beside each CHECK.

#q = affine_map<(h, m, n, d, e) -> (m, d)>
#k = affine_map<(h, m, n, d, e) -> (n, d)>
#v = affine_map<(h, m, n, d, e) -> (n, e)>
#head = affine_map<(h, m, n, d, e) -> (h)>
#out = affine_map<(h, m, n, d, e) -> (h, m, e)>

// The scores of head h are lowered by h / 2: softmax1 sees less and less.
// Drawn: sum p 0.4236, sum p^2 0.00194.
// CHECK-LABEL: Moments of @shifted
// CHECK: sum of p  sum of p^2
// CHECK-NEXT: {{ 0\.42[0-9]+ +0\.0019[0-9]* *$}}
func.func @shifted(%q: tensor<64x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>) -> tensor<33x64x64xf32> {
  %half = arith.constant -0.5 : f32
  %e = tensor.empty() : tensor<33xf32>
  %shift = linalg.generic {indexing_maps = [affine_map<(h) -> (h)>], iterator_types = ["parallel"]} outs(%e : tensor<33xf32>) {
  ^bb0(%unused: f32):
    %h = linalg.index 0 : index
    %i = arith.index_cast %h : index to i32
    %f = arith.sitofp %i : i32 to f32
    %b = arith.mulf %f, %half : f32
    linalg.yield %b : f32
  } -> tensor<33xf32>
  %o = tensor.empty() : tensor<33x64x64xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) bias [#attn.dense_bias]
      indexing_maps [#q, #k, #v, #head, #out]
      ins(%q, %k, %v : tensor<64x64xf32>, tensor<512x64xf32>, tensor<512x64xf32>) params(%shift : tensor<33xf32>)
      outs(%o : tensor<33x64x64xf32>) -> tensor<33x64x64xf32>
  return %0 : tensor<33x64x64xf32>
}

// Cosines times h + 1. Drawn: sum p^2 0.0927.
// CHECK-LABEL: Moments of @scaled
// CHECK: sum of p  sum of p^2
// CHECK-NEXT: {{ 1 +0\.09[0-9]* *$}}
func.func @scaled(%q: tensor<64x16xf32>, %k: tensor<4096x16xf32>, %v: tensor<4096x16xf32>) -> tensor<32x64x16xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %lambda = linalg.generic {indexing_maps = [affine_map<(h) -> (h)>], iterator_types = ["parallel"]} outs(%e : tensor<32xf32>) {
  ^bb0(%unused: f32):
    %h = linalg.index 0 : index
    %i = arith.index_cast %h : index to i32
    %f = arith.sitofp %i : i32 to f32
    %b = arith.addf %f, %one : f32
    linalg.yield %b : f32
  } -> tensor<32xf32>
  %o = tensor.empty() : tensor<32x64x16xf32>
  %0 = attn.attention scale(#attn.operand) similarity(#attn.cosine<eps = 0.0, mode = rsqrt_sum>) softmax(#attn.softmax)
      indexing_maps [#q, #k, #v, #head, #out]
      ins(%q, %k, %v : tensor<64x16xf32>, tensor<4096x16xf32>, tensor<4096x16xf32>) params(%lambda : tensor<32xf32>)
      outs(%o : tensor<32x64x16xf32>) -> tensor<32x64x16xf32>
  return %0 : tensor<32x64x16xf32>
}

// ALiBi's slopes. The keys that a row is left count as alike, which is not exact:
// drawn are sum p^2 0.135 for causal rows, 0.0726 for others.
// CHECK-LABEL: Moments of @alibi
// CHECK: sum of p  sum of p^2
// CHECK-NEXT: {{ 1 +0\.1[345][0-9]* *$}}
// CHECK-NEXT: {{ 1 +0\.07[0-9]* *$}}
func.func @alibi(%q: tensor<1x16x256x64xf32>, %k: tensor<1x16x256x64xf32>, %v: tensor<1x16x256x64xf32>) -> (tensor<1x16x256x64xf32>, tensor<1x16x256x64xf32>) {
  %o = tensor.empty() : tensor<1x16x256x64xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) bias [#attn.alibi] masks [#attn.causal]
      ins(%q, %k, %v : tensor<1x16x256x64xf32>, tensor<1x16x256x64xf32>, tensor<1x16x256x64xf32>)
      outs(%o : tensor<1x16x256x64xf32>) -> tensor<1x16x256x64xf32>
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) bias [#attn.alibi]
      ins(%q, %k, %v : tensor<1x16x256x64xf32>, tensor<1x16x256x64xf32>, tensor<1x16x256x64xf32>)
      outs(%o : tensor<1x16x256x64xf32>) -> tensor<1x16x256x64xf32>
  return %0, %1 : tensor<1x16x256x64xf32>, tensor<1x16x256x64xf32>
}
