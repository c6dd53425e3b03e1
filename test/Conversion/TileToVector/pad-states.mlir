// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4-amx --attn-lower-to-vector | FileCheck %s

#tile = strided<[?, 1], offset: ?>
#query = affine_map<(m, n, d, e) -> (m, d)>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>
#output = affine_map<(m, n, d, e) -> (m, e)>
#schedule = #attn.schedule<rows = 128, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, sumRounded = true>

// Rows of packed queries and of outputs that are a multiple of 256 bytes apart get a cache line more, all ops their view, and the
// whole is freed.
// CHECK-LABEL: func.func @wide
// CHECK: %[[Q:.*]] = memref.alloc() : memref<64x144xf32>
// CHECK: memref.subview %[[Q]][0, 0] [64, 128] [1, 1] : memref<64x144xf32> to memref<64x128xf32, strided<[144, 1]>>
// CHECK: memref.alloc() : memref<64x144xf32>
// CHECK: linalg.fill {{.*}} memref<64x128xf32, strided<[144, 1]>>
// CHECK: memref.dealloc %[[Q]] : memref<64x144xf32>
func.func @wide(%q: memref<?x64xbf16, #tile>, %k: memref<?x64xbf16, #tile>, %v: memref<?x64xbf16, #tile>, %o: memref<?x64xbf16, #tile>,
                %i: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %packed = memref.alloc() : memref<64x128xf32>
  %scales = memref.alloc() : memref<128xf32>
  %acc = memref.alloc() : memref<64x128xf32>
  %max = memref.alloc() : memref<128xf32>
  %sum = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%acc : memref<64x128xf32>)
  linalg.fill ins(%low : f32) outs(%max : memref<128xf32>)
  linalg.fill ins(%zero : f32) outs(%sum : memref<128xf32>)
  attn.pack_query scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#schedule)
      indexing_maps [#query, #packed, #row]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c64, %c64)
      ins(%q : memref<?x64xbf16, #tile>) outs(%packed, %scales : memref<64x128xf32>, memref<128xf32>)
  attn.online_attention packed scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#schedule)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c64, %c64)
      ins(%packed, %k, %v : memref<64x128xf32>, memref<?x64xbf16, #tile>, memref<?x64xbf16, #tile>)
      outs(%acc, %max, %sum : memref<64x128xf32>, memref<128xf32>, memref<128xf32>)
  attn.finalize scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#schedule)
      indexing_maps [#acc, #row, #row, #output]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c64, %c64)
      ins(%acc, %max, %sum : memref<64x128xf32>, memref<128xf32>, memref<128xf32>) outs(%o : memref<?x64xbf16, #tile>)
  memref.dealloc %packed : memref<64x128xf32>
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>
#schedule = #attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, sumRounded = true>

// Others are spread as they are.
// CHECK-LABEL: func.func @spread
// CHECK: memref.alloc() : memref<64x96xf32>
// CHECK-NOT: memref<64x112xf32>
func.func @spread(%k: memref<?x64xbf16, #tile>, %v: memref<?x64xbf16, #tile>, %max: memref<96xf32>, %sum: memref<96xf32>,
                  %i: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %packed = memref.alloc() : memref<64x96xf32>
  %acc = memref.alloc() : memref<64x96xf32>
  attn.online_attention packed scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#schedule)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %c0, %c0, %c0) sizes(%m, %n, %c64, %c64)
      ins(%packed, %k, %v : memref<64x96xf32>, memref<?x64xbf16, #tile>, memref<?x64xbf16, #tile>)
      outs(%acc, %max, %sum : memref<64x96xf32>, memref<96xf32>, memref<96xf32>)
  return
}
