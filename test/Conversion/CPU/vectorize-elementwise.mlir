// RUN: attn-opt %s --attn-vectorize-elementwise=target=cpu:x86-64-v4 --split-input-file | FileCheck %s

#row = affine_map<(i, j) -> (i, j)>
#once = affine_map<(i, j) -> (i)>

// Full vectors, then one masked vector. One element per row is loaded once a
// vector and spread; captured values are spread outside of the loops.
// CHECK-LABEL: @rows
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?xf32>, %{{.*}}: memref<?x?xf32>, %[[S:.*]]: f32
// CHECK: vector.broadcast %[[S]] : f32 to vector<16xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load %[[X]]
// CHECK: memref.load %[[B]]
// CHECK: math.exp %{{.*}} : vector<16xf32>
// CHECK: vector.store
// CHECK: scf.for
// CHECK: vector.maskedload %[[X]]
// CHECK: vector.maskedstore
// CHECK-NOT: linalg
func.func @rows(%x: memref<?x?xf32>, %b: memref<?xf32>, %y: memref<?x?xf32>, %s: f32) {
  linalg.generic {indexing_maps = [#row, #once, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %0 = arith.addf %a, %c : f32
    %1 = arith.mulf %0, %s : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

// Lanes are as wide as the widest type of the body; whole vectors need no mask.
// CHECK-LABEL: @wide
// CHECK: vector.step : vector<8xindex>
// CHECK-NOT: vector.mask
#id = affine_map<(i) -> (i)>
func.func @wide(%y: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%y : memref<64xf32>) {
  ^bb0(%d: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %f = arith.sitofp %j : i64 to f64
    %t = arith.truncf %f : f64 to f32
    linalg.yield %t : f32
  }
  return
}

// -----

// A transposed operand, and a division that must not run for lanes that do not
// exist, stay as they are.
// CHECK-LABEL: @left_alone
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: vector.
#p = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @left_alone(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %n: memref<?x?xi32>) {
  linalg.generic {indexing_maps = [#t, #p], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %d: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#p], iterator_types = ["parallel", "parallel"]} outs(%n : memref<?x?xi32>) {
  ^bb0(%d: i32):
    %c7 = arith.constant 7 : i32
    %q = arith.divsi %c7, %d : i32
    linalg.yield %q : i32
  }
  return
}

// -----

// Columns are summed without a word between lanes: each adds its own element to
// its own sum, in the order of the rows.
// CHECK-LABEL: @columns
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<?x64xf32>, vector<16xf32>
// CHECK: vector.load %{{.*}} : memref<64xf32>, vector<16xf32>
// CHECK: arith.addf
// CHECK: vector.store
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @columns(%x: memref<?x64xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  return
}
