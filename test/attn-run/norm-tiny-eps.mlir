// An epsilon below the smallest normal number, whose inverse is no number: a row
// of zeros stays one.

// RUN: attn-run %s --check | FileCheck %s
// RUN: attn-run %s --check --portable | FileCheck %s
// CHECK-COUNT-2: match
func.func @f(%x: tensor<3x16xf32>) -> (tensor<3x16xf32>, tensor<1x3x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<3x16xf32>
  %zero = arith.mulf %x, %z : tensor<3x16xf32>
  %0 = attn.norm l2 axes [1] eps(max_norm 1.0e-40) ins(%zero : tensor<3x16xf32>) outs(%x : tensor<3x16xf32>) -> tensor<3x16xf32>
  %q = tensor.expand_shape %zero [[0, 1], [2]] output_shape [1, 3, 16] : tensor<3x16xf32> into tensor<1x3x16xf32>
  %v = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, 3, 16] : tensor<3x16xf32> into tensor<1x3x16xf32>
  %o = tensor.empty() : tensor<1x3x16xf32>
  %1 = attn.attention scale(#attn.none) similarity(#attn.cosine<eps = 1.0e-40, mode = max_norm>) softmax(#attn.softmax)
      ins(%q, %v, %v : tensor<1x3x16xf32>, tensor<1x3x16xf32>, tensor<1x3x16xf32>) outs(%o : tensor<1x3x16xf32>) -> tensor<1x3x16xf32>
  return %0, %1 : tensor<3x16xf32>, tensor<1x3x16xf32>
}
