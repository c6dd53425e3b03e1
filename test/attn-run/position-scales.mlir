// A scale by the row's position in a packed document on the portable path: the
// starts of segments are a tensor of index; a single row, too, in f32 and bf16. And one that is solved by a series,
// for rows of a softmax along the last dimension: its table is no tensor, which
// would come too late for memrefs.

// RUN: attn-run %s --check | FileCheck %s
// RUN: attn-run %s --portable --check | FileCheck %s
// RUN: attn-compile %s --target=cpu:x86-64 -o %t
// CHECK-COUNT-6: match

func.func @f(%q: tensor<2x2x20x16xf32>, %ids: tensor<2x20xi32>, %s: tensor<3x17xf32>, %rows: tensor<3xi64>,
             %row: tensor<2x2x1x16xf32>, %narrow: tensor<2x2x1x16xbf16>, %cache: tensor<2x2x20x16xbf16>, %id: tensor<2x1xi32>)
    -> (tensor<2x2x20x16xf32>, tensor<3x17xf32>, tensor<3x17xf32>, tensor<3x17xf32>, tensor<2x2x1x16xf32>, tensor<2x2x1x16xbf16>) {
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
  %r = tensor.empty() : tensor<2x2x1x16xf32>
  %4 = attn.attention scale(#attn.log_length<base = 8.0, n = position>) softmax(#attn.softmax) align(bottom_right)
      masks [#attn.causal, #attn.segment_ids]
      ins(%row, %q, %q : tensor<2x2x1x16xf32>, tensor<2x2x20x16xf32>, tensor<2x2x20x16xf32>)
      params(%id, %ids : tensor<2x1xi32>, tensor<2x20xi32>) outs(%r : tensor<2x2x1x16xf32>) -> tensor<2x2x1x16xf32>
  %n = tensor.empty() : tensor<2x2x1x16xbf16>
  %5 = attn.attention scale(#attn.log_length<base = 8.0, n = position>) softmax(#attn.softmax) align(bottom_right)
      masks [#attn.causal, #attn.segment_ids]
      ins(%narrow, %cache, %cache : tensor<2x2x1x16xbf16>, tensor<2x2x20x16xbf16>, tensor<2x2x20x16xbf16>)
      params(%id, %ids : tensor<2x1xi32>, tensor<2x20xi32>) outs(%n : tensor<2x2x1x16xbf16>) -> tensor<2x2x1x16xbf16>
  return %0, %1, %2, %3, %4, %5 : tensor<2x2x20x16xf32>, tensor<3x17xf32>, tensor<3x17xf32>, tensor<3x17xf32>, tensor<2x2x1x16xf32>, tensor<2x2x1x16xbf16>
}
