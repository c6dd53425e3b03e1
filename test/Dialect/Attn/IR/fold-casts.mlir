// RUN: attn-opt %s --canonicalize --verify-diagnostics | FileCheck %s

// A layer without an epilogue has a region without a block.
// CHECK-LABEL: @linear
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>, %[[W:[^:]*]]: tensor<8x16xf32>
func.func @linear(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %init: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %0 = tensor.cast %x : tensor<4x8xf32> to tensor<?x8xf32>
  // CHECK-NOT: tensor.cast
  // CHECK: attn.linear ins(%[[X]], %[[W]] : tensor<4x8xf32>, tensor<8x16xf32>)
  %1 = attn.linear ins(%0, %w : tensor<?x8xf32>, tensor<8x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %1 : tensor<?x16xf32>
}

// The result takes the sizes of its destination, and what used it sees the type it had.
// CHECK-LABEL: @destination
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>, %[[W:[^:]*]]: tensor<8x16xf32>, %[[INIT:[^:]*]]: tensor<4x16xf32>
func.func @destination(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %init: tensor<4x16xf32>) -> tensor<?x16xf32> {
  %0 = tensor.cast %x : tensor<4x8xf32> to tensor<?x8xf32>
  %1 = tensor.cast %init : tensor<4x16xf32> to tensor<?x16xf32>
  // CHECK: %[[Y:[^:]*]] = attn.linear ins(%[[X]], %[[W]] : tensor<4x8xf32>, tensor<8x16xf32>) outs(%[[INIT]] : tensor<4x16xf32>)
  // CHECK: ^bb0(%[[S:[^:]*]]: f32)
  // CHECK: arith.negf %[[S]]
  // CHECK: tensor.cast %[[Y]] : tensor<4x16xf32> to tensor<?x16xf32>
  %2 = attn.linear ins(%0, %w : tensor<?x8xf32>, tensor<8x16xf32>) outs(%1 : tensor<?x16xf32>) epilogue {
  ^bb0(%s: f32):
    %y = arith.negf %s : f32
    attn.yield %y : f32
  } -> tensor<?x16xf32>
  return %2 : tensor<?x16xf32>
}

// Policies, maps and the other attributes stay.
// CHECK-LABEL: @attention
// CHECK-SAME: %[[Q:[^:]*]]: tensor<2x8x16xf32>
func.func @attention(%q: tensor<2x8x16xf32>, %k: tensor<2x?x16xf32>, %init: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = tensor.cast %q : tensor<2x8x16xf32> to tensor<2x?x16xf32>
  // CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) align(bottom_right) masks [#attn.causal]
  // CHECK-SAME: ins(%[[Q]], %{{.*}}, %{{.*}} : tensor<2x8x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>)
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) align(bottom_right) masks [#attn.causal]
      ins(%0, %k, %k : tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>) outs(%init : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// A cast to more sizes is a promise that only holds behind it.
// CHECK-LABEL: @promise
func.func @promise(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %init: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // CHECK: %[[C:[^:]*]] = tensor.cast
  // CHECK: attn.linear ins(%[[C]]
  %0 = tensor.cast %x : tensor<?x8xf32> to tensor<4x8xf32>
  %1 = attn.linear ins(%0, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// Without the casts the sizes contradict each other: no op can have them, and
// this code never runs.
// CHECK-LABEL: @contradiction
// CHECK-SAME: %[[INIT:[^:]*]]: tensor<5x16xf32>)
// CHECK-NOT: attn.linear
// CHECK: %[[C:[^:]*]] = tensor.cast %[[INIT]]
// CHECK: return %[[C]]
func.func @contradiction(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %init: tensor<5x16xf32>) -> tensor<?x16xf32> {
  %0 = tensor.cast %x : tensor<4x8xf32> to tensor<?x8xf32>
  %1 = tensor.cast %init : tensor<5x16xf32> to tensor<?x16xf32>
  // expected-warning @+1 {{sizes contradict each other: this op can never run}}
  %2 = attn.linear ins(%0, %w : tensor<?x8xf32>, tensor<8x16xf32>) outs(%1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %2 : tensor<?x16xf32>
}
