// status 0 instead of {5, 7}: dimension 0 of a7 is 3 instead of 2: 
// --target=cpu
// RUN: %python -c "import numpy as np; rng = np.random.default_rng(1); np.savez('%t.npz', arg0=rng.standard_normal((3,)).astype('f4'), arg1=rng.standard_normal((8, 0, 0, 0)).astype('f4'))"
// RUN: %python %S/../attn-run/Inputs/exit_code.py 2 attn-run %s --inputs=%t.npz 2>&1 | FileCheck %s
// CHECK: {{dimension|range}}
func.func @f(%a7: tensor<?xf32>, %v5: tensor<8x?x?x?xf32>) -> (tensor<8x?x?x?xf32>) {
  %v6z = arith.constant 1.5 : f32
  %v6 = tensor.pad %v5 low[0, 0, 0, 1] high[0, 0, 0, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v6z : f32
  } : tensor<8x?x?x?xf32> to tensor<8x?x?x?xf32>
  %v8c1 = arith.constant 1 : index
  %v8d1 = tensor.dim %v6, %v8c1 : tensor<8x?x?x?xf32>
  %v8c2 = arith.constant 2 : index
  %v8d2 = tensor.dim %v6, %v8c2 : tensor<8x?x?x?xf32>
  %v8c3 = arith.constant 3 : index
  %v8d3 = tensor.dim %v6, %v8c3 : tensor<8x?x?x?xf32>
  %v8e = tensor.empty(%v8d1, %v8d2, %v8d3) : tensor<8x?x?x?xf32>
  %v8 = attn.norm rms axes [3] eps(1.0e-02) ins(%v6 : tensor<8x?x?x?xf32>) gamma(%a7 : tensor<?xf32>) outs(%v8e : tensor<8x?x?x?xf32>) -> tensor<8x?x?x?xf32>
  return %v8 : tensor<8x?x?x?xf32>
}
