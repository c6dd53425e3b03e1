// RUN: attn-opt %s --attn-lower-to-vector --split-input-file --verify-diagnostics

// Somebody has to decide how.
func.func @no_schedule(%x: memref<8x64xf32>) {
  // expected-error @+1 {{has no lowering to vectors: the op has no schedule}}
  attn.norm rms axes [1] eps(1.0e-5) ins(%x : memref<8x64xf32>) outs(%x : memref<8x64xf32>)
  return
}
