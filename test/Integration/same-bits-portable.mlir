// Loops without a schedule: no number of threads changes a bit, and rows that go
// past the caches have the right numbers, aligned or not.

// RUN: mkdir -p %t
// RUN: attn-run %s --portable --threads=1 --check --output=%t/1.npz | FileCheck %s
// RUN: attn-run %s --portable --threads=2 --output=%t/2.npz --bench=0.05
// RUN: attn-run %s --portable --threads=5 --output=%t/5.npz --bench=0.05
// RUN: cmp %t/1.npz %t/2.npz
// RUN: cmp %t/1.npz %t/5.npz

// REQUIRES: full

// CHECK: out0 against f64 reference: match
// CHECK: out1 against f64 reference: match
// CHECK: out2 against f64 reference: match
// CHECK: out3 against f64 reference: match

func.func @main(%x: tensor<5003x1021xf32>, %y: tensor<3x1700x1024xf32>)
    -> (tensor<5003x1021xf32>, tensor<5003x1021xf32>, tensor<3x1700x1024xf32>, tensor<5003xf32>) {
  %0 = tensor.empty() : tensor<5003x1021xf32>
  %softmax = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<5003x1021xf32>) outs(%0 : tensor<5003x1021xf32>)
      -> tensor<5003x1021xf32>
  %layer = attn.norm layer axes [1] eps(1.0e-05) ins(%x : tensor<5003x1021xf32>) outs(%0 : tensor<5003x1021xf32>) -> tensor<5003x1021xf32>
  %1 = tensor.empty() : tensor<3x1700x1024xf32>
  %rope = attn.rope pairs(half_split) row_dim(1) ins(%y : tensor<3x1700x1024xf32>) outs(%1 : tensor<3x1700x1024xf32>) -> tensor<3x1700x1024xf32>
  %2 = tensor.empty() : tensor<5003xf32>
  %kurtosis = attn.statistics kurtosis axes [1] ins(%x : tensor<5003x1021xf32>) outs(%2 : tensor<5003xf32>) -> tensor<5003xf32>
  return %softmax, %layer, %rope, %kurtosis : tensor<5003x1021xf32>, tensor<5003x1021xf32>, tensor<3x1700x1024xf32>, tensor<5003xf32>
}
