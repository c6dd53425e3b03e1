// RUN: attn-opt %s --split-input-file --verify-diagnostics

func.func @dimension(%x: tensor<3x5xf32>, %last: tensor<3xf32>) -> tensor<3x5xf32> {
  // expected-error @+1 {{dimension 2 of a tensor of rank 2}}
  %r:2 = tm_tensor.scan dimension(2) inclusive(true) ins(%x : tensor<3x5xf32>) outs(%x, %last : tensor<3x5xf32>, tensor<3xf32>) {
  ^bb0(%before: f32, %element: f32):
    tm_tensor.yield %before : f32
  } -> tensor<3x5xf32>, tensor<3xf32>
  return %r#0 : tensor<3x5xf32>
}

// -----

func.func @last(%x: tensor<3x5xf32>, %last: tensor<5xf32>) -> tensor<3x5xf32> {
  // expected-error @+1 {{do not agree}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<3x5xf32>) outs(%x, %last : tensor<3x5xf32>, tensor<5xf32>) {
  ^bb0(%before: f32, %element: f32):
    tm_tensor.yield %before : f32
  } -> tensor<3x5xf32>, tensor<5xf32>
  return %r#0 : tensor<3x5xf32>
}

// -----

func.func @depth(%u: tensor<2x8xf32>, %i: tensor<2x2xi64>, %x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @+1 {{indices have to be integers, 1 for each update}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%u, %i : tensor<2x8xf32>, tensor<2x2xi64>) outs(%x : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

func.func @uncovered(%u: tensor<2xf32>, %i: tensor<2x1xi64>, %x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @+1 {{dimension 1 has neither index nor slice}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%u, %i : tensor<2xf32>, tensor<2x1xi64>) outs(%x : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

func.func @pairs(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{arguments of the region are not the elements of its tensors}}
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    %t = arith.constant true
    tm_tensor.yield %t : i1
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @order(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the region has to give one number of type 'i1'}}
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
