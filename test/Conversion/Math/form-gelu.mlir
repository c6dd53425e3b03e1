// Products with an error function that are gelu become one function, whatever the
// order of the products; others keep their error function's arithmetic.

// RUN: attn-opt %s --attn-expand-math --split-input-file | FileCheck %s

// As attn.activation is decomposed. The quotient of polynomials has its own
// numbers and one division.
// CHECK-LABEL: func.func @from_erfc(
// CHECK-DAG: arith.constant dense<-1.327000e+01> : vector<16xf32>
// CHECK-DAG: arith.constant dense<0.0357299298> : vector<16xf32>
// CHECK-COUNT-1: arith.divf
// CHECK-NOT: arith.divf
// CHECK: return
func.func @from_erfc(%x: vector<16xf32>) -> vector<16xf32> {
  %half = arith.constant dense<0.5> : vector<16xf32>
  %c = arith.constant dense<-0.707106769> : vector<16xf32>
  %z = arith.mulf %x, %c : vector<16xf32>
  %e = math.erfc %z : vector<16xf32>
  %h = arith.mulf %x, %half : vector<16xf32>
  %y = arith.mulf %h, %e : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// As frameworks export it: a quotient, and the product with x last.
// CHECK-LABEL: func.func @from_erf(
// CHECK: 0.0357299298
// CHECK-NOT: 0.210806
// CHECK: return
func.func @from_erf(%x: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 1.41421354 : f32
  %z = arith.divf %x, %root : f32
  %e = math.erf %z : f32
  %s = arith.addf %one, %e : f32
  %p = arith.mulf %half, %s : f32
  %y = arith.mulf %p, %x : f32
  return %y : f32
}

// -----

// bf16 rounds the constants; the function is computed in f32.
// CHECK-LABEL: func.func @narrow(
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK-NOT: arith.extf
// CHECK: return
func.func @narrow(%x: bf16) -> bf16 {
  %half = arith.constant 0.5 : bf16
  %one = arith.constant 1.0 : bf16
  %c = arith.constant 0.707 : bf16
  %z = arith.mulf %x, %c : bf16
  %e = math.erf %z : bf16
  %s = arith.addf %e, %one : bf16
  %p = arith.mulf %x, %s : bf16
  %y = arith.mulf %p, %half : bf16
  return %y : bf16
}

// -----

// The minus sign and x / 2 in pieces of their own.
// CHECK-LABEL: func.func @in_pieces(
// CHECK: 0.0357299298
// CHECK-NOT: 0.210806
// CHECK: return
func.func @in_pieces(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %c = arith.constant 0.707106769 : f32
  %n = arith.negf %x : f32
  %z = arith.mulf %c, %n : f32
  %e = math.erfc %z : f32
  %p = arith.mulf %e, %x : f32
  %y = arith.divf %p, %two : f32
  return %y : f32
}

// -----

// Another width of the error function, another factor, another number beside
// erf, another x, a second use: none of them is gelu.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: 0.0357299298
// CHECK: return
func.func @others(%x: f32, %other: f32) -> (f32, f32, f32, f32, f32, f32) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %minus = arith.constant -1.0 : f32
  %c = arith.constant 0.707106769 : f32
  %wide = arith.constant 0.70710 : f32
  %h = arith.mulf %x, %half : f32
  %z = arith.mulf %x, %c : f32
  %e = math.erf %z : f32

  %z0 = arith.mulf %x, %wide : f32
  %e0 = math.erf %z0 : f32
  %s0 = arith.addf %e0, %one : f32
  %y0 = arith.mulf %h, %s0 : f32

  %z1 = arith.mulf %other, %c : f32
  %e1 = math.erf %z1 : f32
  %s1 = arith.addf %e1, %one : f32
  %y1 = arith.mulf %other, %s1 : f32

  %e2 = math.erf %other : f32
  %s2 = arith.addf %e2, %minus : f32
  %y2 = arith.mulf %h, %s2 : f32

  %e3 = math.erfc %z : f32
  %y3 = arith.mulf %h, %e3 : f32

  %n4 = arith.negf %z1 : f32
  %e4 = math.erfc %n4 : f32
  %y4 = arith.mulf %h, %e4 : f32

  %s5 = arith.addf %e, %one : f32
  %y5 = arith.mulf %h, %s5 : f32
  %t5 = arith.subf %y5, %s5 : f32
  return %y0, %y1, %y2, %y3, %y4, %t5 : f32, f32, f32, f32, f32, f32
}

// -----

// f64 has the accuracy of erfc.
// CHECK-LABEL: func.func @double(
// CHECK-NOT: 0.0357299
// CHECK: return
func.func @double(%x: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %c = arith.constant -0.70710678118654757 : f64
  %z = arith.mulf %x, %c : f64
  %e = math.erfc %z : f64
  %h = arith.mulf %x, %half : f64
  %y = arith.mulf %h, %e : f64
  return %y : f64
}
