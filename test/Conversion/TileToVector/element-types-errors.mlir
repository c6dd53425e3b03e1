// RUN: attn-opt %s --attn-lower-to-vector=target=cpu:x86-64-v4 --verify-diagnostics

#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>

// Vector registers multiply operands of the type they accumulate in.
func.func @narrow_operands(%q: memref<64x48xf32>, %k: memref<?x64xbf16>, %v: memref<?x64xbf16>,
                           %acc: memref<64x48xf32>, %max: memref<48xf32>, %sum: memref<48xf32>, %i: index) {
  // expected-error@+1 {{has no lowering to vectors: no product of operands of type 'bf16'}}
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, operands = bf16>)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xbf16>, memref<?x64xbf16>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}
