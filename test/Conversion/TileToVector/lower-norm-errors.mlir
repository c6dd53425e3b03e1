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

// Nor does it learn statistics.
func.func @running(%x: memref<8x64xf32>, %s: memref<8xf32>) {
  // expected-error @+1 {{has no lowering to vectors: statistics of a batch have no fast route}}
  attn.norm batch axes [1] eps(1.0e-5) schedule(#attn.norm_schedule<rows = 4, lanes = 16, unroll = 4, stream = 1024>) ins(%x : memref<8x64xf32>) outs(%x : memref<8x64xf32>) running(%s, %s : memref<8xf32>, memref<8xf32>) momentum(0.1)
  return
}
