// A product in which heads share a head of keys, and one that reads a dimension once: plain loops, and right.
// RUN: attn-run %s --entry=shared_heads --check | FileCheck %s
// RUN: attn-run %s --entry=first_row --check | FileCheck %s
// CHECK: match
func.func @shared_heads(%a: tensor<2x4x4x8xf32>, %b: tensor<2x2x6x8xf32>, %c: tensor<2x4x4x6xf32>) -> tensor<2x4x4x6xf32> {
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

func.func @first_row(%a: tensor<2x4x3x8xf32>, %b: tensor<1x6x8xf32>, %c: tensor<2x4x3x6xf32>) -> tensor<2x4x3x6xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, h, m, k)>, affine_map<(b, h, m, n, k) -> (0, n, k)>, affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x4x3x8xf32>, tensor<1x6x8xf32>) outs(%c : tensor<2x4x3x6xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x3x6xf32>
  return %0 : tensor<2x4x3x6xf32>
}
