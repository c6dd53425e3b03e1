// Kurtosis of numbers around their first one, as it is far from the others, near a large mean, or equal to all.

// RUN: %python %S/Inputs/far_first.py %t.npz
// RUN: attn-run %s --entry=rows --inputs=%t.npz --check | FileCheck %s
// RUN: attn-run %s --entry=whole --inputs=%t.npz --check | FileCheck %s
// CHECK: match

func.func @rows(%x: tensor<6x40001xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %y = attn.statistics kurtosis axes [1] ins(%x : tensor<6x40001xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}
func.func @whole(%x: tensor<6x40001xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %y = attn.statistics kurtosis ins(%x : tensor<6x40001xf32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
