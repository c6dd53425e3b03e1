// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-contractions 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// A product becomes blocks in parallel: packed panels, then rows copied next to each other, then register tiles whose 24
// accumulators are carried by the loop over k, with no load of the output inside it.
// CHECK-LABEL: @product
// CHECK: scf.forall
// CHECK: %[[PANELS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x72x48xf32>
// CHECK: %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x80xf32>
// CHECK: vector.load %{{.*}} : memref<64x96xf32
// CHECK: vector.store %{{.*}}, %[[PANELS]]
// CHECK: vector.load %{{.*}} : memref<8x64xf32, strided<[64, 1]
// CHECK: vector.store %{{.*}} : memref<8x64xf32, strided<[80, 1]
// CHECK: memref.subview %[[PANELS]]
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
// CHECK: memref.prefetch %{{.*}}, write, locality<3>, data : memref<?x96xf32
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
// CHECK-NOT: memref<?x96xf32
// CHECK: scf.yield
// CHECK-NOT: linalg.matmul
func.func @product(%a: memref<?x64xf32>, %b: memref<64x96xf32>, %c: memref<?x96xf32>) {
  linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 512, depth = 64, panels = 2, lanes = 16, mr = 8, nr = 3>}
      ins(%a, %b : memref<?x64xf32>, memref<64x96xf32>) outs(%c : memref<?x96xf32>)
  return
}

// A linear layer adds the bias to its sums, and rounds them once, when they are stored.
// CHECK-LABEL: @layer
// CHECK: scf.forall
// CHECK: vector.fma
// CHECK: vector.load %{{.*}} : memref<48xf32>
// CHECK: arith.addf
// CHECK: arith.truncf %{{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK-NOT: attn.linear
func.func @layer(%x: memref<32x64xbf16>, %w: memref<48x64xbf16>, %b: memref<48xf32>, %y: memref<32x48xbf16>) {
  attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 256, depth = 64, panels = 8, lanes = 16, mr = 8, nr = 3>)
      ins(%x, %w, %b : memref<32x64xbf16>, memref<48x64xbf16>, memref<48xf32>) outs(%y : memref<32x48xbf16>)
  return
}

// An epilogue: one row of the finished sums after the other, two vectors of it as one, with those of the residual and the
// number for all; then the third.
// CHECK-LABEL: @epilogue
// CHECK-SAME: %[[R:[a-z0-9]*]]: memref<32x48xbf16>, %[[N:[a-z0-9]*]]: f32
// CHECK: scf.forall
// CHECK: vector.fma
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = vector.load %{{.*}} : memref<8x48xf32>, vector<16xf32>
// CHECK: %[[SUM1:.*]] = vector.load %{{.*}} : memref<8x48xf32>, vector<16xf32>
// CHECK: %[[LOADED:.*]] = vector.load %{{.*}} : memref<32x48xbf16
// CHECK: %[[FIRST:.*]] = arith.extf %[[LOADED]]
// CHECK: %[[LOADED1:.*]] = vector.load %{{.*}} : memref<32x48xbf16
// CHECK: %[[SECOND:.*]] = arith.extf %[[LOADED1]]
// CHECK: %[[HELD:.*]] = vector.insert_strided_slice %[[FIRST]], %{{.*}} {offsets = [0]
// CHECK: %[[WIDE:.*]] = vector.insert_strided_slice %[[SECOND]], %[[HELD]] {offsets = [16]
// CHECK: %[[SPREAD:.*]] = vector.broadcast %[[N]] : f32 to vector<32xf32>
// CHECK: vector.insert_strided_slice %[[SUM]], %{{.*}} {offsets = [0]
// CHECK: %[[SUMS:.*]] = vector.insert_strided_slice %[[SUM1]], %{{.*}} {offsets = [16]
// CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[HALVES:.*]] = vector.broadcast %[[HALF]]
// CHECK: %[[A:.*]] = arith.mulf %[[SUMS]], %[[HALVES]] : vector<32xf32>
// CHECK: %[[B:.*]] = math.fma %[[A]], %[[SPREAD]], %[[WIDE]] : vector<32xf32>
// CHECK: %[[C:.*]] = math.absf %[[B]]
// CHECK: %[[D:.*]] = arith.negf %[[C]]
// CHECK: %[[D0:.*]] = vector.extract_strided_slice %[[D]] {offsets = [0]
// CHECK: %[[D1:.*]] = vector.extract_strided_slice %[[D]] {offsets = [16]
// CHECK: arith.negf %{{.*}} : vector<16xf32>
// CHECK: vector.store %[[D0]], %[[TILE:.*]][
// CHECK: vector.store %[[D1]], %[[TILE]][
// CHECK: %[[DONE:.*]] = vector.load %[[TILE]][
// CHECK: arith.truncf %[[DONE]] : vector<16xf32> to vector<16xbf16>
// CHECK-NOT: attn.linear
func.func @epilogue(%x: memref<32x64xbf16>, %w: memref<64x48xbf16>, %r: memref<32x48xbf16>, %n: f32, %y: memref<32x48xbf16>) {
  attn.linear schedule(#attn.contraction_schedule<rows = 32, depth = 64, panels = 1, lanes = 16, mr = 8, nr = 3>)
      ins(%x, %w : memref<32x64xbf16>, memref<64x48xbf16>) extras(%r, %n : memref<32x48xbf16>, f32) outs(%y : memref<32x48xbf16>) epilogue {
  ^bb0(%s: f32, %e: f32, %m: f32):
    %half = arith.constant 0.5 : f32
    %a = arith.mulf %s, %half : f32
    %b = math.fma %a, %m, %e : f32
    %c = math.absf %b : f32
    %d = arith.negf %c : f32
    attn.yield %d : f32
  }
  return
}

// A short one is done with all vectors of a tile at once, without scratch.
// CHECK-LABEL: @short_epilogue
// CHECK: vector.fma
// CHECK-NOT: memref<8x48xf32>
// CHECK: %[[LOADED:.*]] = vector.load %{{.*}} : memref<32x48xf32
// CHECK: %[[HELD:.*]] = vector.insert_strided_slice %[[LOADED]]
// CHECK: %[[WIDE:.*]] = vector.insert_strided_slice %{{.*}}, %[[HELD]]
// CHECK: arith.addf %{{.*}}, %[[WIDE]] : vector<32xf32>
// CHECK-COUNT-24: vector.store %{{.*}} : memref<32x48xf32
func.func @short_epilogue(%x: memref<32x64xf32>, %w: memref<64x48xf32>, %r: memref<32x48xf32>, %y: memref<32x48xf32>) {
  attn.linear schedule(#attn.contraction_schedule<rows = 32, depth = 64, panels = 1, lanes = 16, mr = 8, nr = 3>)
      ins(%x, %w : memref<32x64xf32>, memref<64x48xf32>) extras(%r : memref<32x48xf32>) outs(%y : memref<32x48xf32>) epilogue {
  ^bb0(%s: f32, %e: f32):
    %a = arith.addf %s, %e : f32
    attn.yield %a : f32
  }
  return
}

// A single row has nothing to share a packed panel with: the weight is read where it lies, a few rows of it at a time.
// CHECK-LABEL: @one_row
// CHECK: scf.forall ({{.*}}) in (1, 1, 1)
// CHECK-NOT: memref.alloc() {{.*}} memref<{{[0-9]+}}x{{[0-9]+}}x256
// CHECK: memref.subview %{{.*}} : memref<64x1024xf32, strided<[1024, 1], offset: ?>> to memref<16x256xf32, strided<[1024, 1], offset: ?>>
// CHECK: scf.for {{.*}} -> (vector<16xf32>
func.func @one_row(%a: memref<1x64xf32>, %b: memref<64x1024xf32>, %c: memref<1x1024xf32>) {
  linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 1, depth = 16, panels = 4, lanes = 16, mr = 1, nr = 16, direct = true>}
      ins(%a, %b : memref<1x64xf32>, memref<64x1024xf32>) outs(%c : memref<1x1024xf32>)
  return
}

// Sums of two steps wait in the output, and are added to what the second step gives.
// CHECK-LABEL: @two_steps
// CHECK: scf.forall
// CHECK: vector.fma
// CHECK: scf.if %{{.*}} -> (vector<16xf32>
// CHECK: vector.load %{{.*}} : memref<32x48xf32
// CHECK: arith.addf
// CHECK: vector.store %{{.*}} : memref<32x48xf32
func.func @two_steps(%x: memref<32x64xf32>, %w: memref<64x48xf32>, %y: memref<32x48xf32>) {
  attn.linear schedule(#attn.contraction_schedule<rows = 32, depth = 32, panels = 1, lanes = 16, mr = 8, nr = 3>)
      ins(%x, %w : memref<32x64xf32>, memref<64x48xf32>) outs(%y : memref<32x48xf32>)
  return
}

// Two loops of terms are no product of two matrices: the op stays and says so.
// CHECK-LABEL: @two_terms
// CHECK: linalg.generic
// REMARK: remark: [attn-r242] matrix product as plain loops: it has several loops of terms
func.func @two_terms(%a: memref<4x5x6xf32>, %b: memref<5x6x8xf32>, %c: memref<4x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>,
                                   affine_map<(m, n, k, l) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<4x5x6xf32>, memref<5x6x8xf32>) outs(%c : memref<4x8xf32>)
      attrs = {attn.contraction = #attn.contraction_schedule<rows = 4, depth = 30, panels = 1, lanes = 8, mr = 4, nr = 1>} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Nobody chooses a schedule here.
// CHECK-LABEL: @unscheduled
// CHECK: linalg.matmul
func.func @unscheduled(%a: memref<4x64xf32>, %b: memref<64x96xf32>, %c: memref<4x96xf32>) {
  linalg.matmul ins(%a, %b : memref<4x64xf32>, memref<64x96xf32>) outs(%c : memref<4x96xf32>)
  return
}

// Dot products read both operands in vectors: a left operand with gaps is copied.
// CHECK-LABEL: @strided_terms
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<1x64xf32>
// CHECK: memref.copy %{{.*}}, %[[COPY]]
// CHECK: scf.forall
// CHECK-NOT: linalg.generic
func.func @strided_terms(%a: memref<1x64xf32, strided<[128, 2]>>, %b: memref<96x64xf32>, %c: memref<1x96xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1x64xf32, strided<[128, 2]>>, memref<96x64xf32>) outs(%c : memref<1x96xf32>)
      attrs = {attn.contraction = #attn.contraction_schedule<rows = 1, depth = 64, panels = 4, lanes = 16, mr = 1, nr = 1, direct = true>} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Rows of a weight that are not contiguous are copied first, once.
// CHECK-LABEL: @strided_weight
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<64x48xf32>
// CHECK: memref.copy %{{.*}}, %[[COPY]]
// CHECK: scf.forall
func.func @strided_weight(%x: memref<32x64xf32>, %w: memref<64x48xf32, strided<[128, 2]>>, %y: memref<32x48xf32>) {
  attn.linear schedule(#attn.contraction_schedule<rows = 512, depth = 64, panels = 8, lanes = 16, mr = 8, nr = 3>)
      ins(%x, %w : memref<32x64xf32>, memref<64x48xf32, strided<[128, 2]>>) outs(%y : memref<32x48xf32>)
  return
}

// A single row times columns that are contiguous: one column after the other, in the order of memory, with four vectors of
// sums; the rest of the terms under a mask. Sixteen columns are added up together.
// CHECK-LABEL: @one_row_of_columns
// CHECK: scf.forall ({{.*}}) in (1, 1, 2)
// CHECK: memref.alloc() {{.*}} memref<16x1x16xf32>
// CHECK-NOT: memref.prefetch
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
// CHECK: %[[TERMS:.*]] = vector.load %{{.*}} : memref<1x72xf32
// CHECK: %[[COLUMN:.*]] = vector.load %{{.*}} : memref<100x72xf32
// CHECK: vector.fma %[[TERMS]], %[[COLUMN]], %{{.*}} : vector<16xf32>
// CHECK: scf.yield
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-2: vector.maskedload
// CHECK: vector.store %{{.*}} : memref<16x1x16xf32>
// CHECK-COUNT-16: vector.load %{{.*}} : memref<16x1x16xf32>
// CHECK: vector.maskedstore %{{.*}} : memref<1x100xf32
// CHECK-NOT: attn.linear
func.func @one_row_of_columns(%x: memref<1x72xf32>, %w: memref<100x72xf32>, %y: memref<1x100xf32>) {
  attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 1, depth = 72, panels = 4, lanes = 16, mr = 1, nr = 1, direct = true>)
      ins(%x, %w : memref<1x72xf32>, memref<100x72xf32>) outs(%y : memref<1x100xf32>)
  return
}

// What is widened comes from half a line: four columns side by side, each of which is asked for ahead. The row is widened
// once for all of them.
// CHECK-LABEL: @one_row_of_widened_columns
// CHECK: memref.alloc() {{.*}} memref<4x1x16xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: %[[ROW:.*]] = vector.load %{{.*}} : memref<1x72xbf16
// CHECK: %[[TERMS:.*]] = arith.extf %[[ROW]]
// CHECK: memref.prefetch %{{.*}}, read, locality
// CHECK: %[[COLUMN:.*]] = vector.load %{{.*}} : memref<100x72xbf16
// CHECK: %[[WIDE:.*]] = arith.extf %[[COLUMN]]
// CHECK: vector.fma %[[TERMS]], %[[WIDE]], %{{.*}} : vector<16xf32>
// CHECK-COUNT-3: memref.prefetch %{{.*}}, read, locality
// CHECK: scf.yield
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-5: vector.maskedload
// CHECK-NOT: attn.linear
func.func @one_row_of_widened_columns(%x: memref<1x72xbf16>, %w: memref<100x72xbf16>, %y: memref<1x100xf32>) {
  attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 1, depth = 72, panels = 4, lanes = 16, mr = 1, nr = 1, direct = true>)
      ins(%x, %w : memref<1x72xbf16>, memref<100x72xbf16>) outs(%y : memref<1x100xf32>)
  return
}

// Vectors of half a cache line: eight columns side by side, each of which is asked for ahead.
// CHECK-LABEL: @one_row_of_narrow_columns
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: vector.load %{{.*}} : memref<1x64xf32
// CHECK-COUNT-8: memref.prefetch %{{.*}}, read, locality
// CHECK: scf.yield
func.func @one_row_of_narrow_columns(%x: memref<1x64xf32>, %w: memref<96x64xf32>, %y: memref<1x96xf32>) {
  attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 1, depth = 64, panels = 4, lanes = 8, mr = 1, nr = 1, direct = true>)
      ins(%x, %w : memref<1x64xf32>, memref<96x64xf32>) outs(%y : memref<1x96xf32>)
  return
}

// bf16 is widened on the way where it lies: once, as there is one tile of rows. Each line of it is asked for once.
// CHECK-LABEL: @one_row_widened
// CHECK-NOT: memref.alloc() {{.*}} memref<{{[0-9]+}}x{{[0-9]+}}x32xf32>
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-4: vector.load %{{.*}} : memref<16x32xbf16, strided<[64, 1], offset: ?>>, vector<8xbf16>
// CHECK-COUNT-1: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-4: vector.fma
func.func @one_row_widened(%a: memref<1x32xbf16>, %b: memref<32x64xbf16>, %c: memref<1x64xf32>) {
  linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 1, depth = 16, panels = 4, lanes = 8, mr = 1, nr = 4, direct = true>}
      ins(%a, %b : memref<1x32xbf16>, memref<32x64xbf16>) outs(%c : memref<1x64xf32>)
  return
}
