// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector

// Tile sizes are the schedule's business.
#packed = affine_map<(m, n, d, e) -> (d, m)>
#query = affine_map<(m, n, d, e) -> (m, d)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @no_schedule(%q: memref<?x64xf32>, %packed: memref<64x48xf32>, %scales: memref<48xf32>,
                       %i: index) {
  %c64 = arith.constant 64 : index
  // expected-error@+1 {{has no lowering to vectors: the op has no schedule}}
  attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      indexing_maps [#query, #packed, #row]
      origin(%i, %i, %i, %i) sizes(%c64, %c64, %c64, %c64)
      ins(%q : memref<?x64xf32>) outs(%packed, %scales : memref<64x48xf32>, memref<48xf32>)
  return
}

// -----

// Transposes of the query need a static number of columns.
#packed = affine_map<(m, n, d, e) -> (d, m)>
#query = affine_map<(m, n, d, e) -> (m, d)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @dynamic_head_dim(%q: memref<?x?xf32>, %packed: memref<?x48xf32>,
                            %scales: memref<48xf32>, %i: index) {
  // expected-error@+1 {{has no lowering to vectors: the head dimension is dynamic}}
  attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      indexing_maps [#query, #packed, #row]
      origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q : memref<?x?xf32>) outs(%packed, %scales : memref<?x48xf32>, memref<48xf32>)
  return
}

// -----

// An op that was not packed has its query rows as rows.
#query = affine_map<(m, n, d, e) -> (m, d)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @not_packed(%q: memref<48x64xf32>, %k: memref<?x64xf32>, %v: memref<?x64xf32>,
                      %acc: memref<64x48xf32>, %max: memref<48xf32>, %sum: memref<48xf32>, %i: index) {
  // expected-error@+1 {{has no lowering to vectors: the query is not packed}}
  attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      indexing_maps [#query, #key, #value, #acc, #row, #row]
      origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %v : memref<48x64xf32>, memref<?x64xf32>, memref<?x64xf32>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// -----

// A state in the middle of a larger array cannot be loaded as vectors.
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @strided_state(%q: memref<64x48xf32>, %k: memref<?x64xf32>, %v: memref<?x64xf32>,
                         %acc: memref<64x48xf32>, %max: memref<48xf32, strided<[2]>>,
                         %sum: memref<48xf32>, %i: index) {
  // expected-error@+1 {{has no lowering to vectors: query and state are not contiguous in the schedule's rows}}
  attn.online_attention packed scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xf32>, memref<?x64xf32>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32, strided<[2]>>, memref<48xf32>)
  return
}

// -----

// Pairs of bf16 want a processor that multiplies them.
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @no_pairs(%q: memref<64x48xf32>, %k: memref<?x64xbf16>, %acc: memref<64x48xf32>,
                    %max: memref<48xf32>, %sum: memref<48xf32>, %i: index) {
  // expected-error@+1 {{has no lowering to vectors: the target has no instruction bf16_pairs, which its schedule asks for}}
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, instruction = bf16_pairs>)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %k : memref<64x48xf32>, memref<?x64xbf16>, memref<?x64xbf16>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// -----

// Tiles of the tile unit want it, beside the pairs that they are made of.
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @no_tiles(%q: memref<64x32xf32>, %k: memref<?x64xbf16>, %acc: memref<64x32xf32>,
                    %max: memref<32xf32>, %sum: memref<32xf32>, %i: index) {
  // expected-error@+1 {{has no lowering to vectors: the target has no instruction bf16_tiles, which its schedule asks for}}
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 32, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles>)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %k : memref<64x32xf32>, memref<?x64xbf16>, memref<?x64xbf16>)
      outs(%acc, %max, %sum : memref<64x32xf32>, memref<32xf32>, memref<32xf32>)
  return
}
