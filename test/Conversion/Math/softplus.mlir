// log1p(exp(-|x|)) becomes one exponential and one polynomial; others keep the
// arithmetic of a logarithm.

// RUN: attn-opt %s --attn-expand-math --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @tail(
// CHECK-DAG: arith.constant dense<0.106747322> : vector<16xf32>
// CHECK-NOT: arith.divf
// CHECK-NOT: math.{{exp|log}}
// CHECK: return
func.func @tail(%x: vector<16xf32>) -> vector<16xf32> {
  %a = math.absf %x : vector<16xf32>
  %n = arith.negf %a : vector<16xf32>
  %e = math.exp %n : vector<16xf32>
  %y = math.log1p %e : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// The exponential of a positive number is not in the polynomial's range.
// CHECK-LABEL: func.func @other_sign(
// CHECK-NOT: 0.106747322
// CHECK: arith.divf
// CHECK: return
func.func @other_sign(%x: f32) -> f32 {
  %a = math.absf %x : f32
  %e = math.exp %a : f32
  %y = math.log1p %e : f32
  return %y : f32
}

// -----

// Nor is one whose sign nobody knows.
// CHECK-LABEL: func.func @no_magnitude(
// CHECK-NOT: 0.106747322
// CHECK: arith.divf
// CHECK: return
func.func @no_magnitude(%x: f32) -> f32 {
  %n = arith.negf %x : f32
  %e = math.exp %n : f32
  %y = math.log1p %e : f32
  return %y : f32
}

// -----

// f64 has more digits than the polynomial.
// CHECK-LABEL: func.func @double(
// CHECK-NOT: 0.106747322
// CHECK: arith.divf
// CHECK: return
func.func @double(%x: f64) -> f64 {
  %a = math.absf %x : f64
  %n = arith.negf %a : f64
  %e = math.exp %n : f64
  %y = math.log1p %e : f64
  return %y : f64
}
