// RUN: attn-opt %s --attn-decompose | FileCheck %s

// gelu by erfc, in f32 for narrow elements, then (f - E f) / sqrt(Var f).
// CHECK-LABEL: @gelu
// CHECK: linalg.generic
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: math.erfc %{{.*}} : f32
// CHECK: arith.subf %{{.*}} : f32
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK-NOT: attn.
func.func @gelu(%x: tensor<?x4xbf16>) -> tensor<?x4xbf16> {
  %0 = attn.activation gelu centered unit_moment %x : tensor<?x4xbf16>
  return %0 : tensor<?x4xbf16>
}

// In a body or on a vector there is no loop to make.
// CHECK-LABEL: @on_vector
// CHECK-NOT: linalg
// CHECK: math.exp %{{.*}} : vector<8xf32>
// CHECK: arith.divf %{{.*}} : vector<8xf32>
func.func @on_vector(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = attn.activation silu %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// A draw is a function of the seed and of the position alone: ten rounds of
// two products, no state from one element to the next.
// CHECK-LABEL: @init
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK-COUNT-20: arith.muli %{{.*}}, %c{{.*}}
// CHECK: math.log
func.func @init(%seed: i64, %w: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = attn.init normal variance(he) seed(%seed : i64) outs(%w : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// Zero variance draws nothing.
// CHECK-LABEL: @zero
// CHECK-NOT: arith.muli
// CHECK: linalg.yield
func.func @zero(%seed: i64, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = attn.init normal variance(zero) seed(%seed : i64) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The mean first, then both powers in one pass.
// CHECK-LABEL: @kurtosis
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: linalg.yield %{{.*}}, %{{.*}} : f64, f64
func.func @kurtosis(%x: tensor<4x?xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = attn.statistics kurtosis axes [1] ins(%x : tensor<4x?xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
