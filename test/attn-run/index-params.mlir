// Segment ids and lengths that the function itself makes tensors of index: a
// kernel cannot take these as arguments, but what reads params can.

// RUN: attn-run %s --check | FileCheck %s
// RUN: attn-run %s --portable --check | FileCheck %s
// CHECK: out0 against f64 reference: match

func.func @f(%q: tensor<1x2x20x16xf32>, %ids: tensor<1x20xi32>, %lengths: tensor<1xi64>) -> tensor<1x2x20x16xf32> {
  %o = tensor.empty() : tensor<1x2x20x16xf32>
  %i = arith.index_cast %ids : tensor<1x20xi32> to tensor<1x20xindex>
  %n = arith.index_cast %lengths : tensor<1xi64> to tensor<1xindex>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.kv_lengths, #attn.segment_ids]
      ins(%q, %q, %q : tensor<1x2x20x16xf32>, tensor<1x2x20x16xf32>, tensor<1x2x20x16xf32>)
      params(%n, %i, %i : tensor<1xindex>, tensor<1x20xindex>, tensor<1x20xindex>)
      outs(%o : tensor<1x2x20x16xf32>) -> tensor<1x2x20x16xf32>
  return %0 : tensor<1x2x20x16xf32>
}
