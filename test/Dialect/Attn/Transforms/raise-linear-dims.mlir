// Rows, columns and terms of several dimensions, in any order.
//
// RUN: attn-opt %s --attn-raise-linear --canonicalize 2>/dev/null | FileCheck %s
// RUN: attn-run %s --entry=heads --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=merged_heads --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=terms_in_other_order --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=between --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=rows_change_places --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=columns_first --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=columns_before_two_rows --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=unknown_rows --check --shape=arg0:3x7x8 | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=one_text --check --shape=arg0:7x8 --shape=arg2:1x7x16 | FileCheck %s --check-prefix=VALUE
// VALUE: out0 against f64 reference: match

// DenseGeneral of Flax: columns are heads and their elements, and so is the bias.
// CHECK-LABEL: @heads
// CHECK-DAG: %[[W:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0], [1, 2]] : tensor<8x3x5xf32> into tensor<8x15xf32>
// CHECK-DAG: %[[B:.*]] = tensor.collapse_shape %arg2 {{\[\[}}0, 1]] : tensor<3x5xf32> into tensor<15xf32>
// CHECK: %[[Y:.*]] = attn.linear ins(%arg0, %[[W]], %[[B]] : tensor<2x4x8xf32>, tensor<8x15xf32>, tensor<15xf32>) outs(%{{.*}} : tensor<2x4x15xf32>)
// CHECK: tensor.expand_shape %[[Y]] {{\[\[}}0], [1], [2, 3]] output_shape [2, 4, 3, 5]
// CHECK-NOT: linalg.
func.func @heads(%x: tensor<2x4x8xf32>, %w: tensor<8x3x5xf32>, %b: tensor<3x5xf32>) -> tensor<2x4x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %p = linalg.contract indexing_maps = [affine_map<(b, i, n, h, k) -> (b, i, k)>, affine_map<(b, i, n, h, k) -> (k, n, h)>, affine_map<(b, i, n, h, k) -> (b, i, n, h)>]
      ins(%x, %w : tensor<2x4x8xf32>, tensor<8x3x5xf32>) outs(%z : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %s = linalg.broadcast ins(%b : tensor<3x5xf32>) outs(%e : tensor<2x4x3x5xf32>) dimensions = [0, 1]
  %y = linalg.add ins(%p, %s : tensor<2x4x3x5xf32>, tensor<2x4x3x5xf32>) outs(%e : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  return %y : tensor<2x4x3x5xf32>
}

// The layer behind an attention sums over heads and elements.
// CHECK-LABEL: @merged_heads
// CHECK-DAG: %[[X:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0], [1], [2, 3]]
// CHECK-DAG: %[[W:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0, 1], [2]]
// CHECK: attn.linear ins(%[[X]], %[[W]], %arg2 : tensor<2x4x15xf32>, tensor<15x8xf32>, tensor<8xf32>)
// CHECK-NOT: linalg.
func.func @merged_heads(%x: tensor<2x4x3x5xf32>, %w: tensor<3x5x8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %e = tensor.empty() : tensor<2x4x8xf32>
  %s = linalg.broadcast ins(%b : tensor<8xf32>) outs(%e : tensor<2x4x8xf32>) dimensions = [0, 1]
  %y = linalg.contract indexing_maps = [affine_map<(b, i, n, h, k) -> (b, i, n, h)>, affine_map<(b, i, n, h, k) -> (n, h, k)>, affine_map<(b, i, n, h, k) -> (b, i, k)>]
      ins(%x, %w : tensor<2x4x3x5xf32>, tensor<3x5x8xf32>) outs(%s : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// The weight has them in another order: the input is copied.
// CHECK-LABEL: @terms_in_other_order
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg0 : tensor<2x4x3x5xf32>) {{.*}} permutation = [0, 1, 3, 2]
// CHECK: %[[X:.*]] = tensor.collapse_shape %[[T]]
// CHECK: attn.linear weight(out_in) ins(%[[X]], %{{.*}} : tensor<2x4x15xf32>, tensor<8x15xf32>)
func.func @terms_in_other_order(%x: tensor<2x4x3x5xf32>, %w: tensor<8x5x3xf32>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = linalg.contract indexing_maps = [affine_map<(b, i, n, h, k) -> (b, i, n, h)>, affine_map<(b, i, n, h, k) -> (k, h, n)>, affine_map<(b, i, n, h, k) -> (b, i, k)>]
      ins(%x, %w : tensor<2x4x3x5xf32>, tensor<8x5x3xf32>) outs(%z : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// Terms between the columns: the weight is copied, for many rows.
// CHECK-LABEL: @between
// CHECK: linalg.transpose ins(%arg1 : tensor<3x8x5xf32>) {{.*}} permutation = [1, 0, 2]
// CHECK: attn.linear ins(%arg0, %{{.*}} : tensor<2x16x8xf32>, tensor<8x15xf32>)
func.func @between(%x: tensor<2x16x8xf32>, %w: tensor<3x8x5xf32>) -> tensor<2x16x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x16x3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x3x5xf32>) -> tensor<2x16x3x5xf32>
  %y = linalg.contract indexing_maps = [affine_map<(b, i, n, h, k) -> (b, i, k)>, affine_map<(b, i, n, h, k) -> (n, k, h)>, affine_map<(b, i, n, h, k) -> (b, i, n, h)>]
      ins(%x, %w : tensor<2x16x8xf32>, tensor<3x8x5xf32>) outs(%z : tensor<2x16x3x5xf32>) -> tensor<2x16x3x5xf32>
  return %y : tensor<2x16x3x5xf32>
}

// Rows of the result in another order than those of the input.
// CHECK-LABEL: @rows_change_places
// CHECK: %[[Y:.*]] = attn.linear ins(%arg0, %arg1 : tensor<2x4x8xf32>, tensor<8x16xf32>)
// CHECK: linalg.transpose ins(%[[Y]] : tensor<2x4x16xf32>) {{.*}} permutation = [1, 0, 2]
func.func @rows_change_places(%x: tensor<2x4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x2x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2x16xf32>) -> tensor<4x2x16xf32>
  %y = linalg.contract indexing_maps = [affine_map<(b, i, n, k) -> (b, i, k)>, affine_map<(b, i, n, k) -> (k, n)>, affine_map<(b, i, n, k) -> (i, b, n)>]
      ins(%x, %w : tensor<2x4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x2x16xf32>) -> tensor<4x2x16xf32>
  return %y : tensor<4x2x16xf32>
}

// JAX has the first operand's dimensions first, also where that is the weight.
// CHECK-LABEL: @columns_first
// CHECK: %[[Y:.*]] = attn.linear ins(%{{.*}}, %arg1 : tensor<4x8xf32>, tensor<8x16xf32>)
// CHECK: linalg.transpose ins(%[[Y]] : tensor<4x16xf32>) {{.*}} permutation = [1, 0]
func.func @columns_first(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<16x4xf32> {
  %zero = arith.constant 0.0 : f32
  %a = attn.activation relu %x : tensor<4x8xf32>
  %e = tensor.empty() : tensor<16x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x4xf32>) -> tensor<16x4xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(n, i, k) -> (k, n)>, affine_map<(n, i, k) -> (i, k)>, affine_map<(n, i, k) -> (n, i)>]
      ins(%w, %a : tensor<8x16xf32>, tensor<4x8xf32>) outs(%z : tensor<16x4xf32>) -> tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

// All places change.
// CHECK-LABEL: @columns_before_two_rows
// CHECK: %[[Y:.*]] = attn.linear ins(%{{.*}}, %arg1 : tensor<2x4x8xf32>, tensor<8x16xf32>)
// CHECK: linalg.transpose ins(%[[Y]] : tensor<2x4x16xf32>) outs(%{{.*}} : tensor<16x2x4xf32>) permutation = [2, 0, 1]
func.func @columns_before_two_rows(%x: tensor<2x4x8xf32>, %w: tensor<8x16xf32>) -> tensor<16x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %a = attn.activation relu %x : tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<16x2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x2x4xf32>) -> tensor<16x2x4xf32>
  %y = linalg.contract indexing_maps = [affine_map<(n, b, i, k) -> (k, n)>, affine_map<(n, b, i, k) -> (b, i, k)>, affine_map<(n, b, i, k) -> (n, b, i)>]
      ins(%w, %a : tensor<8x16xf32>, tensor<2x4x8xf32>) outs(%z : tensor<16x2x4xf32>) -> tensor<16x2x4xf32>
  return %y : tensor<16x2x4xf32>
}

// Rows may be unknown.
// CHECK-LABEL: @unknown_rows
// CHECK: attn.linear ins(%arg0, %{{.*}} : tensor<?x?x8xf32>, tensor<8x15xf32>) outs(%{{.*}} : tensor<?x?x15xf32>)
// CHECK: tensor.expand_shape
func.func @unknown_rows(%x: tensor<?x?x8xf32>, %w: tensor<8x3x5xf32>) -> tensor<?x?x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?x3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x3x5xf32>) -> tensor<?x?x3x5xf32>
  %y = linalg.contract indexing_maps = [affine_map<(b, i, n, h, k) -> (b, i, k)>, affine_map<(b, i, n, h, k) -> (k, n, h)>, affine_map<(b, i, n, h, k) -> (b, i, n, h)>]
      ins(%x, %w : tensor<?x?x8xf32>, tensor<8x3x5xf32>) outs(%z : tensor<?x?x3x5xf32>) -> tensor<?x?x3x5xf32>
  return %y : tensor<?x?x3x5xf32>
}

// A batch of one text of unknown length: the layer has rows as the sum behind
// it, which has a dimension more.
// CHECK-LABEL: @one_text
// CHECK: %[[X:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [1, %{{.*}}, 8] : tensor<?x8xf32> into tensor<1x?x8xf32>
// CHECK: attn.linear ins(%[[X]], %arg1 : tensor<1x?x8xf32>, tensor<8x16xf32>)
func.func @one_text(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %r: tensor<1x?x16xf32>) -> tensor<1x?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %a = attn.activation relu %x : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%a, %w : tensor<?x8xf32>, tensor<8x16xf32>) outs(%z : tensor<?x16xf32>) -> tensor<?x16xf32>
  %t = tensor.expand_shape %y [[0, 1], [2]] output_shape [1, %n, 16] : tensor<?x16xf32> into tensor<1x?x16xf32>
  %s = tensor.empty(%n) : tensor<1x?x16xf32>
  %o = linalg.add ins(%t, %r : tensor<1x?x16xf32>, tensor<1x?x16xf32>) outs(%s : tensor<1x?x16xf32>) -> tensor<1x?x16xf32>
  return %o : tensor<1x?x16xf32>
}

// Sizes that are 1 by one op and unknown by the next: the layer is found where
// they agree.
// CHECK-LABEL: @contradiction
// CHECK: attn.linear ins(%{{.*}}, %arg1 : tensor<1x1x8xf32>, tensor<8x16xf32>)
// CHECK: tensor.cast
func.func @contradiction(%x: tensor<1x1x8xf32>, %w: tensor<8x16xf32>, %n: index, %m: index) -> tensor<1x?x?x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x1x8xf32> into tensor<1x8xf32>
  %e = tensor.empty() : tensor<1x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16xf32>) -> tensor<1x16xf32>
  %y = linalg.matmul ins(%c, %w : tensor<1x8xf32>, tensor<8x16xf32>) outs(%z : tensor<1x16xf32>) -> tensor<1x16xf32>
  %s = tensor.expand_shape %y [[0, 1], [2, 3]] output_shape [1, 1, 4, 4] : tensor<1x16xf32> into tensor<1x1x4x4xf32>
  %t = tensor.cast %s : tensor<1x1x4x4xf32> to tensor<?x?x4x4xf32>
  %u = tensor.expand_shape %t [[0, 1], [2], [3], [4]] output_shape [1, %n, %m, 4, 4] : tensor<?x?x4x4xf32> into tensor<1x?x?x4x4xf32>
  return %u : tensor<1x?x?x4x4xf32>
}

// Both sizes are cast to 1, as torch-mlir does with two unknown ones: the layer is
// one of the cast tensor's row, not of the rows before it.
// CHECK-LABEL: @cast_rows(
// CHECK: %[[X:.*]] = tensor.collapse_shape
// CHECK: attn.linear ins(%[[X]], %arg1 : tensor<1x8xf32>, tensor<8x16xf32>)
func.func @cast_rows(%x: tensor<?x?x8xf32>, %w: tensor<8x16xf32>) -> tensor<1x16xf32> {
  %zero = arith.constant 0.0 : f32
  %cast = tensor.cast %x : tensor<?x?x8xf32> to tensor<1x1x8xf32>
  %row = tensor.collapse_shape %cast [[0, 1], [2]] : tensor<1x1x8xf32> into tensor<1x8xf32>
  %e = tensor.empty() : tensor<1x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16xf32>) -> tensor<1x16xf32>
  %y = linalg.matmul ins(%row, %w : tensor<1x8xf32>, tensor<8x16xf32>) outs(%z : tensor<1x16xf32>) -> tensor<1x16xf32>
  return %y : tensor<1x16xf32>
}
