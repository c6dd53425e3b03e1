// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-vectorize-reductions --split-input-file | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Four vectors at a time, then one, then the rest, whose other lanes keep their
// sums. Vectors and lanes are added as a tree; last comes what was in memory.
// CHECK-LABEL: @sum
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?xf32>
// CHECK: scf.for
// CHECK: arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: vector.load %[[X]]
// CHECK: scf.for
// CHECK: vector.load %[[X]]{{.*}} vector<16xf32>
// CHECK-NOT: vector.load
// CHECK: scf.for
// CHECK: vector.maskedload %[[X]]
// CHECK: arith.addf
// CHECK: arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK-COUNT-3: arith.addf %{{.*}} : vector<16xf32>
// CHECK-COUNT-4: vector.shuffle
// CHECK: %[[BEFORE:.*]] = memref.load %[[Y]]
// CHECK: arith.addf %{{.*}}, %[[BEFORE]] : f32
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK-NOT: linalg
func.func @sum(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Two results in one pass, in lanes as wide as the sums; what belongs to a row
// is spread over the lanes. Rows of whole vectors need no mask.
// CHECK-LABEL: @powers
// CHECK-NOT: vector.mask
// CHECK: vector.load %{{.*}} : memref<4x64xf32>, vector<8xf32>
// CHECK: arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK: vector.broadcast %{{.*}} : f64 to vector<8xf64>
// CHECK-NOT: linalg
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @powers(%x: memref<4x64xf32>, %m: memref<4xf64>, %y: memref<4xf64>, %z: memref<4xf64>) {
  linalg.generic {indexing_maps = [#all, #row, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : memref<4x64xf32>, memref<4xf64>) outs(%y, %z : memref<4xf64>, memref<4xf64>) {
  ^bb0(%a: f32, %c: f64, %s: f64, %t: f64):
    %0 = arith.extf %a : f32 to f64
    %1 = arith.subf %0, %c : f64
    %2 = arith.mulf %1, %1 : f64
    %3 = arith.addf %s, %2 : f64
    %4 = arith.mulf %2, %2 : f64
    %5 = arith.addf %t, %4 : f64
    linalg.yield %3, %5 : f64, f64
  }
  return
}

// -----

// A maximum as a comparison and a select: lanes begin with -inf. The
// accumulators stay in registers over both reductions, and the whole tensor is
// one row in the end.
// CHECK-LABEL: @largest
// CHECK: arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.cmpf ogt, %{{.*}} : vector<16xf32>
// CHECK: arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK-COUNT-1: memref.store
// CHECK-NOT: memref.store
#all = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
func.func @largest(%x: memref<?x?xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %s: f32):
    %c = arith.cmpf ogt, %a, %s : f32
    %t = arith.select %c, %a, %s : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// What has no neutral element, what uses the result so far in another way, and
// rows that are not contiguous stay as they are.
// CHECK-LABEL: @left_alone
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: vector.
#one = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @left_alone(%x: memref<?xf32>, %y: memref<f32>, %z: memref<?xf32, strided<[2]>>) {
  linalg.generic {indexing_maps = [#one, #scalar], iterator_types = ["reduction"]}
      ins(%x : memref<?xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.subf %a, %s : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#one, #scalar], iterator_types = ["reduction"]}
      ins(%x : memref<?xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %s: f32):
    %m = arith.mulf %a, %s : f32
    %t = arith.addf %m, %s : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#one, #scalar], iterator_types = ["reduction"]}
      ins(%z : memref<?xf32, strided<[2]>>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// In a kernel, sums of rows are work items, 64 rows of 1024 elements each. A sum
// of all rows is nobody's part.
// CHECK-LABEL: @kernel
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: memref.store
// CHECK-NOT: scf.forall
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
func.func @kernel(%context: !llvm.ptr, %x: memref<?x1024xf32>, %y: memref<?xf32>, %z: memref<f32>) -> i32 {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x1024xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<?x1024xf32>) outs(%z : memref<f32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
