// Heads as views of a tensor, and nothing but the collapsed heads leaves the
// function: that tensor's last dimension is head and value dimension in one, of
// which the attention before the collapse is made.

// RUN: attn-opt %s --attn-raise-attention | FileCheck %s
// RUN: attn-run %s --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --portable --check | FileCheck %s --check-prefix=MATCH

// CHECK-LABEL: @main
// CHECK: %[[O:.*]] = attn.attention
// CHECK-SAME: -> tensor<1x5x2x4xf32>
// CHECK: tensor.collapse_shape %[[O]]
// MATCH: match

#q = affine_map<(b, h, m, n, d) -> (b, m, h, d)>
#k = affine_map<(b, h, m, n, d) -> (b, n, h, d)>
#s = affine_map<(b, h, m, n, d) -> (b, h, m, n)>
#mn = affine_map<(b, h, m, n) -> (b, h, m, n)>
#row = affine_map<(b, h, m, n) -> (b, h, m)>
#p = affine_map<(b, h, m, d, n) -> (b, h, m, n)>
#v = affine_map<(b, h, m, d, n) -> (b, n, h, d)>
#o = affine_map<(b, h, m, d, n) -> (b, h, m, d)>
func.func @main(%q: tensor<1x5x8xf32>, %k: tensor<1x5x8xf32>, %v: tensor<1x5x8xf32>) -> tensor<1x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
  %e = tensor.empty() : tensor<1x2x5x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%qh, %kh : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>) outs(%z : tensor<1x2x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %x = arith.mulf %a, %b : f32
    %y = arith.addf %c, %x : f32
    linalg.yield %y : f32
  } -> tensor<1x2x5x5xf32>
  %w = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<1x2x5x5xf32>) outs(%e : tensor<1x2x5x5xf32>) {
  ^bb0(%a: f32, %c: f32):
    %x = arith.mulf %a, %half : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<1x2x5x5xf32>
  %er = tensor.empty() : tensor<1x2x5xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
  %l = linalg.generic {indexing_maps = [#mn, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w : tensor<1x2x5x5xf32>) outs(%zr : tensor<1x2x5xf32>) {
  ^bb0(%a: f32, %c: f32):
    %y = arith.addf %c, %a : f32
    linalg.yield %y : f32
  } -> tensor<1x2x5xf32>
  %p = linalg.generic {indexing_maps = [#mn, #row, #mn], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w, %l : tensor<1x2x5x5xf32>, tensor<1x2x5xf32>) outs(%e : tensor<1x2x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<1x2x5x5xf32>
  %eo = tensor.empty() : tensor<1x2x5x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<1x2x5x4xf32>) -> tensor<1x2x5x4xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %vh : tensor<1x2x5x5xf32>, tensor<1x5x2x4xf32>) outs(%zo : tensor<1x2x5x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %x = arith.mulf %a, %b : f32
    %y = arith.addf %c, %x : f32
    linalg.yield %y : f32
  } -> tensor<1x2x5x4xf32>
  %et = tensor.empty() : tensor<1x5x2x4xf32>
  %t = linalg.transpose ins(%o : tensor<1x2x5x4xf32>) outs(%et : tensor<1x5x2x4xf32>) permutation = [0, 2, 1, 3]
  %r = tensor.collapse_shape %t [[0], [1], [2, 3]] : tensor<1x5x2x4xf32> into tensor<1x5x8xf32>
  return %r : tensor<1x5x8xf32>
}
