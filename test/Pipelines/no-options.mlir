// A pipeline without options says so when it is given one.
// RUN: not attn-opt %s --attn-raise-pipeline=loudly 2>&1 | FileCheck %s
// RUN: not attn-opt %s --attn-to-linalg=loudly=1 2>&1 | FileCheck %s
// RUN: not attn-opt %s --pass-pipeline="builtin.module(attn-to-linalg{loudly})" 2>&1 | FileCheck %s

// CHECK: no such option loudly

// Pipelines are the module's.
// RUN: not attn-opt %s --pass-pipeline="func.func(attn-to-cpu{target=cpu})" 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not attn-opt %s --pass-pipeline="builtin.module(func.func(attn-raise-pipeline))" 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: error: 'attn-{{to-cpu|raise-pipeline}}' is a pipeline of 'builtin.module', not of 'func.func'
func.func @f() {
  return
}
