// RUN: attn-opt %s --attn-lower-to-vector --split-input-file --verify-diagnostics

// Somebody has to decide how many positions are a work item.
func.func @rope(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @+1 {{has no lowering to vectors: the op has no schedule}}
  attn.rope ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// -----

func.func @sinusoidal(%y: memref<8x64xf32>) {
  // expected-error @+1 {{has no lowering to vectors: the op has no schedule}}
  attn.sinusoidal_positions outs(%y : memref<8x64xf32>)
  return
}

// -----

func.func @tensors(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{has no lowering to vectors: operands are not memrefs}}
  %0 = attn.rope schedule(#attn.position_schedule<rows = 4, lanes = 16, stream = 1024>) ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
