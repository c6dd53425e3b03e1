// RUN: attn-opt %s --attn-lower-to-vector --split-input-file --verify-diagnostics

// Somebody has to decide how.
func.func @softmax(%x: memref<8x64xf32>) {
  // expected-error @+1 {{has no lowering to vectors: the op has no schedule}}
  attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : memref<8x64xf32>) outs(%x : memref<8x64xf32>)
  return
}

// -----

func.func @statistics(%x: memref<8x64xf32>, %y: memref<f32>) {
  // expected-error @+1 {{has no lowering to vectors: the op has no schedule}}
  attn.statistics kurtosis ins(%x : memref<8x64xf32>) outs(%y : memref<f32>)
  return
}

// -----

// Before there are memrefs there are no addresses.
func.func @tensors(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{has no lowering to vectors: operands are not memrefs}}
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
