// Params in 64 bits: a length beyond 32 bits is one of more keys than there are,
// and an id that 32 bits do not tell from another is refused.

// DEFINE: %{npz} = %python %S/Inputs/npz.py write
// RUN: mkdir -p %t
// RUN: %{npz} %t/lengths.npz arg0:f4:3x2x9x16:-1+0.003 arg1:i8:3:2147483648,7,-4294967299
// RUN: attn-run %s --entry=lengths --inputs=%t/lengths.npz --check | FileCheck %s
// RUN: attn-run %s --entry=lengths --inputs=%t/lengths.npz --check --portable | FileCheck %s
// CHECK: out0 against f64 reference: match
func.func @lengths(%q: tensor<?x2x?x16xf32>, %n: tensor<?xi64>) -> tensor<?x2x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x2x?x16xf32>
  %m = tensor.dim %q, %c2 : tensor<?x2x?x16xf32>
  %o = tensor.empty(%b, %m) : tensor<?x2x?x16xf32>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.kv_lengths, #attn.causal]
      ins(%q, %q, %q : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) params(%n : tensor<?xi64>)
      outs(%o : tensor<?x2x?x16xf32>) -> tensor<?x2x?x16xf32>
  return %r : tensor<?x2x?x16xf32>
}

// RUN: %{npz} %t/good.npz arg0:f4:1x2x9x16:-1+0.003 arg1:i8:1x9:-2147483648,1,1,1,2,2,2147483647,3,3
// RUN: %{npz} %t/same.npz arg0:f4:1x2x9x16:-1+0.003 arg1:i8:1x9:1,4294967297,1,1,2,2,2,3,3
// RUN: attn-run %s --entry=ids --inputs=%t/good.npz --check | FileCheck %s
// RUN: attn-run %s --entry=ids --inputs=%t/good.npz --check --portable | FileCheck %s
// RUN: not attn-run %s --entry=ids --inputs=%t/same.npz 2>&1 | FileCheck %s --check-prefix=ID
// RUN: not attn-run %s --entry=ids --inputs=%t/same.npz --portable 2>&1 | FileCheck %s --check-prefix=ID
// ID: (code 9): ids: wide-integers.mlir:{{[0-9]+}}: 'attn.attention': an id must equal the number in its lowest 32 bits (4294967297 against 1)
func.func @ids(%q: tensor<1x2x9x16xf32>, %ids: tensor<1x9xi64>) -> tensor<1x2x9x16xf32> {
  %o = tensor.empty() : tensor<1x2x9x16xf32>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.segment_ids]
      ins(%q, %q, %q : tensor<1x2x9x16xf32>, tensor<1x2x9x16xf32>, tensor<1x2x9x16xf32>)
      params(%ids, %ids : tensor<1x9xi64>, tensor<1x9xi64>) outs(%o : tensor<1x2x9x16xf32>) -> tensor<1x2x9x16xf32>
  return %r : tensor<1x2x9x16xf32>
}
