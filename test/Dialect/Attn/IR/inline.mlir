// RUN: attn-opt %s --inline | FileCheck %s

// A helper with ops of the dialect is inlined, also into the regions of a residual
// block.
func.func private @project(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %init = tensor.empty() : tensor<4x8xf32>
  %y = attn.linear ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: @block
// CHECK-NOT: call
// CHECK: attn.linear
// CHECK: attn.residual
// CHECK: ^bb0
// CHECK-NOT: call
// CHECK: attn.linear
// CHECK: attn.yield
func.func @block(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %a = call @project(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y = attn.residual fixup(%a : tensor<4x8xf32>) branch {
  ^bb0(%h: tensor<4x8xf32>):
    %f = func.call @project(%h, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    attn.yield %f : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}
