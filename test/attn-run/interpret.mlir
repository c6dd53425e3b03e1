// The program after passes in the reference, beside the program as it is: right where it computes the same, and wrong where
// one number is another one.

// RUN: attn-opt %s --attn-raise-pipeline -o %t.mlir 2>/dev/null
// RUN: attn-run %s --check --interpret=%t.mlir | FileCheck %s
// RUN: sed 's/1.0e-05/1.0e-01/' %s > %t.other.mlir
// RUN: %python %S/Inputs/exit_code.py 1 attn-run %s --check --interpret=%t.other.mlir | FileCheck %s --check-prefix=WRONG
// RUN: %python %S/Inputs/exit_code.py 2 attn-run %s --interpret=%t.mlir 2>&1 | FileCheck %s --check-prefix=CHECK-FLAG

// CHECK: scaled: interpreted
// CHECK: out0 against f64 reference: match
// WRONG: out0 against f64 reference: MISMATCH
// CHECK-FLAG: --interpret: needs --check
func.func @scaled(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %init = tensor.empty() : tensor<4x8xf32>
  %r = attn.norm rms axes [1] eps(1.0e-05) ins(%x : tensor<4x8xf32>) gamma(%g : tensor<8xf32>)
    outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
