// RUN: attn-opt %s --attn-tile --verify-diagnostics

// A schedule on memrefs cannot be honoured.
func.func @memrefs(%q: memref<2x96x64xf32>) {
  // expected-error @+1 {{a scheduled attention must be a whole problem on tensors}}
  attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      ins(%q, %q, %q : memref<2x96x64xf32>, memref<2x96x64xf32>, memref<2x96x64xf32>) outs(%q : memref<2x96x64xf32>)
  return
}
