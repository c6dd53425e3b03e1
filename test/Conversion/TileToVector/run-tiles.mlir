// Tails of every kind against the f64 oracle: rows that fill a vector, a tile,
// or neither; keys that no tile divides; head dimensions that neither a vector
// nor a register tile divides.
// RUN: attn-run %s --entry=causal --shape=0:1x2x1x64 --shape=1:1x2x1x64 --shape=2:1x2x1x64 --check | FileCheck %s
// RUN: attn-run %s --entry=causal --shape=0:1x2x16x64 --shape=1:1x2x77x64 --shape=2:1x2x77x64 --check | FileCheck %s
// RUN: attn-run %s --entry=causal --shape=0:1x2x113x64 --shape=1:1x2x97x64 --shape=2:1x2x97x64 --check | FileCheck %s
// RUN: attn-run %s --entry=causal --shape=0:1x2x113x64 --shape=1:1x2x97x64 --shape=2:1x2x97x64 --target=cpu:x86-64-v3 --check | FileCheck %s
// RUN: attn-run %s --entry=odd_dims --shape=0:3x59x59 --shape=1:3x131x59 --shape=2:3x131x20 --check | FileCheck %s
// RUN: attn-run %s --entry=odd_dims --shape=0:3x20x59 --shape=1:3x5x59 --shape=2:3x5x20 --target=cpu:x86-64-v3 --check | FileCheck %s
// CHECK: kernel {{.*}}#attn.schedule
// CHECK: out0 against f64 reference: match
// CHECK-NOT: mismatch

// A NaN key and value that one row alone may see reach that row alone.
// RUN: python3 %S/Inputs/last-key-nan.py %t.npz
// RUN: attn-run %s --entry=causal --inputs=%t.npz --check | FileCheck %s
// RUN: attn-run %s --entry=causal --inputs=%t.npz --target=cpu:x86-64-v3 --check | FileCheck %s

// REQUIRES: avx2

func.func @causal(%q: tensor<1x2x?x64xf32>, %k: tensor<1x2x?x64xf32>,
                  %v: tensor<1x2x?x64xf32>) -> tensor<1x2x?x64xf32> {
  %c2 = arith.constant 2 : index
  %m = tensor.dim %q, %c2 : tensor<1x2x?x64xf32>
  %init = tensor.empty(%m) : tensor<1x2x?x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
      align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>)
      outs(%init : tensor<1x2x?x64xf32>) -> tensor<1x2x?x64xf32>
  return %o : tensor<1x2x?x64xf32>
}

func.func @odd_dims(%q: tensor<3x?x59xf32>, %k: tensor<3x?x59xf32>,
                    %v: tensor<3x?x20xf32>) -> (tensor<3x?x20xf32>, tensor<3x?xf32>) {
  %c1 = arith.constant 1 : index
  %m = tensor.dim %q, %c1 : tensor<3x?x59xf32>
  %init = tensor.empty(%m) : tensor<3x?x20xf32>
  %lse_init = tensor.empty(%m) : tensor<3x?xf32>
  %o, %lse = attn.attention scale(#attn.log_length<base = 512.0, n = position>)
      softmax(#attn.softmax) align(top_left)
      ins(%q, %k, %v : tensor<3x?x59xf32>, tensor<3x?x59xf32>, tensor<3x?x20xf32>)
      outs(%init, %lse_init : tensor<3x?x20xf32>, tensor<3x?xf32>)
      -> tensor<3x?x20xf32>, tensor<3x?xf32>
  return %o, %lse : tensor<3x?x20xf32>, tensor<3x?xf32>
}
