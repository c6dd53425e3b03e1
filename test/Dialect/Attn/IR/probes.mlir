// RUN: attn-opt %s --verify-roundtrip | FileCheck %s

// Probes are the last results, after o and lse, one number a row.
// CHECK-LABEL: @all
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<entropy>, #attn.probe<sum_p>, #attn.probe<sum_p2>, #attn.probe<half_gradient_norm>, #attn.probe<max_logit>] ins(
func.func @all(%q: tensor<2x16x64xf16>, %r: tensor<2x16xf32>) -> (tensor<2x16xf32>, tensor<2x16xf32>) {
  %0:7 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      probes [#attn.probe<entropy>, #attn.probe<sum_p>, #attn.probe<sum_p2>, #attn.probe<half_gradient_norm>, #attn.probe<max_logit>]
      ins(%q, %q, %q : tensor<2x16x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xf16>)
      outs(%q, %r, %r, %r, %r, %r, %r : tensor<2x16x64xf16>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>)
      -> tensor<2x16x64xf16>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>
  return %0#1, %0#2 : tensor<2x16xf32>, tensor<2x16xf32>
}

// Without lse the first probe follows o.
// CHECK-LABEL: @without_lse
// CHECK: probes [#attn.probe<max_logit>] ins({{.*}}) outs(%{{.*}}, %{{.*}} : tensor<2x16x64xf64>, tensor<2x16xf64>)
func.func @without_lse(%q: tensor<2x16x64xf64>, %r: tensor<2x16xf64>) -> tensor<2x16xf64> {
  %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<max_logit>]
      ins(%q, %q, %q : tensor<2x16x64xf64>, tensor<2x16x64xf64>, tensor<2x16x64xf64>)
      outs(%q, %r : tensor<2x16x64xf64>, tensor<2x16xf64>) -> tensor<2x16x64xf64>, tensor<2x16xf64>
  return %0#1 : tensor<2x16xf64>
}

// On tiles the statistics that the probes need follow the sum: squares and logs.
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>
// CHECK-LABEL: @tile
// CHECK: attn.online_attention scale({{.*}}) softmax({{.*}}) probes [#attn.probe<entropy>, #attn.probe<sum_p2>] {{.*}} outs(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>)
// CHECK: attn.finalize scale({{.*}}) softmax({{.*}}) probes [#attn.probe<entropy>, #attn.probe<sum_p2>] {{.*}} ins(%{{.*}}#0, %{{.*}}#1, %{{.*}}#2, %{{.*}}#3, %{{.*}}#4 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>) outs(
func.func @tile(%q: tensor<48x64xf32>, %k: tensor<16x64xf32>, %acc: tensor<64x48xf32>, %r: tensor<48xf32>, %i: index) -> tensor<48xf32> {
  %s:5 = attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<entropy>, #attn.probe<sum_p2>]
      indexing_maps [#q, #k, #v, #acc, #row, #row, #row, #row] origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %k : tensor<48x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>)
      outs(%acc, %r, %r, %r, %r : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>)
      -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>
  %0:3 = attn.finalize scale(#attn.none) softmax(#attn.softmax) probes [#attn.probe<entropy>, #attn.probe<sum_p2>]
      indexing_maps [#acc, #row, #row, #row, #row, #o, #row, #row] origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%s#0, %s#1, %s#2, %s#3, %s#4 : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>)
      outs(%q, %r, %r : tensor<48x64xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<48x64xf32>, tensor<48xf32>, tensor<48xf32>
  return %0#1 : tensor<48xf32>
}

// The kurtosis needs seven of them: three powers of the weights and four of what they lack to the largest.
// CHECK-LABEL: @kurtosis
// CHECK: attn.online_attention scale({{.*}}) softmax({{.*}}) probes [#attn.probe<kurtosis>]
func.func @kurtosis(%q: tensor<48x64xf32>, %k: tensor<16x64xf32>, %acc: tensor<64x48xf32>, %r: tensor<48xf32>, %i: index) -> tensor<48xf32> {
  %s:10 = attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) probes [#attn.probe<kurtosis>]
      indexing_maps [#q, #k, #v, #acc, #row, #row, #row, #row, #row, #row, #row, #row, #row] origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %k : tensor<48x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>)
      outs(%acc, %r, %r, %r, %r, %r, %r, %r, %r, %r : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>)
      -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>
  return %s#9 : tensor<48xf32>
}
