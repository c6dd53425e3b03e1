// RUN: attn-opt %s --attn-raise-linear 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK: [attn-r131] raised to attn.linear with bias
// REMARK: [attn-r131] raised to attn.linear{{$}}
// REMARK-NOT: attn-r132

#id = affine_map<(i, j) -> (i, j)>

// nn.Linear: rows are collapsed, the weight is transposed, the bias is spread.
// Nothing of it is left.
// CHECK-LABEL: @torch
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<2x4x16xf32>
// CHECK-NEXT: attn.linear weight(out_in) ins(%arg0, %arg1, %arg2 : tensor<2x4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) outs(%[[E]] : tensor<2x4x16xf32>)
// CHECK-NEXT: return
func.func @torch(%x: tensor<2x4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> tensor<2x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x4x8xf32> into tensor<8x8xf32>
  %ew = tensor.empty() : tensor<8x16xf32>
  %t = linalg.transpose ins(%w : tensor<16x8xf32>) outs(%ew : tensor<8x16xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<8x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %p = linalg.matmul ins(%c, %t : tensor<8x8xf32>, tensor<8x16xf32>) outs(%z : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<8x16xf32>) dimensions = [0]
  %y = linalg.add ins(%p, %s : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 4, 16] : tensor<8x16xf32> into tensor<2x4x16xf32>
  return %r : tensor<2x4x16xf32>
}

// JAX: one contraction of all rows. A row may be dynamic.
// CHECK-LABEL: @jax
// CHECK: attn.linear ins(%arg0, %arg1 : tensor<2x?x8xf32>, tensor<8x16xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @jax(%x: tensor<2x?x8xf32>, %w: tensor<8x16xf32>) -> tensor<2x?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x8xf32>
  %e = tensor.empty(%n) : tensor<2x?x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x16xf32>) -> tensor<2x?x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, n, k) -> (b, i, k)>, affine_map<(b, i, n, k) -> (k, n)>, affine_map<(b, i, n, k) -> (b, i, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x?x8xf32>, tensor<8x16xf32>) outs(%z : tensor<2x?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %acc, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x?x16xf32>
  return %y : tensor<2x?x16xf32>
}

// A batched product with a matrix that is the same for the whole batch.
// CHECK-LABEL: @broadcast_weight
// CHECK: attn.linear ins(%arg0, %arg1 : tensor<2x4x8xf32>, tensor<8x16xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @broadcast_weight(%x: tensor<2x4x8xf32>, %w: tensor<8x16xf32>) -> tensor<2x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %ew = tensor.empty() : tensor<2x8x16xf32>
  %t = linalg.broadcast ins(%w : tensor<8x16xf32>) outs(%ew : tensor<2x8x16xf32>) dimensions = [0]
  %e = tensor.empty() : tensor<2x4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %y = linalg.batch_matmul ins(%x, %t : tensor<2x4x8xf32>, tensor<2x8x16xf32>) outs(%z : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// The product starts from the bias, in place of zeros.
// CHECK-LABEL: @bias_as_start
// CHECK: attn.linear ins(%arg0, %arg1, %arg2 : tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @bias_as_start(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %s = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<4x16xf32>) dimensions = [0]
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%s : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// A product divided by the root of the fan-in, with a bias after it.
// CHECK-LABEL: @ntk
// CHECK: attn.linear parameterisation(ntk) ins(%arg0, %arg1, %arg2 : tensor<4x64xf32>, tensor<64x16xf32>, tensor<16xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @ntk(%x: tensor<4x64xf32>, %w: tensor<64x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x64xf32>, tensor<64x16xf32>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4x16xf32>, tensor<16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %root = arith.constant 8.0 : f32
    %s = arith.divf %a, %root : f32
    %t = arith.addf %s, %c : f32
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// A residual is no part of the layer yet: attn-fuse-epilogue takes it in.
// CHECK-LABEL: @residual
// CHECK: %[[Y:.*]] = attn.linear ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x8xf32>)
// CHECK: linalg.add ins(%arg0, %[[Y]]
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.add ins(%x, %p : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// What is added is one number for all elements, not a bias.
// CHECK-LABEL: @scalar_behind
// CHECK: %[[S:.*]] = tensor.extract %arg2[] : tensor<f32>
// CHECK: %[[Y:.*]] = attn.linear ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x1xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[S]]
func.func @scalar_behind(%x: tensor<4x8xf32>, %w: tensor<8x1xf32>, %b: tensor<f32>) -> tensor<4x1xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract %b[] : tensor<f32>
  %e = tensor.empty() : tensor<4x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x1xf32>) -> tensor<4x1xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x1xf32>) outs(%z : tensor<4x1xf32>) -> tensor<4x1xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<4x1xf32>, f32) outs(%e : tensor<4x1xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %t = arith.addf %a, %c : f32
    linalg.yield %t : f32
  } -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}

// PyTorch keeps [row, batch, element] around attention: with a batch of one, a
// transpose moves nothing, and a reshape is enough.
// CHECK-LABEL: @row_major
// CHECK: %[[C:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32>
// CHECK: attn.linear weight(out_in) ins(%[[C]], %arg1 : tensor<4x8xf32>, tensor<16x8xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @row_major(%x: tensor<1x4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x1x8xf32>
  %t = linalg.transpose ins(%x : tensor<1x4x8xf32>) outs(%et : tensor<4x1x8xf32>) permutation = [1, 0, 2]
  %c = tensor.collapse_shape %t [[0], [1, 2]] : tensor<4x1x8xf32> into tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (n, k)>, affine_map<(i, n, k) -> (i, n)>]
      ins(%c, %w : tensor<4x8xf32>, tensor<16x8xf32>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// bf16 accumulates in f32 and is rounded after the bias.
// CHECK-LABEL: @narrow
// CHECK: attn.linear ins(%arg0, %arg1, %arg2 : tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xbf16>) outs(%{{.*}} : tensor<4x16xbf16>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @narrow(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xbf16>) -> tensor<4x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x8xbf16>, tensor<8x16xbf16>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  %h = tensor.empty() : tensor<4x16xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4x16xf32>, tensor<16xbf16>) outs(%h : tensor<4x16xbf16>) {
  ^bb0(%a: f32, %c: bf16, %out: bf16):
    %w0 = arith.extf %c : bf16 to f32
    %s = arith.addf %a, %w0 : f32
    %t = arith.truncf %s : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4x16xbf16>
  return %y : tensor<4x16xbf16>
}

// The bias is added in a loop: the layer stays in front of it, without one.
// CHECK-LABEL: @bias_in_loop
// CHECK: attn.linear ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x6xf32>) outs
// CHECK: scf.for
// CHECK-NOT: attn.linear
func.func @bias_in_loop(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<4x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %z) -> tensor<4x6xf32> {
    %o = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%y, %b : tensor<4x6xf32>, tensor<6xf32>) outs(%e : tensor<4x6xf32>) {
    ^bb0(%p: f32, %q: f32, %out: f32):
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    } -> tensor<4x6xf32>
    %s = linalg.add ins(%a, %o : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
    scf.yield %s : tensor<4x6xf32>
  }
  return %r : tensor<4x6xf32>
}

// One row that lies as a column. The weight's layout follows its own indices.
// CHECK-LABEL: @column_as_row
// CHECK: %[[C:.*]] = tensor.collapse_shape %arg0 {{\[\[0, 1\]\]}} : tensor<8x1xf32> into tensor<8xf32>
// CHECK: %[[R:.*]] = tensor.expand_shape %[[C]] {{\[\[0, 1\]\]}} output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
// CHECK: attn.linear weight(out_in) ins(%[[R]], %arg1 : tensor<1x8xf32>, tensor<6x8xf32>) outs(%{{.*}} : tensor<1x6xf32>)
func.func @column_as_row(%x: tensor<8x1xf32>, %w: tensor<6x8xf32>) -> tensor<1x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6xf32>) -> tensor<1x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x1xf32>, tensor<6x8xf32>) outs(%z : tensor<1x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x6xf32>
  return %y : tensor<1x6xf32>
}

// torch-mlir widens input, weight and bias of a bf16 layer for the sum. None of
// that is left.
// CHECK-LABEL: @widened
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<4x16xbf16>
// CHECK-NEXT: attn.linear weight(out_in) ins(%arg0, %arg1, %arg2 : tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<16xbf16>) outs(%[[E]] : tensor<4x16xbf16>)
// CHECK-NEXT: return
func.func @widened(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %b: tensor<16xbf16>) -> tensor<4x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<8x16xbf16>
  %t = linalg.transpose ins(%w : tensor<16x8xbf16>) outs(%et : tensor<8x16xbf16>) permutation = [1, 0]
  %ex = tensor.empty() : tensor<4x8xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xbf16>) outs(%ex : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %u = arith.extf %a : bf16 to f32
    linalg.yield %u : f32
  } -> tensor<4x8xf32>
  %ew = tensor.empty() : tensor<8x16xf32>
  %wideWeight = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<8x16xbf16>) outs(%ew : tensor<8x16xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %u = arith.extf %a : bf16 to f32
    linalg.yield %u : f32
  } -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %m = linalg.matmul ins(%wide, %wideWeight : tensor<4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  %en = tensor.empty() : tensor<4x16xbf16>
  %y = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<4x16xf32>, tensor<16xbf16>) outs(%en : tensor<4x16xbf16>) {
  ^bb0(%a: f32, %c: bf16, %out: bf16):
    %u = arith.extf %c : bf16 to f32
    %v = arith.addf %a, %u : f32
    %n = arith.truncf %v : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<4x16xbf16>
  return %y : tensor<4x16xbf16>
}

// Only the weight was widened: the layer is that of f32.
// CHECK-LABEL: @widened_weight
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<8x16xbf16>)
// CHECK: attn.linear ins(%arg0, %[[W]] : tensor<4x8xf32>, tensor<8x16xf32>)
func.func @widened_weight(%x: tensor<4x8xf32>, %w: tensor<8x16xbf16>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %ew = tensor.empty() : tensor<8x16xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x16xbf16>) outs(%ew : tensor<8x16xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %u = arith.extf %a : bf16 to f32
    linalg.yield %u : f32
  } -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.matmul ins(%x, %wide : tensor<4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// Elements that were made narrower are others.
// CHECK-LABEL: @narrowed_input
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<4x8xf32>)
// CHECK: attn.linear ins(%[[X]], %arg1 : tensor<4x8xbf16>, tensor<8x16xbf16>)
func.func @narrowed_input(%x: tensor<4x8xf32>, %w: tensor<8x16xbf16>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<4x8xbf16>
  %narrow = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%ex : tensor<4x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %u = arith.truncf %a : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<4x8xbf16>
  %e = tensor.empty() : tensor<4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.matmul ins(%narrow, %w : tensor<4x8xbf16>, tensor<8x16xbf16>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
