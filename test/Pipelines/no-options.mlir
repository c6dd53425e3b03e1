// A pipeline without options says so when it is given one.
// RUN: not attn-opt %s --attn-raise-pipeline=loudly 2>&1 | FileCheck %s
// RUN: not attn-opt %s --attn-to-linalg=loudly=1 2>&1 | FileCheck %s
// RUN: not attn-opt %s --pass-pipeline="builtin.module(attn-to-linalg{loudly})" 2>&1 | FileCheck %s

// CHECK: no such option loudly
func.func @f() {
  return
}
