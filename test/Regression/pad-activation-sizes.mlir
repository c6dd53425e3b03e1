// SIGSEGV: dimension 3 of a6 is 0 instead of 4
// --target=cpu:x86-64-v3 --portable
// REQUIRES: x86, avx2
// RUN: %python -c "import numpy as np; rng = np.random.default_rng(1); np.savez('%t.npz', arg0=rng.standard_normal((1, 1, 1, 0)).astype('f2'), arg1=rng.standard_normal((1, 1, 1, 0)).astype('f2'))"
// RUN: %python %S/../attn-run/Inputs/exit_code.py 2 attn-run %s --inputs=%t.npz --target=cpu:x86-64-v3 --portable 2>&1 | FileCheck %s
// CHECK: {{dimension|range}}
func.func @f(%a6: tensor<?x?x?x?xf16>, %v2: tensor<?x?x?x?xf16>) -> (tensor<?x?x?x?xf16>) {
  %v3z = arith.constant 1.5 : f16
  %v3 = tensor.pad %v2 low[0, 0, 0, 2] high[0, 0, 0, 2] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v3z : f16
  } : tensor<?x?x?x?xf16> to tensor<?x?x?x?xf16>
  %v4 = arith.negf %v3 : tensor<?x?x?x?xf16>
  %v5 = attn.activation relu %v4 : tensor<?x?x?x?xf16>
  %v7 = arith.mulf %v5, %a6 : tensor<?x?x?x?xf16>
  return %v7 : tensor<?x?x?x?xf16>
}
