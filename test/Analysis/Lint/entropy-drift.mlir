// RUN: attn-opt %s --attn-lint="entropy-from=64 entropy-to=1024" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LINT --implicit-check-not=attn-w
// RUN: attn-opt %s --attn-lint="fix entropy-to=1024" -o %t.mlir 2>/dev/null
// RUN: attn-opt %t.mlir --attn-lint="entropy-to=1024" -o /dev/null 2>&1 | count 0
// RUN: FileCheck %s < %t.mlir
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint="entropy-to=1024 entropy-alternative=gradient_max<scores=normal,n=position_operand>" -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint="entropy-to=1024 entropy-alternative=gradient_max_fit<scores=normal,n=position>" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER

// The growth of both policies, for queries and keys of second moment 1. Without
// a range nobody is asked, and a policy of operands that the op does not have is
// no alternative.
// CHECK-LABEL: @fixed
// CHECK: attn.attention scale(#attn.log_length<base = 5.120000e+02, n = keys>)
func.func @fixed(%q: tensor<48x64xf32>, %k: tensor<?x64xf32>, %v: tensor<?x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  // LINT: entropy-drift.mlir:[[@LINE+2]]:{{[0-9]+}}: warning: [attn-w107] attn.attention: from 64 to 1024 keys the expected entropy of the weights grows by 2.749 with #attn.inv_sqrt_dim, by 2.374 with #attn.log_length<base = 5.120000e+02, n = keys>
  // LINT: note: mend it by scale(#attn.log_length<base = 5.120000e+02, n = keys>)
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// An alternative of positions is one for ops that are aligned only: this one is,
// and the attention above is not.
// OTHER-NOT: 2.749
// OTHER: [attn-w107] attn.attention: from 64 to 1024 keys the expected entropy of the weights grows by {{[0-9.]+}} with #attn.log_length<base = 5.120000e+02, n = keys>, by {{1\.7[0-9]*}} with #attn.gradient_max_fit<scores = normal, n = position>
// OTHER-NOT: attn-w
// CHECK-LABEL: @aligned
// CHECK: attn.attention scale(#attn.log_length<base = 5.120000e+02, n = keys>)
func.func @aligned(%q: tensor<48x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %o = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
    ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}
