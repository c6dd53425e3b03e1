// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector

#query = affine_map<(m, n, d, e) -> (m, d)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>
#schedule = #attn.schedule<rows = 2, keys = 64, lanes = 16, mr = 2, nr = 2, splitKeys = 512, items = 64>
func.func @dynamic_rows(%q: memref<?x64xf32>, %k: memref<?x64xf32>, %v: memref<?x64xf32>,
                        %acc: memref<?x64xf32>, %max: memref<?xf32>, %sum: memref<?xf32>, %i: index) {
  // expected-error@+1 {{has no lowering to vectors}}
  attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#schedule)
      indexing_maps [#query, #key, #value, #acc, #row, #row] origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %v : memref<?x64xf32>, memref<?x64xf32>, memref<?x64xf32>)
      outs(%acc, %max, %sum : memref<?x64xf32>, memref<?xf32>, memref<?xf32>)
  return
}

// -----

// A packed query has its rows in the lanes.
#query = affine_map<(m, n, d, e) -> (m, d)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>
#schedule = #attn.schedule<rows = 2, keys = 64, lanes = 16, mr = 2, nr = 2, splitKeys = 512, items = 64>
func.func @packed(%q: memref<2x64xf32>, %k: memref<?x64xf32>, %v: memref<?x64xf32>, %s: memref<2xf32>,
                  %acc: memref<2x64xf32>, %max: memref<2xf32>, %sum: memref<2xf32>, %i: index) {
  // expected-error@+1 {{has no lowering to vectors}}
  attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) schedule(#schedule)
      indexing_maps [#query, #key, #value, #row, #acc, #row, #row] origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %v : memref<2x64xf32>, memref<?x64xf32>, memref<?x64xf32>) params(%s : memref<2xf32>)
      outs(%acc, %max, %sum : memref<2x64xf32>, memref<2xf32>, memref<2xf32>)
  return
}

// -----

// One state is no range of keys to be merged.
#acc = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>
#schedule = #attn.schedule<rows = 2, keys = 64, lanes = 16, mr = 2, nr = 2, splitKeys = 512, items = 64>
func.func @no_ranges(%acc: memref<2x64xf32>, %max: memref<2xf32>, %sum: memref<2xf32>, %out: memref<2x64xf32>, %i: index) {
  // expected-error@+1 {{has no lowering to vectors}}
  attn.finalize scale(#attn.none) softmax(#attn.softmax) schedule(#schedule)
      indexing_maps [#acc, #row, #row, #acc] origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%acc, %max, %sum : memref<2x64xf32>, memref<2xf32>, memref<2xf32>) outs(%out : memref<2x64xf32>)
  return
}
