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

// A square needs no power function, and neither does what has a constant base
// with a logarithm; others keep theirs. A power of 1 is 1, of a NaN, too.
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

// CHECK-LABEL: func.func @constant_bases(
// CHECK-SAME: %{{.*}}: f32, %[[V:.*]]: vector<8xbf16>)
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: arith.extf %[[V]] : vector<8xbf16> to vector<8xf32>
// CHECK-NOT: math.
// CHECK: return %{{.*}}, %{{.*}}, %[[ONE]]
func.func @constant_bases(%x: f32, %v: vector<8xbf16>) -> (f32, vector<8xbf16>, f32) {
  %two = arith.constant 2.0 : f32
  %ten = arith.constant dense<1.0e+1> : vector<8xbf16>
  %one = arith.constant 1.0 : f32
  %0 = math.powf %two, %x : f32
  %1 = math.powf %ten, %v : vector<8xbf16>
  %2 = math.powf %one, %x : f32
  return %0, %1, %2 : f32, vector<8xbf16>, f32
}

// Bases without a logarithm, and bases that differ from lane to lane.
// CHECK-LABEL: func.func @other_bases(
// CHECK-COUNT-3: math.powf
func.func @other_bases(%x: f32, %v: vector<2xf32>) -> (f32, f32, vector<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -2.0 : f32
  %both = arith.constant dense<[2.0, 10.0]> : vector<2xf32>
  %0 = math.powf %zero, %x : f32
  %1 = math.powf %minus, %x : f32
  %2 = math.powf %both, %v : vector<2xf32>
  return %0, %1, %2 : f32, f32, vector<2xf32>
}
