// Heads as views of slices of one projection, and heads whose collapsed result is
// multiplied by a gate: the attention is found before the collapse.

// RUN: attn-opt %s --attn-raise-attention | FileCheck %s
// RUN: attn-run %s --entry=chunk --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=chunk --portable --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=gate --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=gate --portable --check | FileCheck %s --check-prefix=MATCH
// MATCH: match

#q = affine_map<(b, h, m, n, d) -> (b, m, h, d)>
#k = affine_map<(b, h, m, n, d) -> (b, n, h, d)>
#s = affine_map<(b, h, m, n, d) -> (b, h, m, n)>
#p = affine_map<(b, h, m, d, n) -> (b, h, m, n)>
#v = affine_map<(b, h, m, d, n) -> (b, n, h, d)>
#o = affine_map<(b, h, m, d, n) -> (b, h, m, d)>

// CHECK-LABEL: @chunk
// CHECK: %[[O:.*]] = attn.attention
// CHECK-SAME: -> tensor<1x5x2x4xf32>
// CHECK: tensor.collapse_shape %[[O]]
func.func @chunk(%qkv: tensor<1x5x24xf32>) -> tensor<1x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %q = tensor.extract_slice %qkv[0, 0, 0] [1, 5, 8] [1, 1, 1] : tensor<1x5x24xf32> to tensor<1x5x8xf32>
  %k = tensor.extract_slice %qkv[0, 0, 8] [1, 5, 8] [1, 1, 1] : tensor<1x5x24xf32> to tensor<1x5x8xf32>
  %v = tensor.extract_slice %qkv[0, 0, 16] [1, 5, 8] [1, 1, 1] : tensor<1x5x24xf32> to tensor<1x5x8xf32>
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
  %e = tensor.empty() : tensor<1x2x5x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%qh, %kh : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>)
      outs(%z : tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %w = linalg.softmax dimension(3) ins(%s : tensor<1x2x5x5xf32>) outs(%e : tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %eo = tensor.empty() : tensor<1x2x5x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<1x2x5x4xf32>) -> tensor<1x2x5x4xf32>
  %a = linalg.contract indexing_maps = [#p, #v, #o] ins(%w, %vh : tensor<1x2x5x5xf32>, tensor<1x5x2x4xf32>)
      outs(%zo : tensor<1x2x5x4xf32>) -> tensor<1x2x5x4xf32>
  %et = tensor.empty() : tensor<1x5x2x4xf32>
  %t = linalg.transpose ins(%a : tensor<1x2x5x4xf32>) outs(%et : tensor<1x5x2x4xf32>) permutation = [0, 2, 1, 3]
  %r = tensor.collapse_shape %t [[0], [1], [2, 3]] : tensor<1x5x2x4xf32> into tensor<1x5x8xf32>
  return %r : tensor<1x5x8xf32>
}

// CHECK-LABEL: @gate
// CHECK: %[[O:.*]] = attn.attention
// CHECK-SAME: -> tensor<1x5x2x4xf32>
// CHECK: %[[R:.*]] = tensor.collapse_shape %[[O]]
// CHECK: linalg.mul ins(%[[R]], %{{.*}}
func.func @gate(%q: tensor<1x5x8xf32>, %k: tensor<1x5x8xf32>, %v: tensor<1x5x8xf32>, %g: tensor<1x5x8xf32>) -> tensor<1x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
  %e = tensor.empty() : tensor<1x2x5x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%qh, %kh : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>)
      outs(%z : tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %w = linalg.softmax dimension(3) ins(%s : tensor<1x2x5x5xf32>) outs(%e : tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %eo = tensor.empty() : tensor<1x2x5x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<1x2x5x4xf32>) -> tensor<1x2x5x4xf32>
  %a = linalg.contract indexing_maps = [#p, #v, #o] ins(%w, %vh : tensor<1x2x5x5xf32>, tensor<1x5x2x4xf32>)
      outs(%zo : tensor<1x2x5x4xf32>) -> tensor<1x2x5x4xf32>
  %et = tensor.empty() : tensor<1x5x2x4xf32>
  %t = linalg.transpose ins(%a : tensor<1x2x5x4xf32>) outs(%et : tensor<1x5x2x4xf32>) permutation = [0, 2, 1, 3]
  %c = tensor.collapse_shape %t [[0], [1], [2, 3]] : tensor<1x5x2x4xf32> into tensor<1x5x8xf32>
  %er = tensor.empty() : tensor<1x5x8xf32>
  %r = linalg.mul ins(%c, %g : tensor<1x5x8xf32>, tensor<1x5x8xf32>) outs(%er : tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %r : tensor<1x5x8xf32>
}
