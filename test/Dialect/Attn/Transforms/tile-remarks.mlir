// RUN: attn-opt %s --attn-tile --verify-diagnostics | FileCheck %s

// Each policy is a factor for each row beside the query, which is packed as it
// is, and reaches the scores in the exponent.
// CHECK-LABEL: @linear
func.func @linear(%q: tensor<2x96x64xf32>, %c: tensor<2xf32>) {
  // CHECK: attn.pack_query scale(#attn.inv_sqrt_dim) {{.*}} -> tensor<64x48xf32>, tensor<48xf32>
  // CHECK: attn.online_attention packed scale(#attn.operand{{[^)]*}})
  // expected-remark @+1 {{[attn-r203] scale #attn.inv_sqrt_dim is part of the exponent}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  // CHECK: attn.pack_query scale(#attn.constant<2.0
  // CHECK: attn.online_attention packed scale(#attn.operand{{[^)]*}})
  // expected-remark @+1 {{[attn-r203] scale #attn.constant<2.0}}
  %1 = attn.attention scale(#attn.constant<2.0>) softmax(#attn.softmax) schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  // CHECK: attn.pack_query scale(#attn.log_length<
  // CHECK: attn.online_attention packed scale(#attn.operand{{[^)]*}})
  // expected-remark @+1 {{[attn-r203] scale #attn.log_length<}}
  %2 = attn.attention scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax) align(top_left) masks [#attn.causal] schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  // CHECK: attn.pack_query scale(#attn.learned)
  // CHECK: attn.online_attention packed scale(#attn.operand{{[^)]*}})
  // expected-remark @+1 {{[attn-r203] scale #attn.learned is part of the exponent}}
  %3 = attn.attention scale(#attn.learned) softmax(#attn.softmax) schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) params(%c : tensor<2xf32>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return
}

// A softcap takes the scaled score.
func.func @softcap(%q: tensor<2x96x64xf32>) {
  // expected-remark @+1 {{[attn-r204] scale #attn.inv_sqrt_dim is multiplied with each score}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) softcap(30.0) schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return
}
