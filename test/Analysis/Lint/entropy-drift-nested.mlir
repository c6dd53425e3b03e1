// A composite op in a function that a loop calls, and its twin, whose policy
// grows with the number of keys.
// RUN: attn-opt %s --attn-lint="entropy-from=64 entropy-to=1024" -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-lint="fix entropy-to=1024" -o %t.mlir 2>/dev/null
// RUN: attn-opt %t.mlir --attn-lint="entropy-to=1024" -o /dev/null 2>&1 | count 0
// RUN: FileCheck %s < %t.mlir

// CHECK-LABEL: @fixed
// CHECK: attn.multi_head_attention heads(2) scale(#attn.log_length<base = 5.120000e+02, n = keys>)
func.func private @fixed(%x: tensor<48x128xf32>, %wq: tensor<128x128xf32>, %wk: tensor<128x128xf32>, %wv: tensor<128x128xf32>, %wo: tensor<128x128xf32>) -> tensor<48x128xf32> {
  %e = tensor.empty() : tensor<48x128xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<48x128xf32>) outs(%e : tensor<48x128xf32>) -> tensor<48x128xf32>
  // expected-warning@below {{[attn-w107] attn.multi_head_attention: from 64 to 1024 keys the expected entropy of the weights grows by 2.749 with #attn.inv_sqrt_dim, by 2.374 with #attn.log_length<base = 5.120000e+02, n = keys>}}
  // expected-note@below {{mend it by scale(#attn.log_length<base = 5.120000e+02, n = keys>)}}
  %y = attn.multi_head_attention heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%n : tensor<48x128xf32>) query(%wq : tensor<128x128xf32>) key(%wk : tensor<128x128xf32>)
      value(%wv : tensor<128x128xf32>) output(%wo : tensor<128x128xf32>) -> tensor<48x128xf32>
  return %y : tensor<48x128xf32>
}
func.func private @growing(%x: tensor<48x128xf32>, %wq: tensor<128x128xf32>, %wk: tensor<128x128xf32>, %wv: tensor<128x128xf32>, %wo: tensor<128x128xf32>) -> tensor<48x128xf32> {
  %e = tensor.empty() : tensor<48x128xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<48x128xf32>) outs(%e : tensor<48x128xf32>) -> tensor<48x128xf32>
  %y = attn.multi_head_attention heads(2) scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
      ins(%n : tensor<48x128xf32>) query(%wq : tensor<128x128xf32>) key(%wk : tensor<128x128xf32>)
      value(%wv : tensor<128x128xf32>) output(%wo : tensor<128x128xf32>) -> tensor<48x128xf32>
  return %y : tensor<48x128xf32>
}
func.func @model(%x: tensor<48x128xf32>, %wq: tensor<128x128xf32>, %wk: tensor<128x128xf32>, %wv: tensor<128x128xf32>, %wo: tensor<128x128xf32>) -> tensor<48x128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<48x128xf32> {
    %a = func.call @fixed(%h, %wq, %wk, %wv, %wo) : (tensor<48x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<48x128xf32>
    %b = func.call @growing(%a, %wq, %wk, %wv, %wo) : (tensor<48x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<48x128xf32>
    scf.yield %b : tensor<48x128xf32>
  }
  return %r : tensor<48x128xf32>
}
