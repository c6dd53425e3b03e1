// RUN: attn-run %s --check | FileCheck %s
// RUN: attn-run %s --check --portable | FileCheck %s
// RUN: attn-run %s --check --target=nvptx:sm_80 --simulate=0 | FileCheck %s

// Without dimensions of batch and heads a region sees index 0 of both, and ALiBi head 0 of 1.
// CHECK: out0 against f64 reference: match
// CHECK: out1 against f64 reference: match
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<40x16xf32>, %k: tensor<40x16xf32>, %v: tensor<40x16xf32>) -> (tensor<40x16xf32>, tensor<40x16xf32>) {
  %init = tensor.empty() : tensor<40x16xf32>
  %a = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) bias [#attn.alibi] masks [#attn.causal] indexing_maps [#q, #k, #v, #o]
    ins(%q, %k, %v : tensor<40x16xf32>, tensor<40x16xf32>, tensor<40x16xf32>) outs(%init : tensor<40x16xf32>) -> tensor<40x16xf32>
  %b = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) indexing_maps [#q, #k, #v, #o]
    ins(%q, %k, %v : tensor<40x16xf32>, tensor<40x16xf32>, tensor<40x16xf32>) outs(%init : tensor<40x16xf32>) score {
    ^bb0(%s: f32, %batch: index, %head: index, %row: index, %column: index):
      %first = arith.addi %head, %batch : index
      %h = arith.index_cast %first : index to i64
      %hf = arith.sitofp %h : i64 to f32
      %cf = arith.index_cast %column : index to i64
      %c = arith.sitofp %cf : i64 to f32
      %x = arith.mulf %hf, %c : f32
      %r = arith.addf %s, %x : f32
      attn.yield %r : f32
    } -> tensor<40x16xf32>
  return %a, %b : tensor<40x16xf32>, tensor<40x16xf32>
}
