// RUN: attn-opt %s --attn-check-sizes | FileCheck %s

// A matmul forces the inner sizes to be equal; 8 is known from one side only, and
// is a size of its own there.
// CHECK-LABEL: func.func @matmul_ties_inner_sizes(
// CHECK-SAME: %{{.*}}: tensor<?x8xf32> {attn.dim_classes = array<i64: 0, 1>, attn.dim_sizes = array<i64: -1, 8>}
// CHECK-SAME: %{{.*}}: tensor<?x?xf32> {attn.dim_classes = array<i64: 2, 3>, attn.dim_sizes = array<i64: 8, -1>}
func.func @matmul_ties_inner_sizes(%a: tensor<?x8xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Keys and values have the same number of rows; queries have their own.
// CHECK-LABEL: func.func @attention_ties_keys_to_values(
// CHECK-SAME: attn.dim_classes = array<i64: 0, 1, 2>
// CHECK-SAME: attn.dim_classes = array<i64: 0, 3, 4>
// CHECK-SAME: attn.dim_classes = array<i64: 0, 3, 5>
func.func @attention_ties_keys_to_values(%q: tensor<?x?x64xf32>, %k: tensor<?x?x64xf32>, %v: tensor<?x?x64xf32>, %o: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>)
      outs(%o : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// Sizes flow through casts, and through the groups of one in reshapes.
// CHECK-LABEL: func.func @casts_and_reshapes(
// CHECK-SAME: attn.dim_classes = array<i64: 0, 1, 2>, attn.dim_sizes = array<i64: 2, 3, 16>
// CHECK-SAME: attn.dim_classes = array<i64: 3>, attn.dim_sizes = array<i64: 16>
func.func @casts_and_reshapes(%a: tensor<2x3x?xf32>, %b: tensor<?xf32>) -> tensor<6x16xf32> {
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x3x?xf32> into tensor<6x?xf32>
  %1 = tensor.cast %0 : tensor<6x?xf32> to tensor<6x16xf32>
  %2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<?xf32>) outs(%1 : tensor<6x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<6x16xf32>
  return %2 : tensor<6x16xf32>
}

// What may not run demands nothing.
// CHECK-LABEL: func.func @branches_do_not_count(
// CHECK-SAME: attn.dim_classes = array<i64: 0>
// CHECK-SAME: attn.dim_classes = array<i64: 1>
func.func @branches_do_not_count(%c: i1, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    %0 = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
