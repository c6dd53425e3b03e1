// RUN: attn-opt %s --attn-decompose --attn-set-target=target=cpu:x86-64-v4 --attn-tile-rows --cse --split-input-file | FileCheck %s

// A softmax of unknown size: maximum, sum and quotient of one row before the
// next row, each of them once.
// CHECK-LABEL: @softmax
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tensor.extract_slice %{{.*}} [1, %{{.*}}] [1, 1]
// CHECK-COUNT-1: arith.cmpf ogt
// CHECK-COUNT-1: arith.addf %{{.*}} : f32
// CHECK-COUNT-1: arith.divf
// CHECK: tensor.insert_slice
// CHECK-NOT: linalg.generic
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Both passes of a kurtosis. Rows of two dimensions: a loop for each that is
// kept.
// CHECK-LABEL: @kurtosis
// CHECK: scf.for
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: arith.divf
// CHECK: scf.yield
func.func @kurtosis(%x: tensor<?x?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = attn.statistics kurtosis axes [2] ins(%x : tensor<?x?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// What the cache holds gains nothing. Columns are no rows. Rows of no element
// need no loop.
// CHECK-LABEL: @left_alone
// CHECK-NOT: scf.for
func.func @left_alone(%x: tensor<4x64xf32>, %y: tensor<?x?xf32>, %z: tensor<?x0xf32>)
    -> (tensor<4x64xf32>, tensor<?x?xf32>, tensor<?x0xf32>) {
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<4x64xf32>) outs(%x : tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0) ins(%y : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%z : tensor<?x0xf32>) outs(%z : tensor<?x0xf32>) -> tensor<?x0xf32>
  return %0, %1, %2 : tensor<4x64xf32>, tensor<?x?xf32>, tensor<?x0xf32>
}

// -----

// The sum is a result as well: the loop makes both.
// CHECK-LABEL: @both
// CHECK: %[[LOOP:.*]]:2 = scf.for
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: iterator_types = ["parallel", "parallel"]
// CHECK: return %[[LOOP]]#0, %[[LOOP]]#1
// CHECK-NOT: linalg.generic
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @both(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<?x?xf32>, tensor<?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?x?xf32>
  return %1, %0 : tensor<?x?xf32>, tensor<?xf32>
}

// -----

// What another op needs before the last step cannot wait for the loops.
// CHECK-LABEL: @needed_before
// CHECK-NOT: scf.for
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @needed_before(%x: tensor<?x?xf32>, %s: tensor<?xf32>, %c: index) -> (tensor<?x?xf32>, f32) {
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<?xf32>
  %one = tensor.extract %0[%c] : tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<?x?xf32>, tensor<?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32):
    %e = arith.divf %a, %b : f32
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  return %1, %one : tensor<?x?xf32>, f32
}

// -----

// In a kernel the rows are parallel, and marked as rows. What follows from a
// reduction is a step between: the factor of a norm.
// CHECK-LABEL: @kernel
// CHECK: scf.forall (%{{.*}}) in (%{{.*}}) shared_outs
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: arith.divf
// CHECK: iterator_types = ["parallel", "parallel"]
// CHECK: tensor.parallel_insert_slice
// CHECK-NEXT: }
// CHECK-NEXT: } {attn.rows}
// CHECK-NOT: linalg.generic
func.func @kernel(%context: !llvm.ptr, %x: tensor<?x?xf32>, %o: memref<?x?xf32>) -> i32 {
  %0 = attn.norm rms axes [1] eps(1.0e-05) ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  bufferization.materialize_in_destination %0 in restrict writable %o : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// Rows of few elements take longer to enter than to read again.
// CHECK-LABEL: @short
// CHECK-NOT: scf.for
func.func @short(%x: tensor<?x63xf32>) -> tensor<?x63xf32> {
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<?x63xf32>) outs(%x : tensor<?x63xf32>) -> tensor<?x63xf32>
  return %0 : tensor<?x63xf32>
}
