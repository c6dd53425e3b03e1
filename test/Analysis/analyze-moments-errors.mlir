// What options and attributes must say, and a file that cannot be written.

// RUN: not attn-opt %s --attn-analyze-moments="input-mean=2" 2>&1 | FileCheck %s --check-prefix=MEAN
// MEAN: error: attn-analyze-moments: the second moment of inputs must be finite, and at least their mean squared
// RUN: not attn-opt %s --attn-analyze-moments="unknown-size=0" 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: attn-analyze-moments: unknown-size must be positive
// RUN: not attn-opt %s --attn-analyze-moments="vanish-below=2 explode-above=1" 2>&1 | FileCheck %s --check-prefix=LIMITS
// LIMITS: error: attn-analyze-moments: lower limits must not exceed the upper ones
// RUN: not attn-opt %s --attn-analyze-moments="json=%t.none/report.json" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot write {{.*}}report.json
// RUN: sed 's/4.0>/1.0>/' %s | not attn-opt --attn-analyze-moments 2>&1 | FileCheck %s --check-prefix=STATED
// RUN: sed 's/array<f64: 2.0, 4.0>/"wide"/' %s | not attn-opt --attn-analyze-moments 2>&1 | FileCheck %s --check-prefix=STATED
// STATED: error: 'attn.moments' of argument 0 must be array<f64: mean, second moment>, the second moment at least the mean squared

// A constant argument is legal, and an external function has nothing to follow.
// RUN: attn-opt %s -o /dev/null --attn-analyze-moments="text=-" | FileCheck %s
// CHECK-NOT: @outside
// CHECK: %arg0 stated 2 4
func.func @constant(%x: tensor<8xf32> {attn.moments = array<f64: 2.0, 4.0>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func private @outside(tensor<8xf32>) -> tensor<8xf32>
