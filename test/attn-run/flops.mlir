// Operations are counted for the sizes at hand: 2 (d + dv) for each pair that
// causal and window masks leave visible. With 5 rows, 7 keys and the last row
// at the last key, causal leaves 3 + 4 + 5 + 6 + 7 = 25 pairs; a window of one
// key to the left leaves 2 for each row.

// RUN: mkdir -p %t
// RUN: attn-run %s --entry=causal --shape=0:2x3x5x8 --shape=1:2x3x7x8 --shape=2:2x3x7x16 --json=%t/causal.json
// RUN: FileCheck %s --check-prefix=CAUSAL < %t/causal.json
// CAUSAL: "flops": 7200,

// RUN: attn-run %s --entry=window --json=%t/window.json
// RUN: FileCheck %s --check-prefix=WINDOW < %t/window.json
// WINDOW: "flops": 320,

func.func @causal(%q: tensor<2x3x?x8xf32>, %k: tensor<2x3x?x8xf32>, %v: tensor<2x3x?x16xf32>)
    -> tensor<2x3x?x16xf32> {
  %c2 = arith.constant 2 : index
  %m = tensor.dim %q, %c2 : tensor<2x3x?x8xf32>
  %init = tensor.empty(%m) : tensor<2x3x?x16xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<2x3x?x8xf32>, tensor<2x3x?x8xf32>, tensor<2x3x?x16xf32>)
      outs(%init : tensor<2x3x?x16xf32>) -> tensor<2x3x?x16xf32>
  return %o : tensor<2x3x?x16xf32>
}

func.func @window(%q: tensor<1x1x5x8xf32>, %k: tensor<1x1x7x8xf32>, %v: tensor<1x1x7x8xf32>)
    -> tensor<1x1x5x8xf32> {
  %init = tensor.empty() : tensor<1x1x5x8xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right)
      masks [#attn.causal, #attn.window<left = 1, right = 3>]
      ins(%q, %k, %v : tensor<1x1x5x8xf32>, tensor<1x1x7x8xf32>, tensor<1x1x7x8xf32>)
      outs(%init : tensor<1x1x5x8xf32>) -> tensor<1x1x5x8xf32>
  return %o : tensor<1x1x5x8xf32>
}
