// Where the error function may be less accurate (afn) and the target has AVX-512, gelu of whole registers is looked up: six
// coefficients for each 16 lanes, no division.

// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-expand-math --split-input-file | FileCheck %s
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v3 --attn-expand-math --split-input-file | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: func.func @whole(
// CHECK-NOT: arith.divf
// CHECK-COUNT-12: "llvm.x86.avx512.vpermi2var.ps.512"
// CHECK-NOT: vpermi2var
// CHECK-NOT: arith.divf
// CHECK: return
// OTHER-LABEL: func.func @whole(
// OTHER-NOT: vpermi2var
// OTHER: arith.divf
func.func @whole(%x: vector<2x16xf32>) -> vector<2x16xf32> {
  %half = arith.constant dense<0.5> : vector<2x16xf32>
  %c = arith.constant dense<-0.707106769> : vector<2x16xf32>
  %z = arith.mulf %x, %c : vector<2x16xf32>
  %e = math.erfc %z fastmath<afn> : vector<2x16xf32>
  %h = arith.mulf %x, %half : vector<2x16xf32>
  %y = arith.mulf %h, %e : vector<2x16xf32>
  return %y : vector<2x16xf32>
}

// -----

// bf16 goes through f32, as ever.
// CHECK-LABEL: func.func @narrow(
// CHECK: arith.extf
// CHECK-COUNT-6: "llvm.x86.avx512.vpermi2var.ps.512"
// CHECK-NOT: vpermi2var
func.func @narrow(%x: vector<16xbf16>) -> vector<16xbf16> {
  %half = arith.constant dense<0.5> : vector<16xbf16>
  %one = arith.constant dense<1.0> : vector<16xbf16>
  %c = arith.constant dense<0.707> : vector<16xbf16>
  %z = arith.mulf %x, %c : vector<16xbf16>
  %e = math.erf %z fastmath<afn> : vector<16xbf16>
  %s = arith.addf %e, %one : vector<16xbf16>
  %p = arith.mulf %x, %s : vector<16xbf16>
  %y = arith.mulf %p, %half : vector<16xbf16>
  return %y : vector<16xbf16>
}

// -----

// Half a register, one number, a function that is not marked: all digits.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: vpermi2var
// CHECK: return
func.func @others(%x: vector<8xf32>, %n: f32, %w: vector<16xf32>) -> (vector<8xf32>, f32, vector<16xf32>) {
  %half = arith.constant dense<0.5> : vector<8xf32>
  %c = arith.constant dense<-0.707106769> : vector<8xf32>
  %z = arith.mulf %x, %c : vector<8xf32>
  %e = math.erfc %z fastmath<afn> : vector<8xf32>
  %h = arith.mulf %x, %half : vector<8xf32>
  %y = arith.mulf %h, %e : vector<8xf32>

  %half1 = arith.constant 0.5 : f32
  %c1 = arith.constant -0.707106769 : f32
  %z1 = arith.mulf %n, %c1 : f32
  %e1 = math.erfc %z1 fastmath<afn> : f32
  %h1 = arith.mulf %n, %half1 : f32
  %y1 = arith.mulf %h1, %e1 : f32

  %half2 = arith.constant dense<0.5> : vector<16xf32>
  %c2 = arith.constant dense<-0.707106769> : vector<16xf32>
  %z2 = arith.mulf %w, %c2 : vector<16xf32>
  %e2 = math.erfc %z2 : vector<16xf32>
  %h2 = arith.mulf %w, %half2 : vector<16xf32>
  %y2 = arith.mulf %h2, %e2 : vector<16xf32>
  return %y, %y1, %y2 : vector<8xf32>, f32, vector<16xf32>
}
