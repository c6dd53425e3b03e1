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

// A side of a window that is wider than positions in 32 bits can be is open.
// RUN: attn-run %s --entry=sides --check | FileCheck %s --check-prefix=SIDES
// RUN: attn-run %s --entry=sides --check --portable | FileCheck %s --check-prefix=SIDES
// SIDES-COUNT-2: match
func.func @sides(%q: tensor<1x9x8xf32>) -> (tensor<1x9x8xf32>, tensor<1x9x8xf32>) {
  %o = tensor.empty() : tensor<1x9x8xf32>
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 0, right = 2147483647>]
      ins(%q, %q, %q : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<1x9x8xf32>) outs(%o : tensor<1x9x8xf32>) -> tensor<1x9x8xf32>
  %1 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(bottom_right)
      masks [#attn.window<left = 9223372036854775807, right = 2>]
      ins(%q, %q, %q : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<1x9x8xf32>) outs(%o : tensor<1x9x8xf32>) -> tensor<1x9x8xf32>
  return %0, %1 : tensor<1x9x8xf32>, tensor<1x9x8xf32>
}

// The largest position has no next one, in 32 bits or 64.
// RUN: %{npz} %t/positions.npz arg0:f4:1x2x9x16:-1+0.003 arg1:i8:9:2147483647,2147483646,1099511627776,-1,0,1,2,3,4 arg2:i4:9:2147483647,2147483646,7,-1,0,1,2,3,-2147483648
// RUN: attn-run %s --entry=positions --inputs=%t/positions.npz --check | FileCheck %s --check-prefix=SIDES
// RUN: attn-run %s --entry=positions --inputs=%t/positions.npz --check --portable | FileCheck %s --check-prefix=SIDES
func.func @positions(%q: tensor<1x2x9x16xf32>, %wide: tensor<9xi64>, %narrow: tensor<9xi32>) -> (tensor<1x2x9x16xf32>, tensor<1x2x9x16xf32>) {
  %o = tensor.empty() : tensor<1x2x9x16xf32>
  %0 = attn.attention scale(#attn.log_length<base = 2.0, n = position_operand>) softmax(#attn.softmax)
      ins(%q, %q, %q : tensor<1x2x9x16xf32>, tensor<1x2x9x16xf32>, tensor<1x2x9x16xf32>) params(%wide : tensor<9xi64>)
      outs(%o : tensor<1x2x9x16xf32>) -> tensor<1x2x9x16xf32>
  %1 = attn.attention scale(#attn.log_length<base = 2.0, n = position_operand>) softmax(#attn.softmax)
      ins(%q, %q, %q : tensor<1x2x9x16xf32>, tensor<1x2x9x16xf32>, tensor<1x2x9x16xf32>) params(%narrow : tensor<9xi32>)
      outs(%o : tensor<1x2x9x16xf32>) -> tensor<1x2x9x16xf32>
  return %0, %1 : tensor<1x2x9x16xf32>, tensor<1x2x9x16xf32>
}
