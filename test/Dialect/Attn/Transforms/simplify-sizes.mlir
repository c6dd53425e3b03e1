// Sizes computed at run time, as torch.export and torch-mlir write them.

// RUN: attn-opt %s --attn-simplify-sizes | FileCheck %s
// RUN: attn-run %s --entry=expand --shape=0:5x8 --shape=1:5x8 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=rows --shape=0:9x8 --shape=1:4x8 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=split --shape=0:12x5x5 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=regroup --shape=0:3x5x8 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=joined --shape=0:3x8 --shape=1:5x8 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=named --shape=0:8x5x5 --shape=1:5x4 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=one_head_of_keys --shape=0:2x4x5x8 --shape=1:2x8x7 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=rounded --shape=0:2x4x5x8 --shape=1:2x8x7 --check | FileCheck %s --check-prefix=MATCH
// RUN: not attn-run %s --entry=named --shape=0:8x3x12 --shape=1:6x4 2>&1 | FileCheck %s --check-prefix=PAIRS
// MATCH: match
// PAIRS: must equal

// What was broadcast before is refused, not computed otherwise.
// RUN: not attn-run %s --entry=expand --shape=0:1x8 --shape=1:5x8 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: dimension 0 must equal dimension 0 of input 0 (5 against 1)

#id = affine_map<(i, j) -> (i, j)>
#cube = affine_map<(b, i, j) -> (b, i, j)>
#four = affine_map<(b, h, i, j) -> (b, h, i, j)>

// No size says that %x has the rows of %y.
// CHECK-LABEL: @expand
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[Y:.*]]: tensor<?x8xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[Y]]
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]]
// CHECK: %[[EQUAL:.*]] = arith.cmpi eq, %[[M]], %[[N]] : index
// CHECK: cf.assert %[[EQUAL]]
// CHECK-NOT: cf.assert
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[X]]
// CHECK-NOT: tensor.extract
func.func @expand(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i64 = arith.constant 0 : i64
  %n = tensor.dim %y, %c0 : tensor<?x8xf32>
  %n64 = arith.index_cast %n : index to i64
  %some = arith.cmpi sge, %n64, %c0_i64 : i64
  cf.assert %some, "no negative size"
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%b: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %m = tensor.dim %x, %c0 : tensor<?x8xf32>
    %is1 = arith.cmpi eq, %m, %c1 : index
    %k = arith.select %is1, %c0, %i : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Here they are equal, whatever the condition says.
// CHECK-LABEL: @own
// CHECK-NOT: cf.assert
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x8xf32>)
func.func @own(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %is1 = arith.cmpi eq, %n, %c1 : index
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.select %is1, %c0, %i : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// The first rows of a table.
// CHECK-LABEL: @rows
// CHECK-SAME: %[[TABLE:.*]]: tensor<?x8xf32>, %[[Y:.*]]: tensor<?x8xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[Y]]
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[TABLE]][0, 0] [%[[N]], 8] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[PART]]
func.func @rows(%table: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%b: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = tensor.extract %table[%i, %j] : tensor<?x8xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// A batch of heads is split again; the size that may be -1 is none.
// CHECK-LABEL: @split
// CHECK-SAME: %[[X:.*]]: tensor<?x?x?xf32>
// CHECK-NOT: tensor.reshape
// CHECK: tensor.expand_shape %[[X]] {{\[}}[0, 1], [2], [3]] output_shape [%{{.*}}, 4, %{{.*}}, %{{.*}}] : tensor<?x?x?xf32> into tensor<?x4x?x?xf32>
func.func @split(%x: tensor<?x?x?xf32>) -> tensor<?x4x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0_i64 = arith.constant 0 : i64
  %c1_i64 = arith.constant 1 : i64
  %c4_i64 = arith.constant 4 : i64
  %heads = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %rows = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %keys = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %h = arith.index_cast %heads : index to i64
  %n = arith.index_cast %rows : index to i64
  %m = arith.index_cast %keys : index to i64
  %b = arith.divsi %h, %c4_i64 : i64
  %back = arith.muli %b, %c4_i64 : i64
  %whole = arith.cmpi eq, %back, %h : i64
  cf.assert %whole, "heads of whole batches"
  %hn = arith.muli %h, %n : i64
  %negative = arith.cmpi slt, %hn, %c0_i64 : i64
  %inferred = arith.extui %negative : i1 to i64
  %one = arith.cmpi sle, %inferred, %c1_i64 : i64
  cf.assert %one, "must have at most one inferred (negative) dimension"
  %size = arith.select %negative, %c1_i64, %n : i64
  %shape = tensor.from_elements %b, %c4_i64, %size, %m : tensor<4xi64>
  %r = tensor.reshape %x(%shape) : (tensor<?x?x?xf32>, tensor<4xi64>) -> tensor<?x4x?x?xf32>
  return %r : tensor<?x4x?x?xf32>
}

// Two groups at a time, by way of the collapsed rows.
// CHECK-LABEL: @regroup
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
// CHECK: tensor.expand_shape %[[ROWS]] {{\[}}[0], [1, 2]] output_shape [%{{.*}}, 2, 4] : tensor<?x8xf32> into tensor<?x2x4xf32>
func.func @regroup(%x: tensor<?x?x8xf32>) -> tensor<?x2x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2_i64 = arith.constant 2 : i64
  %c4_i64 = arith.constant 4 : i64
  %b = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %b64 = arith.index_cast %b : index to i64
  %n64 = arith.index_cast %n : index to i64
  %rows = arith.muli %n64, %b64 : i64
  %shape = tensor.from_elements %rows, %c2_i64, %c4_i64 : tensor<3xi64>
  %r = tensor.reshape %x(%shape) : (tensor<?x?x8xf32>, tensor<3xi64>) -> tensor<?x2x4xf32>
  return %r : tensor<?x2x4xf32>
}

// torch.export has one name for the sizes of three arguments.
// CHECK-LABEL: @named
// CHECK-SAME: %[[X:.*]]: tensor<8x?x?xf32>, %[[Y:.*]]: tensor<?x4xf32>
// CHECK: cf.assert %{{.*}}, "two dynamic sizes that a reshape pairs are not equal"
// CHECK: cf.assert %{{.*}}, "two dynamic sizes that a reshape pairs are not equal"
// CHECK: tensor.expand_shape %[[X]] {{\[}}[0, 1], [2], [3, 4]] output_shape [2, 4, %{{.*}}, 1, %{{.*}}] : tensor<8x?x?xf32> into tensor<2x4x?x1x?xf32>
func.func @named(%x: tensor<8x?x?xf32>, %y: tensor<?x4xf32>) -> tensor<2x4x?x1x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %y, %c0 : tensor<?x4xf32>
  %shape = tensor.from_elements %c2, %c4, %n, %c1, %n : tensor<5xindex>
  %r = tensor.reshape %x(%shape) : (tensor<8x?x?xf32>, tensor<5xindex>) -> tensor<2x4x?x1x?xf32>
  return %r : tensor<2x4x?x1x?xf32>
}

// The size of a cache and what is appended to it.
// CHECK-LABEL: @joined
// CHECK-NOT: cf.assert
// CHECK-NOT: tensor.extract {{.*}}[
func.func @joined(%cache: tensor<?x8xf32>, %new: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = tensor.concat dim(0) %cache, %new : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = tensor.dim %cache, %c0 : tensor<?x8xf32>
  %n = tensor.dim %new, %c0 : tensor<?x8xf32>
  %m = arith.addi %n, %p : index
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %size = tensor.dim %all, %c0 : tensor<?x8xf32>
  %is1 = arith.cmpi eq, %size, %c1 : index
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.select %is1, %c0, %i : index
    %a = tensor.extract %all[%k, %j] : tensor<?x8xf32>
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// All heads of the queries with one head of keys: rows of a head get a dimension,
// since their number is not known.
// CHECK-LABEL: @one_head_of_keys
// CHECK-NOT: linalg.batch_matmul
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @one_head_of_keys(%q: tensor<2x4x?x8xf32>, %k: tensor<2x8x?xf32>) -> tensor<2x4x?x?xf32> {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : index
  %m = tensor.dim %q, %c2 : tensor<2x4x?x8xf32>
  %n = tensor.dim %k, %c2 : tensor<2x8x?xf32>
  %rows = arith.muli %m, %c4 : index
  %all = tensor.collapse_shape %q [[0], [1, 2], [3]] : tensor<2x4x?x8xf32> into tensor<2x?x8xf32>
  %e = tensor.empty(%rows, %n) : tensor<2x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %s = linalg.batch_matmul ins(%all, %k : tensor<2x?x8xf32>, tensor<2x8x?xf32>) outs(%z : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %r = tensor.expand_shape %s [[0], [1, 2], [3]] output_shape [2, 4, %m, %n] : tensor<2x?x?xf32> into tensor<2x4x?x?xf32>
  return %r : tensor<2x4x?x?xf32>
}

// Rows in front of heads are an affine place: nothing has to change.
// CHECK-LABEL: @rows_in_front
// CHECK: linalg.batch_matmul
// CHECK: tensor.expand_shape
func.func @rows_in_front(%q: tensor<2x?x4x8xf32>, %k: tensor<2x8x?xf32>) -> tensor<2x?x4x?xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : index
  %m = tensor.dim %q, %c1 : tensor<2x?x4x8xf32>
  %n = tensor.dim %k, %c2 : tensor<2x8x?xf32>
  %rows = arith.muli %m, %c4 : index
  %all = tensor.collapse_shape %q [[0], [1, 2], [3]] : tensor<2x?x4x8xf32> into tensor<2x?x8xf32>
  %e = tensor.empty(%rows, %n) : tensor<2x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %s = linalg.batch_matmul ins(%all, %k : tensor<2x?x8xf32>, tensor<2x8x?xf32>) outs(%z : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %r = tensor.expand_shape %s [[0], [1, 2], [3]] output_shape [2, %m, 4, %n] : tensor<2x?x?xf32> into tensor<2x?x4x?xf32>
  return %r : tensor<2x?x4x?xf32>
}

// The same, rounded on the way; and the sizes of what is computed are those of arguments, so that they keep nothing alive.
// CHECK-LABEL: @rounded
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x?x8xbf16>, %[[K:.*]]: tensor<2x8x?xbf16>
// CHECK-NOT: linalg.batch_matmul
// CHECK-DAG: tensor.dim %[[Q]]
// CHECK-DAG: tensor.dim %[[K]]
// CHECK-NOT: tensor.dim
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK-NOT: tensor.dim
// CHECK: return
func.func @rounded(%q: tensor<2x4x?x8xbf16>, %k: tensor<2x8x?xbf16>) -> tensor<2x4x?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : index
  %m = tensor.dim %q, %c2 : tensor<2x4x?x8xbf16>
  %n = tensor.dim %k, %c2 : tensor<2x8x?xbf16>
  %rows = arith.muli %m, %c4 : index
  %all = tensor.collapse_shape %q [[0], [1, 2], [3]] : tensor<2x4x?x8xbf16> into tensor<2x?x8xbf16>
  %e = tensor.empty(%rows, %n) : tensor<2x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %s = linalg.batch_matmul ins(%all, %k : tensor<2x?x8xbf16>, tensor<2x8x?xbf16>) outs(%z : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %b = tensor.empty(%rows, %n) : tensor<2x?x?xbf16>
  %t = linalg.generic {indexing_maps = [#cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x?x?xf32>) outs(%b : tensor<2x?x?xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %y = arith.truncf %x : f32 to bf16
    linalg.yield %y : bf16
  } -> tensor<2x?x?xbf16>
  %r = tensor.expand_shape %t [[0], [1, 2], [3]] output_shape [2, 4, %m, %n] : tensor<2x?x?xbf16> into tensor<2x4x?x?xbf16>
  %mm = tensor.dim %r, %c2 : tensor<2x4x?x?xbf16>
  %nn = tensor.dim %r, %c3 : tensor<2x4x?x?xbf16>
  %f = tensor.empty(%mm, %nn) : tensor<2x4x?x?xbf16>
  %u = linalg.generic {indexing_maps = [#four, #four], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<2x4x?x?xbf16>) outs(%f : tensor<2x4x?x?xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %y = arith.negf %x : bf16
    linalg.yield %y : bf16
  } -> tensor<2x4x?x?xbf16>
  return %u : tensor<2x4x?x?xbf16>
}
