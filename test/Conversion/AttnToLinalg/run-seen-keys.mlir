// Few keys are seen, so that one more or less is another scale: n against the reference.
//
// RUN: attn-run %s --entry=document --check | FileCheck %s
// RUN: attn-run %s --entry=document --portable --check | FileCheck %s
// RUN: attn-run %s --entry=padding --check | FileCheck %s
// RUN: attn-run %s --entry=padding --portable --check | FileCheck %s
//
// CHECK: out0 against f64 reference: match

// Documents of three keys: a causal row sees what its document has before it, and not what lies before that.
func.func @document(%q: tensor<1x2x6x16xf32>, %k: tensor<1x2x6x16xf32>, %v: tensor<1x2x6x16xf32>) -> tensor<1x2x6x16xf32> {
  %ids = arith.constant dense<[[0, 0, 0, 1, 1, 1]]> : tensor<1x6xi32>
  %e = tensor.empty() : tensor<1x2x6x16xf32>
  %r = attn.attention scale(#attn.log_length<base = 2.0, n = seen>) softmax(#attn.softmax) align(top_left)
    masks [#attn.segment_ids, #attn.causal] ins(%q, %k, %v : tensor<1x2x6x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x16xf32>)
    params(%ids, %ids : tensor<1x6xi32>, tensor<1x6xi32>) outs(%e : tensor<1x2x6x16xf32>) -> tensor<1x2x6x16xf32>
  return %r : tensor<1x2x6x16xf32>
}

// The mask is the same for all rows, which see different numbers of keys by where they are.
func.func @padding(%q: tensor<1x2x6x16xf32>, %k: tensor<1x2x6x16xf32>, %v: tensor<1x2x6x16xf32>) -> tensor<1x2x6x16xf32> {
  %mask = arith.constant dense<[[[[true, false, true, true, false, true]]]]> : tensor<1x1x1x6xi1>
  %e = tensor.empty() : tensor<1x2x6x16xf32>
  %r = attn.attention scale(#attn.log_length<base = 2.0, n = seen>) softmax(#attn.softmax) align(top_left)
    masks [#attn.causal, #attn.dense_mask] ins(%q, %k, %v : tensor<1x2x6x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x16xf32>)
    params(%mask : tensor<1x1x1x6xi1>) outs(%e : tensor<1x2x6x16xf32>) -> tensor<1x2x6x16xf32>
  return %r : tensor<1x2x6x16xf32>
}
