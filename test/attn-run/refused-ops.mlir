// What cannot be compiled is bad input, with its place and what to write, and
// no report is asked for. Each op has its case in test/Conversion/Upstream.

// RUN: rm -rf %t && mkdir -p %t
// RUN: env TMPDIR=%t %python %S/Inputs/exit_code.py 2 attn-run %s 2>&1 | FileCheck %s
// RUN: env TMPDIR=%t %python %S/Inputs/exit_code.py 2 attn-run %s --portable 2>&1 | FileCheck %s
// RUN: env TMPDIR=%t %python %S/Inputs/exit_code.py 2 attn-compile %s -o %t/f 2>&1 | FileCheck %s
// RUN: %python -c "import os; assert os.listdir(r'%t') == []"
// CHECK: error: {{.*}}refused-ops.mlir:[[#@LINE+4]]: 'tensor.scatter' is not compiled: write scf.for with tensor.insert_slice
// CHECK-NOT: {{internal|reproducer}}

func.func @f(%x: tensor<9x6xf32>, %y: tensor<3x6xf32>, %i: tensor<3x1xi32>) -> tensor<9x6xf32> {
  %r = tensor.scatter %y into %x[%i] scatter_dims([0]) unique : (tensor<3x6xf32>, tensor<9x6xf32>, tensor<3x1xi32>) -> tensor<9x6xf32>
  return %r : tensor<9x6xf32>
}
