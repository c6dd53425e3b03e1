// RUN: attn-opt %s --canonicalize | FileCheck %s

// softmax_n<0> is softmax, a scale of 1 is none.
// CHECK-LABEL: @names
func.func @names(%q: tensor<4x16x64xf32>) -> tensor<4x16x64xf32> {
  // CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) ins
  %0 = attn.attention scale(#attn.constant<1.0>) softmax(#attn.softmax_n<0.0>) ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return %0 : tensor<4x16x64xf32>
}

// A window open to the left and closed at the diagonal is causal; open on both
// sides it is nothing; a mask twice is a mask once.
// CHECK-LABEL: @windows
func.func @windows(%q: tensor<4x16x64xf32>) -> tensor<4x16x64xf32> {
  // CHECK: masks [#attn.causal] ins
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left)
      masks [#attn.window<left = -1, right = 0>, #attn.window<left = -1, right = -1>, #attn.causal]
      ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return %0 : tensor<4x16x64xf32>
}

// Alone, too, it is causal.
// CHECK-LABEL: @closed_at_diagonal
func.func @closed_at_diagonal(%q: tensor<4x16x64xf32>) -> tensor<4x16x64xf32> {
  // CHECK: masks [#attn.causal] ins
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = -1, right = 0>]
      ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return %0 : tensor<4x16x64xf32>
}

// A bounded window stays.
// CHECK-LABEL: @bounded
func.func @bounded(%q: tensor<4x16x64xf32>) -> tensor<4x16x64xf32> {
  // CHECK: masks [#attn.window<left = -1, right = 1>] ins
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = -1, right = 1>]
      ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return %0 : tensor<4x16x64xf32>
}
