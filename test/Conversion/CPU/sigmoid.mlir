// 1 + exp(y) clamps y and has no selects after the exponential, whichever summand
// is first; sums with other numbers and exponentials with other uses are as ever.

// RUN: attn-opt %s --attn-expand-math --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @denominator(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>)
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<-8.730000e+01> : vector<16xf32>
// CHECK-DAG: %[[HIGH:.*]] = arith.constant dense<8.940000e+01> : vector<16xf32>
// CHECK: arith.cmpf ogt, %[[LOW]], %[[X]]
// CHECK: %[[Y:.*]] = arith.select
// CHECK: arith.cmpf olt, %[[HIGH]], %[[Y]]
// CHECK: arith.select
// CHECK-NOT: arith.select
// CHECK: return
func.func @denominator(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %e = math.exp %x : vector<16xf32>
  %y = arith.addf %one, %e : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// CHECK-LABEL: func.func @exponential_first(
// CHECK: 8.940000e+01
// CHECK-NOT: math.exp
// CHECK: return
func.func @exponential_first(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %e = math.exp %x : f32
  %y = arith.addf %e, %one : f32
  return %y : f32
}

// -----

// Beside a smaller number, a small exponential matters.
// CHECK-LABEL: func.func @half(
// CHECK-NOT: 8.940000e+01
// CHECK: return
func.func @half(%x: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %e = math.exp %x : f32
  %y = arith.addf %half, %e : f32
  return %y : f32
}

// -----

// CHECK-LABEL: func.func @other_use(
// CHECK-NOT: 8.940000e+01
// CHECK: return
func.func @other_use(%x: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %e = math.exp %x : f32
  %y = arith.addf %one, %e : f32
  return %y, %e : f32, f32
}
