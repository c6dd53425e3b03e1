// A scale that is learned for each head multiplies the scores of a softmax that stands alone, along rows and along columns.

// RUN: attn-run %s --check | FileCheck %s
// RUN: attn-run %s --portable --check | FileCheck %s
// CHECK-COUNT-3: f64 reference: match

func.func @f(%s: tensor<2x3x20x24xf32>, %t: tensor<3xf32>, %narrow: tensor<2x3x20x24xbf16>)
    -> (tensor<2x3x20x24xf32>, tensor<2x3x20x24xf32>, tensor<2x3x20x24xbf16>) {
  %e = tensor.empty() : tensor<2x3x20x24xf32>
  %0 = attn.softmax scale(#attn.learned) softmax(#attn.softmax) ins(%s : tensor<2x3x20x24xf32>)
      params(%t : tensor<3xf32>) outs(%e : tensor<2x3x20x24xf32>) -> tensor<2x3x20x24xf32>
  %1 = attn.softmax scale(#attn.learned) softmax(#attn.softmax1) dim(2) ins(%s : tensor<2x3x20x24xf32>)
      params(%t : tensor<3xf32>) outs(%e : tensor<2x3x20x24xf32>) -> tensor<2x3x20x24xf32>
  %n = tensor.empty() : tensor<2x3x20x24xbf16>
  %2 = attn.softmax scale(#attn.learned) softmax(#attn.softmax1) ins(%narrow : tensor<2x3x20x24xbf16>)
      params(%t : tensor<3xf32>) outs(%n : tensor<2x3x20x24xbf16>) -> tensor<2x3x20x24xbf16>
  return %0, %1, %2 : tensor<2x3x20x24xf32>, tensor<2x3x20x24xf32>, tensor<2x3x20x24xbf16>
}
