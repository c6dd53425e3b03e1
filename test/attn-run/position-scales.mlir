// A scale by the row's position in a packed document on the portable path: the
// starts of segments are a tensor of index. And one that is solved by a series,
// for rows of a softmax along the last dimension: its table is no tensor, which
// would come too late for memrefs.

// RUN: attn-run %s --check | FileCheck %s
// RUN: attn-run %s --portable --check | FileCheck %s
// RUN: attn-compile %s --target=cpu:x86-64 -o %t
// CHECK-COUNT-4: match

func.func @f(%q: tensor<2x2x20x16xf32>, %ids: tensor<2x20xi32>, %s: tensor<3x17xf32>, %rows: tensor<3xi64>)
    -> (tensor<2x2x20x16xf32>, tensor<3x17xf32>, tensor<3x17xf32>, tensor<3x17xf32>) {
  %o = tensor.empty() : tensor<2x2x20x16xf32>
  %0 = attn.attention scale(#attn.log_length<base = 8.0, n = position>) softmax(#attn.softmax) align(top_left)
      masks [#attn.causal, #attn.segment_ids]
      ins(%q, %q, %q : tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>)
      params(%ids, %ids : tensor<2x20xi32>, tensor<2x20xi32>) outs(%o : tensor<2x2x20x16xf32>) -> tensor<2x2x20x16xf32>
  %e = tensor.empty() : tensor<3x17xf32>
  %1 = attn.softmax scale(#attn.gradient_max<scores = cosine, n = position>) softmax(#attn.softmax) head_dim(64)
      align(top_left) ins(%s : tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) -> tensor<3x17xf32>
  %2 = attn.softmax scale(#attn.gradient_max<scores = cosine, n = position_operand>) softmax(#attn.softmax) head_dim(64)
      ins(%s : tensor<3x17xf32>) params(%rows : tensor<3xi64>) outs(%e : tensor<3x17xf32>) -> tensor<3x17xf32>
  %3 = attn.softmax scale(#attn.gradient_max<scores = normal, n = position>) softmax(#attn.softmax) head_dim(64)
      align(bottom_right) ins(%s : tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) -> tensor<3x17xf32>
  return %0, %1, %2, %3 : tensor<2x2x20x16xf32>, tensor<3x17xf32>, tensor<3x17xf32>, tensor<3x17xf32>
}
