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

// x sigmoid(1.6 x), where quick_gelu has 1.702. Its sigmoid is part of it, and
// has no remark of its own.
func.func @slow_gelu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %k = arith.constant -1.6 : f32
    %u = arith.mulf %a, %k : f32
    %p = math.exp %u : f32
    %d = arith.addf %p, %one : f32
    %t = arith.divf %one, %d : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is quick_gelu, which differs by}}
  %y = linalg.mul ins(%x, %s : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A clamp at 5 is relu as far as 5.
func.func @relu5(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %five = arith.constant 5.0 : f32
    %u = arith.maximumf %a, %zero : f32
    %t = arith.minimumf %u, %five : f32
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

// leaky_relu with another slope than 0.01.
func.func @slope(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is leaky_relu, which differs by}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.02 : f32
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

// A lower bound, as before a division or a logarithm: relu has an exact 0 there.
func.func @tiny_bound(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by 1.00e-12}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %k = arith.constant 1.0e-12 : f32
    %t = arith.maximumf %a, %k : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// relu, and a little more.
func.func @relu_and_epsilon(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by 9.00e-08}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    %k = arith.constant 9.0e-08 : f32
    %t = arith.addf %r, %k : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A sigmoid with a bound for its logarithm.
func.func @sigmoid_and_epsilon(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is sigmoid, which differs by}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %k = arith.constant 1.0e-08 : f32
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %d = arith.addf %p, %one : f32
    %s = arith.divf %one, %d : f32
    %t = arith.addf %s, %k : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// relu but for one number.
func.func @relu_but_one(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by 6.70e+00 at 3.00e-01}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    %k = arith.constant 0.3 : f32
    %s = arith.constant 7.0 : f32
    %c = arith.cmpf oeq, %a, %k : f32
    %t = arith.select %c, %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// relu but for what no sample may hit: a number that an expression is compared with.
func.func @relu_but_cube(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    %k = arith.constant 3.7 : f32
    %s = arith.constant 7.0 : f32
    %aa = arith.mulf %a, %a : f32
    %aaa = arith.mulf %aa, %a : f32
    %c = arith.cmpf oeq, %aaa, %k : f32
    %t = arith.select %c, %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// relu but for a narrow window.
func.func @relu_but_window(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by 6.70e+00 at 3.00e-01}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    %k = arith.constant 0.3 : f32
    %l = arith.constant 0.3003 : f32
    %s = arith.constant 7.0 : f32
    %above = arith.cmpf ogt, %a, %k : f32
    %below = arith.cmpf olt, %a, %l : f32
    %c = arith.andi %above, %below : i1
    %t = arith.select %c, %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A window that its constants do not show.
func.func @relu_but_scaled_window(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    %k = arith.constant 0.01 : f32
    %l = arith.constant -3.05 : f32
    %w = arith.constant 0.2 : f32
    %s = arith.constant 7.0 : f32
    %u = arith.mulf %a, %k : f32
    %v = arith.addf %u, %l : f32
    %d = math.absf %v : f32
    %c = arith.cmpf olt, %d, %w : f32
    %t = arith.select %c, %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// NaN becomes 0, and relu keeps it: by a test for NaN, ...
func.func @relu_without_nan(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by nan at nan, which the source makes a number}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    %c = arith.cmpf uno, %a, %a : f32
    %t = arith.select %c, %zero, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// ... by the maximum that ignores it, ...
func.func @relu_maxnum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by nan at nan, which the source makes a number}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %t = arith.maxnumf %a, %zero : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// ... and by an ordered comparison.
func.func @relu_ordered(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by nan at nan, which the source makes a number}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %a, %zero : f32
    %t = arith.select %c, %a, %zero : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Infinity becomes a number.
func.func @relu_finite(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by INF at INF}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    %inf = arith.constant 0x7F800000 : f32
    %s = arith.constant 3.0e38 : f32
    %c = arith.cmpf oeq, %a, %inf : f32
    %t = arith.select %c, %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Infinity far out, and no overflow makes it.
func.func @relu_infinite(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is relu, which differs by INF at 3.12e+01}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    %inf = arith.constant 0x7F800000 : f32
    %k = arith.constant 31.0 : f32
    %c = arith.cmpf ogt, %a, %k : f32
    %t = arith.select %c, %inf, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// gelu in f64 with a constant of f32.
func.func @gelu_f64(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %e = tensor.empty() : tensor<4x8xf64>
  // expected-remark @+1 {{[attn-r122] not raised to attn.activation: nearest is gelu, which differs by 4.64e-09}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf64>) outs(%e : tensor<4x8xf64>) {
  ^bb0(%a: f64, %out: f64):
    %half = arith.constant 0.5 : f64
    %one = arith.constant 1.0 : f64
    %root = arith.constant 1.41421354 : f64
    %u = arith.divf %a, %root : f64
    %r = math.erf %u : f64
    %s = arith.addf %r, %one : f64
    %h = arith.mulf %s, %half : f64
    %t = arith.mulf %a, %h : f64
    linalg.yield %t : f64
  } -> tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// The tanh gelu with the digits of torch-mlir.
func.func @gelu_digits(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark-re @+1 {{nearest is gelu_tanh, which differs by {{.*}}: the source has 0.044708 for its 0.044715}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %three = arith.constant 3.0 : f32
    %digits = arith.constant 4.470800e-02 : f32
    %root = arith.constant 0.797884583 : f32
    %cube = math.powf %a, %three : f32
    %c = arith.mulf %cube, %digits : f32
    %s = arith.addf %a, %c : f32
    %u = arith.mulf %s, %root : f32
    %r = math.tanh %u : f32
    %p = arith.addf %r, %one : f32
    %h = arith.mulf %p, %half : f32
    %t = arith.mulf %a, %h : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Two relus of two tensors are no square.
func.func @product_of_relus(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %u = arith.maximumf %a, %zero : f32
    %v = arith.maximumf %b, %zero : f32
    %t = arith.mulf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// gelu in bf16, and 4e-5 x: far out that is all there is.
func.func @leaking_gelu(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %e = tensor.empty() : tensor<4x8xbf16>
  // expected-remark @+1 {{nearest is gelu, which differs by}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xbf16>) outs(%e : tensor<4x8xbf16>) {
  ^bb0(%a: bf16, %out: bf16):
    %half = arith.constant 0.5 : bf16
    %one = arith.constant 1.0 : bf16
    %root = arith.constant 1.414210e+00 : bf16
    %leak = arith.constant 4.0e-05 : bf16
    %u = arith.divf %a, %root : bf16
    %r = math.erf %u : bf16
    %s = arith.addf %r, %one : bf16
    %h = arith.mulf %s, %half : bf16
    %g = arith.addf %h, %leak : bf16
    %t = arith.mulf %a, %g : bf16
    linalg.yield %t : bf16
  } -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}
