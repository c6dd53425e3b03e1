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

// -----

// A quotient by the sum is scaled where the sum could overflow: y by 6, the
// dividend by e^-6.
// CHECK-LABEL: func.func @quotient(
// CHECK-SAME: %[[A:[a-z0-9]*]]: vector<16xf32>, %[[Y:[a-z0-9]*]]: vector<16xf32>)
// CHECK-DAG: %[[LARGE:.*]] = arith.constant dense<7.000000e+01> : vector<16xf32>
// CHECK-DAG: %[[K:.*]] = arith.constant dense<6.000000e+00> : vector<16xf32>
// CHECK-DAG: %[[FACTOR:.*]] = arith.constant dense<0.00247875{{.*}}> : vector<16xf32>
// CHECK: %[[ISLARGE:.*]] = arith.cmpf ogt, %[[Y]], %[[LARGE]]
// CHECK: arith.mulf %[[A]], %[[FACTOR]]
// CHECK: arith.subf %[[Y]], %[[K]] : vector<16xf32>
// CHECK: arith.divf
func.func @quotient(%a: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %e = math.exp %y : vector<16xf32>
  %d = arith.addf %one, %e : vector<16xf32>
  %q = arith.divf %a, %d : vector<16xf32>
  return %q : vector<16xf32>
}

// -----

// So is a gate that is spelled as a product with a sigmoid: one quotient.
// CHECK-LABEL: func.func @gate(
// CHECK-SAME: %[[A:[a-z0-9]*]]: f64, %[[Y:[a-z0-9]*]]: f64)
// CHECK-DAG: %[[LARGE:.*]] = arith.constant 5.230000e+02 : f64
// CHECK: arith.cmpf ogt, %[[Y]], %[[LARGE]]
// CHECK: %[[Q:.*]] = arith.divf
// CHECK-NEXT: return %[[Q]]
func.func @gate(%a: f64, %y: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %e = math.exp %y : f64
  %d = arith.addf %one, %e : f64
  %s = arith.divf %one, %d : f64
  %q = arith.mulf %s, %a : f64
  return %q : f64
}

// -----

// A sigmoid that is used as such remains one.
// CHECK-LABEL: func.func @sigmoid_with_uses(
// CHECK-NOT: 7.000000e+01
// CHECK: arith.divf
// CHECK-NEXT: arith.mulf
// CHECK: return
func.func @sigmoid_with_uses(%a: f32, %y: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %e = math.exp %y : f32
  %d = arith.addf %e, %one : f32
  %s = arith.divf %one, %d : f32
  %q = arith.mulf %a, %s : f32
  return %q, %s : f32, f32
}

// -----

// Where only the digits of bf16 are used, the tail below 1e-36 is not worth it.
// CHECK-LABEL: func.func @narrowed(
// CHECK-NOT: 7.000000e+01
// CHECK: arith.divf
// CHECK: return
func.func @narrowed(%a: f32, %y: f32) -> bf16 {
  %one = arith.constant 1.0 : f32
  %e = math.exp %y : f32
  %d = arith.addf %e, %one : f32
  %q = arith.divf %a, %d : f32
  %r = arith.truncf %q : f32 to bf16
  return %r : bf16
}
