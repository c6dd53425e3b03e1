// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-schedule-contractions --split-input-file --verify-diagnostics | FileCheck %s

// Two loops of terms that lie side by side in both operands are one.
// CHECK-LABEL: @two_terms
// CHECK: %[[A:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2]]
// CHECK: %[[B:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0, 1], [2]]
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "reduction"]{{.*}} ins(%[[A]], %[[B]] : tensor<4x30xf32>, tensor<30x8xf32>){{.*}}attn.contraction
func.func @two_terms(%a: tensor<4x5x6xf32>, %b: tensor<5x6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @+1 {{[attn-r241] matrix product in blocks}}
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>, affine_map<(m, n, k, l) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<4x5x6xf32>, tensor<5x6x8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// What the numbers of a product may become stays.
// CHECK-LABEL: @parts
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<4x30xf32>, tensor<30x8xf32>){{.*}}attn.products = #attn.products<bf16x3>
func.func @parts(%a: tensor<4x5x6xf32>, %b: tensor<5x6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @+2 {{[attn-r241] matrix product in blocks}}
  // expected-remark @+1 {{[attn-r247] products in parts of bf16 are not made}}
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>, affine_map<(m, n, k, l) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<4x5x6xf32>, tensor<5x6x8xf32>) outs(%c : tensor<4x8xf32>) attrs = {attn.products = #attn.products<bf16x3>} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Terms that do not: the smaller operand is copied, with the terms as the other has them.
// CHECK-LABEL: @terms_apart
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg0 : tensor<5x4x6xf32>) outs(%{{.*}} : tensor<4x5x6xf32>) permutation = [1, 0, 2]
// CHECK: tensor.collapse_shape %[[T]] {{\[\[}}0], [1, 2]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x30xf32>, tensor<30x8xf32>){{.*}}attn.contraction
func.func @terms_apart(%a: tensor<5x4x6xf32>, %b: tensor<5x6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @+1 {{[attn-r241] matrix product in blocks}}
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (k, m, l)>, affine_map<(m, n, k, l) -> (k, l, n)>, affine_map<(m, n, k, l) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<5x4x6xf32>, tensor<5x6x8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Rows and columns of several dimensions are one each.
// CHECK-LABEL: @columns_and_rows
// CHECK-NOT: linalg.transpose
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x5xf32>, tensor<5x12xf32>) outs(%{{.*}} : tensor<8x12xf32>){{.*}}attn.contraction
// CHECK: tensor.expand_shape %[[P]] {{\[\[}}0, 1], [2, 3]] output_shape [2, 4, 3, 4]
func.func @columns_and_rows(%a: tensor<2x4x5xf32>, %b: tensor<5x3x4xf32>, %c: tensor<2x4x3x4xf32>) -> tensor<2x4x3x4xf32> {
  // expected-remark @+1 {{[attn-r241] matrix product in blocks}}
  %0 = linalg.generic {indexing_maps = [affine_map<(b, t, n, h, d) -> (b, t, d)>, affine_map<(b, t, n, h, d) -> (d, n, h)>, affine_map<(b, t, n, h, d) -> (b, t, n, h)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x4x5xf32>, tensor<5x3x4xf32>) outs(%c : tensor<2x4x3x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x3x4xf32>
  return %0 : tensor<2x4x3x4xf32>
}

// -----

// Groups of rows that lie apart in the output are steps of the batch; nothing moves.
// CHECK-LABEL: @rows_as_batch
// CHECK-NOT: linalg.transpose
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic {{.*}}attn.contraction
func.func @rows_as_batch(%a: tensor<8x2x5xf32>, %b: tensor<12x5xf32>, %c: tensor<2x8x12xf32>) -> tensor<2x8x12xf32> {
  // expected-remark @+1 {{[attn-r241] matrix product in blocks}}
  %0 = linalg.generic {indexing_maps = [affine_map<(t, g, s, d) -> (t, g, d)>, affine_map<(t, g, s, d) -> (s, d)>, affine_map<(t, g, s, d) -> (g, t, s)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x2x5xf32>, tensor<12x5xf32>) outs(%c : tensor<2x8x12xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x8x12xf32>
  return %0 : tensor<2x8x12xf32>
}

// -----

// The last dimension of the output and of both operands is a batch: output and right operand are copied.
// CHECK-LABEL: @batch_last
// CHECK: linalg.transpose ins(%arg2 : tensor<8x12x2xf32>) {{.*}} permutation = [2, 0, 1]
// CHECK: linalg.transpose ins(%arg1 : tensor<5x12x2xf32>) {{.*}} permutation = [2, 0, 1]
// CHECK: %[[P:.*]] = linalg.generic {{.*}}attn.contraction
// CHECK: linalg.transpose ins(%[[P]] : tensor<2x8x12xf32>) {{.*}} permutation = [1, 2, 0]
func.func @batch_last(%a: tensor<8x5x2xf32>, %b: tensor<5x12x2xf32>, %c: tensor<8x12x2xf32>) -> tensor<8x12x2xf32> {
  // expected-remark @+1 {{[attn-r241] matrix product in blocks}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, b, k) -> (i, k, b)>, affine_map<(i, j, b, k) -> (k, j, b)>, affine_map<(i, j, b, k) -> (i, j, b)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x5x2xf32>, tensor<5x12x2xf32>) outs(%c : tensor<8x12x2xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x12x2xf32>
  return %0 : tensor<8x12x2xf32>
}

// -----

// A sum along what both operands have is a reduction, not a product of matrices: it has no remark.
// CHECK-LABEL: @no_rows_or_columns
// CHECK-NOT: attn.contraction
func.func @no_rows_or_columns(%a: tensor<8x5xf32>, %b: tensor<8x5xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  // No remark.
  %0 = linalg.generic {indexing_maps = [affine_map<(b, k) -> (b, k)>, affine_map<(b, k) -> (b, k)>, affine_map<(b, k) -> (b)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<8x5xf32>, tensor<8x5xf32>) outs(%c : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A loop of terms that one operand lacks: no product of two tensors.
// CHECK-LABEL: @loop_of_one
// CHECK-NOT: attn.contraction
func.func @loop_of_one(%a: tensor<4x5x6xf32>, %b: tensor<5x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @+1 {{[attn-r242] matrix product as plain loops: a loop is neither one of a batch, of terms, nor of one operand and the output}}
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n)>, affine_map<(m, n, k, l) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<4x5x6xf32>, tensor<5x8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Heads that share a head of keys: their loop is joined with no other, whatever the output would allow.
// CHECK-LABEL: @shared_heads
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<2x4x4x8xf32>, tensor<2x2x6x8xf32>)
// CHECK-NOT: attn.contraction
func.func @shared_heads(%a: tensor<2x4x4x8xf32>, %b: tensor<2x2x6x8xf32>, %c: tensor<2x4x4x6xf32>) -> tensor<2x4x4x6xf32> {
  // expected-remark @+1 {{[attn-r242] matrix product as plain loops: an operand is read otherwise than by plain indices}}
  %0 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, h, m, k)>, affine_map<(b, h, m, n, k) -> (b, h floordiv 2, n, k)>, affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x4x4x8xf32>, tensor<2x2x6x8xf32>) outs(%c : tensor<2x4x4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4x6xf32>
  return %0 : tensor<2x4x4x6xf32>
}
