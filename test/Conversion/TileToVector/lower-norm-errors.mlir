// RUN: attn-opt %s --attn-lower-to-vector --split-input-file --verify-diagnostics

// Somebody has to decide how.
func.func @no_schedule(%x: memref<8x64xf32>) {
  // expected-error @+1 {{has no lowering to vectors: the op has no schedule}}
  attn.norm rms axes [1] eps(1.0e-5) ins(%x : memref<8x64xf32>) outs(%x : memref<8x64xf32>)
  return
}

// -----

// A schedule does not make rows of columns.
func.func @columns(%x: memref<8x64xf32>) {
  // expected-error @+1 {{has no lowering to vectors: the normalised dimensions are not the last ones}}
  attn.norm rms axes [0] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 4, lanes = 16, unroll = 4, stream = 1024>) ins(%x : memref<8x64xf32>) outs(%x : memref<8x64xf32>)
  return
}

// -----

// Nor columns of rows.
func.func @rows(%x: memref<8x64xf32>) {
  // expected-error @+1 {{has no lowering to vectors: its statistics are those of rows}}
  attn.norm rms axes [1] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 4, lanes = 16, unroll = 4, stream = 1024, panel = 64>) ins(%x : memref<8x64xf32>) outs(%x : memref<8x64xf32>)
  return
}
