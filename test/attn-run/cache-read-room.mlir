// A cache that is only read: its rows are counted for each sequence, and none is
// used that there is not.

// DEFINE: %{npz} = %python %S/Inputs/npz.py write
// DEFINE: %{rest} = arg0:f4:2x1x8:-1+0.1 arg1:f4:8x8:-1+0.01 arg2:f4:2x2x5x4:-1+0.02 arg3:f4:2x2x5x4:1+0.02
// RUN: mkdir -p %t
// RUN: %{npz} %t/fits.npz %{rest} arg4:i8:2:5,0
// RUN: %{npz} %t/above.npz %{rest} arg4:i8:2:3,6
// RUN: %{npz} %t/below.npz %{rest} arg4:i8:2:-1,2
// RUN: attn-run %s --entry=f --inputs=%t/fits.npz --check | FileCheck %s
// CHECK: out0 against f64 reference: match
// RUN: not attn-run %s --entry=f --inputs=%t/above.npz 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: not attn-run %s --entry=f --inputs=%t/above.npz --portable 2>&1 | FileCheck %s --check-prefix=ABOVE
// ABOVE: (code 9): past leaves the cache no room for the rows (6 against 5)
// RUN: not attn-run %s --entry=f --inputs=%t/below.npz 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: (code 9): past is negative (-1 against 0)
func.func @f(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %keys: tensor<?x2x?x4xf32>, %values: tensor<?x2x?x4xf32>,
             %past: tensor<?xi64>) -> tensor<?x?x8xf32> {
  %r = attn.multi_head_attention heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<?x?x8xf32>) query(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>)
      cache(%keys, %values : tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>) past(%past : tensor<?xi64>) -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// Past and new rows in a type that holds one of them only; and a past of another
// batch, which the reference refuses as the kernel does.
// RUN: %{npz} %t/bytes.npz arg0:f4:2x3x8:-1+0.1 arg1:f4:8x8:-1+0.01 arg2:f4:2x2x140x4:-1+0.001 arg3:i1:2:127,126
// RUN: %{npz} %t/other.npz arg0:f4:2x3x8:-1+0.1 arg1:f4:8x8:-1+0.01 arg2:f4:2x2x140x4:-1+0.001 arg3:i1:0:
// RUN: attn-run %s --entry=bytes --inputs=%t/bytes.npz --check | FileCheck %s
// RUN: not attn-run %s --entry=bytes --inputs=%t/other.npz 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not attn-run %s --entry=bytes --inputs=%t/other.npz --check 2>&1 | FileCheck %s --check-prefix=REF
// OTHER: (code 5): bytes: input 3: dimension 0 must be 2 (0 against 2)
// REF: the reference cannot run 'bytes': {{.*}}dimension 0 of an operand has size 0, that of the input is 2
func.func @bytes(%x: tensor<2x3x8xf32>, %w: tensor<8x8xf32>, %cache: tensor<2x2x140x4xf32>, %past: tensor<?xi8>)
    -> (tensor<2x3x8xf32>, tensor<2x2x140x4xf32>, tensor<2x2x140x4xf32>) {
  %y:3 = attn.multi_head_attention heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<2x3x8xf32>) query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>)
      output(%w : tensor<8x8xf32>) cache(%cache, %cache : tensor<2x2x140x4xf32>, tensor<2x2x140x4xf32>) past(%past : tensor<?xi8>)
      -> tensor<2x3x8xf32>, tensor<2x2x140x4xf32>, tensor<2x2x140x4xf32>
  return %y#0, %y#1, %y#2 : tensor<2x3x8xf32>, tensor<2x2x140x4xf32>, tensor<2x2x140x4xf32>
}
