// RUN: attn-opt %s --attn-raise-activation --verify-diagnostics | FileCheck %s

// What is near an activation, but another function, stays.
// CHECK-NOT: attn.activation

#id = affine_map<(i, j) -> (i, j)>

// tanh where there should be erf, with another constant: neither of the gelus.
func.func @other_gelu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is gelu_tanh, which differs by 1.4}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %k = arith.constant 4.471500e-02 : f32
    %c = arith.constant 0.79788 : f32
    %x2 = arith.mulf %a, %a : f32
    %x3 = arith.mulf %x2, %a : f32
    %u = arith.mulf %x3, %k : f32
    %v = arith.addf %a, %u : f32
    %w = arith.mulf %v, %c : f32
    %h = math.tanh %w : f32
    %p = arith.addf %h, %one : f32
    %q = arith.mulf %a, %half : f32
    %t = arith.mulf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// x sigmoid(1.702 x), which is called gelu, too. Its sigmoid is part of it, and
// has no remark of its own.
func.func @quick_gelu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %k = arith.constant -1.702 : f32
    %u = arith.mulf %a, %k : f32
    %p = math.exp %u : f32
    %d = arith.addf %p, %one : f32
    %t = arith.divf %one, %d : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is gelu, which differs by}}
  %y = linalg.mul ins(%x, %s : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// relu6 is relu as far as 6.
func.func @relu6(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %six = arith.constant 6.0 : f32
    %u = arith.maximumf %a, %zero : f32
    %t = arith.minimumf %u, %six : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A bound far out, beyond all but the neighbourhood of the constant.
func.func @bounded_far_out(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %big = arith.constant 3.0e38 : f32
    %u = arith.maximumf %a, %zero : f32
    %t = arith.minimumf %u, %big : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// relu with a slope of 0.01 on the left.
func.func @leaky_relu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.01 : f32
    %u = arith.mulf %a, %slope : f32
    %c = arith.cmpf oge, %a, %zero : f32
    %t = arith.select %c, %a, %u : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A function of two tensors is no candidate, and has no remark: max(x, y), and
// x sigmoid(y).
func.func @two_tensors(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %m = linalg.max ins(%x, %z : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %b : f32
    %p = math.exp %n : f32
    %d = arith.addf %p, %one : f32
    %t = arith.divf %a, %d : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %m, %y : tensor<4x8xf32>, tensor<4x8xf32>
}

// relu of the transposed tensor: elements change places.
func.func @transposed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %t = arith.maximumf %a, %zero : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
