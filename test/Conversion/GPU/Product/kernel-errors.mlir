// RUN: attn-opt %s --pass-pipeline='builtin.module(func.func(attn-lower-products-to-gpu))' --verify-diagnostics --split-input-file

// Columns that are neighbours belong to different lanes of one warp.
func.func @lanes(%x: memref<1x512xf32>, %w: memref<512x64xf32>, %y: memref<1x64xf32>) {
  // expected-error @+1 {{the columns of #attn.gpu_dots<rows = 1, columns = 12, blockWarps = 4, width = 4> must be a power of two of lanes, at most 32}}
  attn.linear schedule(#attn.gpu_dots<rows = 1, columns = 12, blockWarps = 4, width = 4>)
      ins(%x, %w : memref<1x512xf32>, memref<512x64xf32>) outs(%y : memref<1x64xf32>)
  return
}
