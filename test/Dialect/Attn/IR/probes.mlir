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
