// The kurtosis of weights with known scores, on tiles, decoding and without a schedule: softmax1 does not change it, and
// keys that a mask hides are not among those it is of.
// RUN: mkdir -p %t
// RUN: %python %S/Inputs/check_kurtosis.py make %t/tile.npz 70 1000
// RUN: attn-run %s --entry=rows --inputs=%t/tile.npz --output=%t/out.npz --check
// RUN: %python %S/Inputs/check_kurtosis.py check %t/out.npz %t/tile.npz | FileCheck %s
// RUN: attn-run %s --entry=rows --inputs=%t/tile.npz --output=%t/out.npz --portable
// RUN: %python %S/Inputs/check_kurtosis.py check %t/out.npz %t/tile.npz | FileCheck %s
// RUN: %python %S/Inputs/check_kurtosis.py make %t/decode.npz 1 3000
// RUN: attn-run %s --entry=few --inputs=%t/decode.npz --output=%t/out.npz --check --remarks | FileCheck %s --check-prefix=DECODE
// RUN: %python %S/Inputs/check_kurtosis.py check %t/out.npz %t/decode.npz | FileCheck %s
// RUN: attn-run %s --entry=few --inputs=%t/decode.npz --output=%t/out.npz --check --target=nvptx:sm_80 --simulate
// RUN: %python %S/Inputs/check_kurtosis.py check %t/out.npz %t/decode.npz | FileCheck %s

// CHECK: equal weights: all NaN
// DECODE: fast path: decode

func.func @rows(%q: tensor<8x?x4xf32>, %k: tensor<8x?x4xf32>, %mask: tensor<?x?xi1>) -> (tensor<8x?x4xf32>, tensor<8x?xf32>) {
  %one = arith.constant 1 : index
  %m = tensor.dim %q, %one : tensor<8x?x4xf32>
  %r = tensor.empty(%m) : tensor<8x?xf32>
  %0:2 = attn.attention scale(#attn.none) softmax(#attn.softmax1) masks [#attn.dense_mask] probes [#attn.probe<kurtosis>]
      ins(%q, %k, %k : tensor<8x?x4xf32>, tensor<8x?x4xf32>, tensor<8x?x4xf32>) params(%mask : tensor<?x?xi1>)
      outs(%q, %r : tensor<8x?x4xf32>, tensor<8x?xf32>) -> tensor<8x?x4xf32>, tensor<8x?xf32>
  return %0#0, %0#1 : tensor<8x?x4xf32>, tensor<8x?xf32>
}

func.func @few(%q: tensor<8x1x4xf32>, %k: tensor<8x3000x4xf32>, %mask: tensor<1x3000xi1>) -> (tensor<8x1x4xf32>, tensor<8x1xf32>) {
  %r = tensor.empty() : tensor<8x1xf32>
  %0:2 = attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.dense_mask] probes [#attn.probe<kurtosis>]
      ins(%q, %k, %k : tensor<8x1x4xf32>, tensor<8x3000x4xf32>, tensor<8x3000x4xf32>) params(%mask : tensor<1x3000xi1>)
      outs(%q, %r : tensor<8x1x4xf32>, tensor<8x1xf32>) -> tensor<8x1x4xf32>, tensor<8x1xf32>
  return %0#0, %0#1 : tensor<8x1x4xf32>, tensor<8x1xf32>
}
