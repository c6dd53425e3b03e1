// What the compiler cannot lower although it is valid ends with 3 and leaves
// the module behind for a report.

// RUN: rm -rf %t && mkdir -p %t
// RUN: env TMPDIR=%t %python %S/Inputs/exit_code.py 3 attn-run %s 2>&1 | FileCheck %s
// RUN: ls %t | FileCheck %s --check-prefix=FILE
// CHECK: attn-run: internal error: {{.*}}reproducer: {{.*}}attn-run-
// FILE: attn-run-

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %o = tensor.generate {
  ^bb0(%i: index):
    %x = tensor.extract %a[%i] : tensor<4xf32>
    %wide = arith.extf %x : f32 to f80
    %sine = math.sin %wide : f80
    %y = arith.truncf %sine : f80 to f32
    tensor.yield %y : f32
  } : tensor<4xf32>
  return %o : tensor<4xf32>
}
