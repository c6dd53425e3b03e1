// RUN: attn-opt %s -o /dev/null --attn-analyze-work=text=- | FileCheck %s --check-prefixes=CHECK,RAW
// RUN: attn-opt %s -o /dev/null --attn-raise-pipeline --attn-analyze-work=text=- 2>/dev/null | FileCheck %s
// RUN: attn-opt %s -o /dev/null --attn-raise-pipeline --attn-expand-blocks --attn-analyze-work=text=- 2>/dev/null | FileCheck %s
// RUN: attn-opt %s -o /dev/null --attn-raise-pipeline --attn-fuse-epilogue --attn-fuse-residual-norm --attn-fuse-elementwise --attn-analyze-work=text=- 2>/dev/null | FileCheck %s
// RUN: attn-opt %s -o /dev/null --attn-expand-blocks --attn-fuse-epilogue --attn-analyze-work=text=- 2>/dev/null | FileCheck %s
// RUN: attn-opt %examples/torch_sdpa_mask.mlir -o /dev/null --attn-analyze-work=text=- | FileCheck %s --check-prefix=MASK
// Exported models have weights for arguments. They count before and after they
// are raised, expanded and fused, and are as many.

// Masks that are constants are no parameters.
// MASK: total 0

// A layer with a transposed weight and a bias that was repeated: 64 * 32 + 32,
// read where the transpose, or the product, is.
// CHECK-LABEL: @layer
// RAW: linalg.matmul 2048
// RAW: arith.addf 32
// CHECK: total 2080
func.func @layer(%x: tensor<48x64xf32>, %w: tensor<32x64xf32>, %b: tensor<32xf32>) -> tensor<48x32xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<64x32xf32>
  %e = tensor.empty() : tensor<48x32xf32>
  %t = linalg.transpose ins(%w : tensor<32x64xf32>) outs(%et : tensor<64x32xf32>) permutation = [1, 0]
  %y0 = linalg.fill ins(%zero : f32) outs(%e : tensor<48x32xf32>) -> tensor<48x32xf32>
  %y = linalg.matmul ins(%x, %t : tensor<48x64xf32>, tensor<64x32xf32>) outs(%y0 : tensor<48x32xf32>) -> tensor<48x32xf32>
  %bs = linalg.broadcast ins(%b : tensor<32xf32>) outs(%e : tensor<48x32xf32>) dimensions = [0]
  %z = arith.addf %y, %bs : tensor<48x32xf32>
  return %z : tensor<48x32xf32>
}

// An RMSNorm with its gain: 64.
// CHECK-LABEL: @norm
// CHECK: total 64
func.func @norm(%x: tensor<48x64xf32>, %g: tensor<64xf32>) -> tensor<48x64xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 64.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %r = tensor.empty() : tensor<48xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%r : tensor<48xf32>) -> tensor<48xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<48x64xf32>) outs(%r0 : tensor<48xf32>) {
  ^bb0(%a: f32, %s: f32):
    %m = arith.mulf %a, %a : f32
    %n = arith.addf %s, %m : f32
    linalg.yield %n : f32
  } -> tensor<48xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %sum, %g : tensor<48x64xf32>, tensor<48xf32>, tensor<64xf32>) outs(%e : tensor<48x64xf32>) {
  ^bb0(%a: f32, %s: f32, %gain: f32, %out: f32):
    %mean = arith.divf %s, %count : f32
    %safe = arith.addf %mean, %eps : f32
    %root = math.rsqrt %safe : f32
    %n = arith.mulf %a, %root : f32
    %o = arith.mulf %n, %gain : f32
    linalg.yield %o : f32
  } -> tensor<48x64xf32>
  return %y : tensor<48x64xf32>
}

// ReZero: alpha is one parameter beside the 64 * 64 of the branch, in a sum as
// in attn.residual, as in an epilogue.
// CHECK-LABEL: @rezero
// CHECK: total 4097
func.func @rezero(%x: tensor<48x64xf32>, %w: tensor<64x64xf32>, %alpha: tensor<f32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %y = attn.residual rezero(%x : tensor<48x64xf32>) alpha(%alpha : tensor<f32>) branch {
  ^bb0(%h: tensor<48x64xf32>):
    %f = attn.linear ins(%h, %w : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
    attn.yield %f : tensor<48x64xf32>
  }
  return %y : tensor<48x64xf32>
}

// Keys and values are no weights, though they are matrices: a softmax lies
// between the two products. The matrix of a classifier is one: 64 * 10.
// CHECK-LABEL: @attention
// CHECK: total 0
func.func @attention(%q: tensor<48x64xf32>, %k: tensor<64x48xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<48x48xf32>
  %o = tensor.empty() : tensor<48x64xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<48x48xf32>) -> tensor<48x48xf32>
  %s = linalg.matmul ins(%q, %k : tensor<48x64xf32>, tensor<64x48xf32>) outs(%s0 : tensor<48x48xf32>) -> tensor<48x48xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<48x48xf32>) outs(%i : tensor<48x48xf32>) -> tensor<48x48xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%o : tensor<48x64xf32>) -> tensor<48x64xf32>
  %r = linalg.matmul ins(%p, %v : tensor<48x48xf32>, tensor<48x64xf32>) outs(%o0 : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %r : tensor<48x64xf32>
}

// CHECK-LABEL: @classifier
// CHECK: total 640
func.func @classifier(%x: tensor<48x64xf32>, %w: tensor<64x10xf32>) -> tensor<48x10xf32> {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<48x10xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%i : tensor<48x10xf32>) -> tensor<48x10xf32>
  %s = linalg.matmul ins(%x, %w : tensor<48x64xf32>, tensor<64x10xf32>) outs(%s0 : tensor<48x10xf32>) -> tensor<48x10xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<48x10xf32>) outs(%i : tensor<48x10xf32>) -> tensor<48x10xf32>
  return %p : tensor<48x10xf32>
}

// What is added row by row, or as a row that is given, is data.
// CHECK-LABEL: @data
// CHECK: total 0
func.func @data(%x: tensor<1x64xf32>, %y: tensor<1x64xf32>, %c: tensor<48xf32>, %z: tensor<48x64xf32>) -> (tensor<1x64xf32>, tensor<48x64xf32>) {
  %e = tensor.empty() : tensor<48x64xf32>
  %a = arith.addf %x, %y : tensor<1x64xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%z, %c : tensor<48x64xf32>, tensor<48xf32>) outs(%e : tensor<48x64xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %m = arith.mulf %l, %r : f32
    linalg.yield %m : f32
  } -> tensor<48x64xf32>
  return %a, %b : tensor<1x64xf32>, tensor<48x64xf32>
}
