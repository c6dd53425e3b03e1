// RUN: attn-opt %s --attn-expand-math | FileCheck %s

// A vector stays a vector: round by adding a magic number, polynomial, shift
// into the exponent, two selects for the range.
// CHECK-LABEL: func.func @exp_of_a_vector(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>)
// CHECK: arith.mulf %[[X]], %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK: arith.bitcast %{{.*}} : vector<16xf32> to vector<16xi32>
// CHECK: arith.shli
// CHECK: arith.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: arith.cmpf oge, %[[X]],
// CHECK: arith.select
// CHECK: arith.cmpf ogt, %[[X]],
// CHECK: arith.select
// CHECK-NOT: math.exp
func.func @exp_of_a_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// bf16 is computed in f32 and rounded once.
// CHECK-LABEL: func.func @narrow_types_go_through_f32(
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
// CHECK-NOT: math.log
func.func @narrow_types_go_through_f32(%x: bf16) -> bf16 {
  %y = math.log %x : bf16
  return %y : bf16
}

// f64 has its own constants.
// CHECK-LABEL: func.func @exp2_in_f64(
// CHECK: arith.constant 0.69314718055994529 : f64
// CHECK: arith.shli %{{.*}} : i64
// CHECK-NOT: math.exp2
func.func @exp2_in_f64(%x: f64) -> f64 {
  %y = math.exp2 %x : f64
  return %y : f64
}

// CHECK-LABEL: func.func @all_of_them(
// CHECK-NOT: math.{{(exp|log|tanh)}}
// CHECK: math.sqrt
func.func @all_of_them(%x: f32) -> f32 {
  %0 = math.expm1 %x : f32
  %1 = math.tanh %0 : f32
  %2 = math.log2 %1 : f32
  %3 = math.log1p %2 : f32
  %4 = math.sqrt %3 : f32
  return %4 : f32
}

// A square needs no power function, others keep theirs.
// CHECK-LABEL: func.func @powers(
// CHECK: arith.mulf
// CHECK: math.powf
// CHECK-NOT: math.powf
func.func @powers(%x: f32, %p: f32) -> (f32, f32) {
  %two = arith.constant 2.0 : f32
  %0 = math.powf %x, %two : f32
  %1 = math.powf %x, %p : f32
  return %0, %1 : f32, f32
}
