// RUN: attn-opt %s --attn-expand-math | FileCheck %s
// RUN: %python %S/Inputs/bf16-edges.py %t.npz
// RUN: attn-run %s --entry=vectors --inputs=%t.npz --expect=%t.npz | FileCheck %s --check-prefix=RESULT
// RUN: attn-run %s --entry=vectors --inputs=%t.npz --expect=%t.npz --target=cpu:x86-64 | FileCheck %s --check-prefix=RESULT
// RUN: attn-run %s --entry=stored --dump-dir=%t.dump
// RUN: FileCheck %s --check-prefix=LLVM < %t.dump/6-llvm-optimized.ll

// Ties, numbers that round up to infinity, and NaN whose set bits are cut off.
// RESULT: out0 against {{.*}}: match

// Nothing selects between vectors of bf16, which would be taken apart.
// LLVM: define
// LLVM-NOT: select {{.*}}x bfloat>
// LLVM-NOT: extractelement {{.*}}x bfloat>

// CHECK-LABEL: func.func @round
// CHECK-NOT: arith.truncf
// CHECK: %[[NAN:.*]] = arith.cmpf uno
// CHECK: arith.select %[[NAN]], {{.*}} : vector<16xi1>, vector<16xi32>
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi16>
// CHECK: arith.bitcast {{.*}} : vector<16xi16> to vector<16xbf16>
func.func @round(%x: vector<16xf32>) -> vector<16xbf16> {
  %y = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  return %y : vector<16xbf16>
}

// f64 is not f32, and f16 not bf16.
// CHECK-LABEL: func.func @others
// CHECK: arith.truncf {{.*}} : f64 to bf16
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func @others(%x: f64, %y: f32) -> (bf16, f16) {
  %a = arith.truncf %x : f64 to bf16
  %b = arith.truncf %y : f32 to f16
  return %a, %b : bf16, f16
}

// The result's bits, since a tolerance would be that of the largest number.
func.func @vectors(%x: tensor<64xf32>) -> tensor<64xi16> {
  %y = arith.truncf %x : tensor<64xf32> to tensor<64xbf16>
  %bits = arith.bitcast %y : tensor<64xbf16> to tensor<64xi16>
  return %bits : tensor<64xi16>
}

func.func @stored(%x: tensor<64xf32>) -> tensor<64xbf16> {
  %y = arith.truncf %x : tensor<64xf32> to tensor<64xbf16>
  return %y : tensor<64xbf16>
}
