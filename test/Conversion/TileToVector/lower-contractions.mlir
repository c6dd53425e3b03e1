// RUN: attn-opt %s --attn-lower-contractions=target=cpu:x86-64-v4 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// A product becomes blocks in parallel: a packed panel, then register tiles whose 24 accumulators are carried by the
// loop over k, with no load of the output inside it.
// CHECK-LABEL: @product
// CHECK: scf.forall
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<64x48xf32>
// CHECK: vector.load %{{.*}} : memref<64x96xf32
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
// CHECK-NOT: memref<?x96xf32
// CHECK: scf.yield
// CHECK-NOT: linalg.matmul
// REMARK: remark: [attn-r241] matrix product in blocks: #attn.contraction_schedule<rows = 512, depth = 64, lanes = 16, mr = 8, nr = 3>
func.func @product(%a: memref<?x64xf32>, %b: memref<64x96xf32>, %c: memref<?x96xf32>) {
  linalg.matmul ins(%a, %b : memref<?x64xf32>, memref<64x96xf32>) outs(%c : memref<?x96xf32>)
  return
}

// A linear layer starts its sums from the bias, and rounds them once, when they are stored.
// CHECK-LABEL: @layer
// CHECK: scf.forall
// CHECK: vector.fma
// CHECK: arith.truncf %{{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK-NOT: attn.linear
func.func @layer(%x: memref<32x64xbf16>, %w: memref<48x64xbf16>, %b: memref<48xf32>, %y: memref<32x48xbf16>) {
  attn.linear weight(out_in) schedule(<rows = 256, depth = 64, lanes = 16, mr = 8, nr = 3>)
      ins(%x, %w, %b : memref<32x64xbf16>, memref<48x64xbf16>, memref<48xf32>) outs(%y : memref<32x48xbf16>)
  return
}

// Two loops of terms are no product of two matrices: the op stays and says so.
// CHECK-LABEL: @two_terms
// CHECK: linalg.generic
// REMARK: remark: [attn-r242] matrix product as plain loops: its loops are not one of rows, columns and terms each
func.func @two_terms(%a: memref<4x5x6xf32>, %b: memref<5x6x8xf32>, %c: memref<4x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>,
                                   affine_map<(m, n, k, l) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<4x5x6xf32>, memref<5x6x8xf32>) outs(%c : memref<4x8xf32>) {
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
  attn.linear schedule(<rows = 512, depth = 64, lanes = 16, mr = 8, nr = 3>)
      ins(%x, %w : memref<32x64xf32>, memref<64x48xf32, strided<[128, 2]>>) outs(%y : memref<32x48xf32>)
  return
}
