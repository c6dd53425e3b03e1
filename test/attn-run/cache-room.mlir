// A negative past and one that leaves no room are told apart, with the numbers: of
// 7 rows in the cache 3 are appended, so that past is at most 4.
// RUN: %python -c "import numpy as np; [np.save(f'%t{p}.npy', np.full((1,), p, np.int32)) for p in (-1, 0, 4, 5, 2**31 - 1, -2**31)]"
// DEFINE: %{past} =
// DEFINE: %{run} = attn-run %s --inputs=%t%{past}.npy
// REDEFINE: %{past} = -1
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=MINUS
// MINUS: past is negative (-1 against 0)
// REDEFINE: %{past} = -2147483648
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=LOWEST
// LOWEST: past is negative (-2147483648 against 0)
// REDEFINE: %{past} = 5
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=FIVE
// FIVE: past leaves the cache no room for the rows (5 against 4)
// REDEFINE: %{past} = 2147483647
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=HIGHEST
// HIGHEST: past leaves the cache no room for the rows (2147483647 against 4)
// REDEFINE: %{past} = 4
// RUN: %{run} --check | FileCheck %s
// REDEFINE: %{past} = 0
// RUN: %{run} --check | FileCheck %s
// CHECK: out0 against f64 reference: match


func.func @f(%pasts: tensor<1xi32>) -> tensor<2x3x24xf32> {
  %c0 = arith.constant 0 : index
  %past = tensor.extract %pasts[%c0] : tensor<1xi32>
  %x = arith.constant dense<1.0> : tensor<2x3x24xf32>
  %w = arith.constant dense<0.5> : tensor<24x24xf32>
  %wk = arith.constant dense<0.25> : tensor<24x12xf32>
  %cache = arith.constant dense<2.0> : tensor<2x2x7x6xf32>
  %y:3 = attn.multi_head_attention heads(4) kv_heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(bottom_right) masks [#attn.causal]
      ins(%x : tensor<2x3x24xf32>) query(%w : tensor<24x24xf32>) key(%wk : tensor<24x12xf32>)
      value(%wk : tensor<24x12xf32>) output(%w : tensor<24x24xf32>)
      cache(%cache, %cache : tensor<2x2x7x6xf32>, tensor<2x2x7x6xf32>) past(%past : i32)
      -> tensor<2x3x24xf32>, tensor<2x2x7x6xf32>, tensor<2x2x7x6xf32>
  return %y#0 : tensor<2x3x24xf32>
}
