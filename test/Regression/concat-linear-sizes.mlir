// status 0 instead of {9, 5, 7}: dimension 1 of a3 is 2000 instead of 2: 
// --target=cpu:x86-64
// REQUIRES: x86
// RUN: %python -c "import numpy as np; rng = np.random.default_rng(1); np.savez('%t.npz', arg0=rng.standard_normal((0, 2000, 24)).astype('f8'), arg1=rng.standard_normal((1, 24)).astype('f8'), arg2=rng.standard_normal((1,)).astype('f8'), arg3=rng.standard_normal((0, 2, 24)).astype('f8'))"
// RUN: %python %S/../attn-run/Inputs/exit_code.py 2 attn-run %s --inputs=%t.npz --target=cpu:x86-64 2>&1 | FileCheck %s
// CHECK: {{dimension|range}}
func.func @f(%a3: tensor<?x?x24xf64>, %a6: tensor<?x24xf64>, %a7: tensor<?xf64>, %v2: tensor<?x?x24xf64>) -> (tensor<?x2x?xf64>) {
  %v4 = tensor.concat dim(0) %v2, %a3 : (tensor<?x?x24xf64>, tensor<?x?x24xf64>) -> tensor<?x?x24xf64>
  %v5 = tensor.cast %v4 : tensor<?x?x24xf64> to tensor<?x2x24xf64>
  %v8c0 = arith.constant 0 : index
  %v8d0 = tensor.dim %v5, %v8c0 : tensor<?x2x24xf64>
  %v8c2 = arith.constant 0 : index
  %v8d2 = tensor.dim %a6, %v8c2 : tensor<?x24xf64>
  %v8e = tensor.empty(%v8d0, %v8d2) : tensor<?x2x?xf64>
  %v8 = attn.linear weight(out_in) ins(%v5, %a6, %a7 : tensor<?x2x24xf64>, tensor<?x24xf64>, tensor<?xf64>) outs(%v8e : tensor<?x2x?xf64>) -> tensor<?x2x?xf64>
  return %v8 : tensor<?x2x?xf64>
}
