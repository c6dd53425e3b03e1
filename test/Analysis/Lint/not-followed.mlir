// Scores that depend on something without a rule have not been looked at, which is said. A norm
// starts again: what it makes is known, whatever it reads.
// RUN: attn-opt %s --attn-lint -o /dev/null --verify-diagnostics
// RUN: attn-opt %s --attn-lint="ignore=attn-w110" -o /dev/null 2>&1 | FileCheck %s
// RUN: attn-opt %s --attn-lint="json=%t.json" -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// CHECK-NOT: remark
// CHECK: [attn-w101]
// JSON: "id": "attn-w110"
// JSON: "mend": ""

func.func @product(%a: tensor<48x64x4xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %q = linalg.reduce { arith.mulf } ins(%a : tensor<48x64x4xf32>) outs(%e : tensor<48x64xf32>) dimensions = [2]
  // expected-remark@below {{[attn-w110] attn.attention: nothing is known of its scores: linalg.reduce was not followed (no rule for this op, or for what it computes)}}
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

func.func @normed(%a: tensor<48x64x4xf32>, %wq: tensor<64x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %x = linalg.reduce { arith.mulf } ins(%a : tensor<48x64x4xf32>) outs(%e : tensor<48x64xf32>) dimensions = [2]
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %q = attn.linear ins(%n, %wq : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  // expected-warning@below {{[attn-w101] attn.attention: the predicted variance of the scores is 64}}
  // expected-note@below {{mend it by scale(#attn.inv_sqrt_dim)}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}
