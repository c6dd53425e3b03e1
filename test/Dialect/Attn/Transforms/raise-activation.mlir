// RUN: attn-opt %s --attn-raise-activation 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK-COUNT-25: [attn-r121] raised to attn.activation
// REMARK-NOT: attn-r122

#id = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>

// PyTorch's relu is a comparison.
// CHECK-LABEL: @relu
// CHECK-NEXT: attn.activation relu %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @relu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %c = arith.cmpf ugt, %a, %zero : f32
    %t = arith.select %c, %a, %zero : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// JAX's relu is a maximum with a broadcast; dynamic sizes.
// CHECK-LABEL: @relu_by_maximum
// CHECK: attn.activation relu %arg0 : tensor<?x8xf32>
// CHECK-NOT: linalg.
// CHECK: return
func.func @relu_by_maximum(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %z = linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel", "parallel"]}
      ins(%zero : tensor<f32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?x8xf32>
  %y = linalg.max ins(%x, %z : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// gelu of PyTorch, in one body.
// CHECK-LABEL: @gelu
// CHECK-NEXT: attn.activation gelu %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @gelu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 1.41421354 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %u = arith.divf %a, %root : f32
    %r = math.erf %u : f32
    %s = arith.addf %r, %one : f32
    %h = arith.mulf %s, %half : f32
    %t = arith.mulf %a, %h : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// gelu of JAX, through the complement of erf.
// CHECK-LABEL: @gelu_by_erfc
// CHECK-NEXT: attn.activation gelu %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @gelu_by_erfc(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = arith.constant 0.5 : f32
  %root = arith.constant -0.707106769 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %u = arith.mulf %a, %root : f32
    %r = math.erfc %u : f32
    %h = arith.mulf %a, %half : f32
    %t = arith.mulf %h, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The other gelu, in several ops.
// CHECK-LABEL: @gelu_tanh
// CHECK-NEXT: attn.activation gelu_tanh %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @gelu_tanh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %x2 = linalg.mul ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %x3 = linalg.mul ins(%x2, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %u = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x3 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %k = arith.constant 4.471500e-02 : f32
    %c = arith.constant 0.797884583 : f32
    %v = arith.mulf %b, %k : f32
    %w = arith.addf %a, %v : f32
    %t = arith.mulf %w, %c : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  %h = linalg.tanh ins(%u : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %h : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %b, %one : f32
    %q = arith.mulf %a, %half : f32
    %t = arith.mulf %q, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// x sigmoid(x), where the sigmoid is a result of its own: both are raised.
// CHECK-LABEL: @silu_and_sigmoid
// CHECK-NEXT: %[[S:.*]] = attn.activation sigmoid %arg0
// CHECK-NEXT: %[[Y:.*]] = attn.activation silu %arg0
// CHECK-NEXT: return %[[Y]], %[[S]]
func.func @silu_and_sigmoid(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %d = arith.addf %p, %one : f32
    %t = arith.divf %one, %d : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  %y = linalg.mul ins(%x, %s : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y, %s : tensor<4x8xf32>, tensor<4x8xf32>
}

// A sigmoid through tanh, f16 with the arithmetic in f32.
// CHECK-LABEL: @sigmoid_by_tanh
// CHECK-NEXT: attn.activation sigmoid %arg0 : tensor<4x8xf16>
// CHECK-NEXT: return
func.func @sigmoid_by_tanh(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %e = tensor.empty() : tensor<4x8xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf16>) outs(%e : tensor<4x8xf16>) {
  ^bb0(%a: f16, %out: f16):
    %half = arith.constant 0.5 : f32
    %w = arith.extf %a : f16 to f32
    %u = arith.mulf %w, %half : f32
    %h = math.tanh %u : f32
    %v = arith.mulf %h, %half : f32
    %s = arith.addf %v, %half : f32
    %t = arith.truncf %s : f32 to f16
    linalg.yield %t : f16
  } -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}

// PyTorch's softplus turns into x above 20.
// CHECK-LABEL: @softplus
// CHECK-NEXT: attn.activation softplus %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @softplus(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %limit = arith.constant 20.0 : f32
    %p = math.exp %a : f32
    %l = math.log1p %p : f32
    %c = arith.cmpf ogt, %a, %limit : f32
    %t = arith.select %c, %a, %l : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// elu, with the guard that keeps the branch that is not taken finite.
// CHECK-LABEL: @elu
// CHECK-NEXT: attn.activation elu %arg0 : tensor<4x8xf64>
// CHECK-NEXT: return
func.func @elu(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %e = tensor.empty() : tensor<4x8xf64>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf64>) outs(%e : tensor<4x8xf64>) {
  ^bb0(%a: f64, %out: f64):
    %zero = arith.constant 0.0 : f64
    %c = arith.cmpf ogt, %a, %zero : f64
    %safe = arith.select %c, %zero, %a : f64
    %m = math.expm1 %safe : f64
    %t = arith.select %c, %a, %m : f64
    linalg.yield %t : f64
  } -> tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// selu; its constants are those of f32.
// CHECK-LABEL: @selu
// CHECK-NEXT: attn.activation selu %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @selu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %alpha = arith.constant 1.67326319 : f32
    %lambda = arith.constant 1.05070102 : f32
    %p = math.exp %a : f32
    %q = arith.subf %p, %one : f32
    %r = arith.mulf %q, %alpha : f32
    %c = arith.cmpf ogt, %a, %zero : f32
    %s = arith.select %c, %a, %r : f32
    %t = arith.mulf %s, %lambda : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// tanh of a sum of two tensors: the sum stays.
// CHECK-LABEL: @tanh
// CHECK: %[[S:.*]] = linalg.add
// CHECK-NEXT: attn.activation tanh %[[S]] : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @tanh(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.add ins(%x, %z : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.tanh ins(%s : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// JAX's exact gelu cuts an exponential off: where the guard holds, the result is
// 0 whatever the rest is.
// CHECK-LABEL: @guarded_silu
// CHECK-NEXT: attn.activation silu %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @guarded_silu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %limit = arith.constant -88.0 : f32
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %d = arith.addf %p, %one : f32
    %s = arith.divf %a, %d : f32
    %c = arith.cmpf olt, %a, %limit : f32
    %t = arith.select %c, %zero, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// JAX's softplus adds in logarithms, and tests for NaN.
// CHECK-LABEL: @softplus_by_logaddexp
// CHECK-NEXT: attn.activation softplus %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @softplus_by_logaddexp(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %a, %zero : f32
    %d = arith.subf %a, %zero : f32
    %c = arith.cmpf une, %d, %d : f32
    %s = arith.addf %a, %zero : f32
    %size = math.absf %d : f32
    %n = arith.negf %size : f32
    %p = math.exp %n : f32
    %l = math.log1p %p : f32
    %u = arith.addf %m, %l : f32
    %t = arith.select %c, %s, %u : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// gelu in f64, with the constant of f64.
// CHECK-LABEL: @gelu_f64
// CHECK-NEXT: attn.activation gelu %arg0 : tensor<4x8xf64>
// CHECK-NEXT: return
func.func @gelu_f64(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %e = tensor.empty() : tensor<4x8xf64>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf64>) outs(%e : tensor<4x8xf64>) {
  ^bb0(%a: f64, %out: f64):
    %half = arith.constant 0.5 : f64
    %one = arith.constant 1.0 : f64
    %root = arith.constant 1.4142135623730951 : f64
    %u = arith.divf %a, %root : f64
    %r = math.erf %u : f64
    %s = arith.addf %r, %one : f64
    %h = arith.mulf %s, %half : f64
    %t = arith.mulf %a, %h : f64
    linalg.yield %t : f64
  } -> tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// CLIP's x sigmoid(1.702 x).
// CHECK-LABEL: @quick_gelu
// CHECK-NEXT: attn.activation quick_gelu %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @quick_gelu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %k = arith.constant 1.702 : f32
    %u = arith.mulf %a, %k : f32
    %n = arith.negf %u : f32
    %p = math.exp %n : f32
    %d = arith.addf %p, %one : f32
    %s = arith.divf %one, %d : f32
    %t = arith.mulf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// x relu6(x + 3) / 6.
// CHECK-LABEL: @hard_swish
// CHECK-NEXT: attn.activation hard_swish %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @hard_swish(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %three = arith.constant 3.0 : f32
    %six = arith.constant 6.0 : f32
    %u = arith.addf %a, %three : f32
    %v = arith.maximumf %u, %zero : f32
    %w = arith.minimumf %v, %six : f32
    %m = arith.mulf %a, %w : f32
    %t = arith.divf %m, %six : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// x tanh(softplus(x)).
// CHECK-LABEL: @mish
// CHECK-NEXT: attn.activation mish %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @mish(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %p = math.exp %a : f32
    %l = math.log1p %p : f32
    %h = math.tanh %l : f32
    %t = arith.mulf %a, %h : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The slope below 0 that frameworks begin with.
// CHECK-LABEL: @leaky_relu
// CHECK-NEXT: attn.activation leaky_relu %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @leaky_relu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.01 : f32
    %p = arith.cmpf oge, %a, %zero : f32
    %m = arith.mulf %a, %slope : f32
    %t = arith.select %p, %a, %m : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A clamp, from above first.
// CHECK-LABEL: @relu6
// CHECK-NEXT: attn.activation relu6 %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @relu6(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %six = arith.constant 6.0 : f32
    %m = arith.minimumf %a, %six : f32
    %t = arith.maximumf %m, %zero : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// x / 6 + 1/2 between 0 and 1.
// CHECK-LABEL: @hard_sigmoid
// CHECK-NEXT: attn.activation hard_sigmoid %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @hard_sigmoid(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %sixth = arith.constant 0.166666672 : f32
    %m = arith.mulf %a, %sixth : f32
    %s = arith.addf %m, %half : f32
    %u = arith.maximumf %s, %zero : f32
    %t = arith.minimumf %u, %one : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// x / (1 + |x|).
// CHECK-LABEL: @softsign
// CHECK-NEXT: attn.activation softsign %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @softsign(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %m = math.absf %a : f32
    %s = arith.addf %m, %one : f32
    %t = arith.divf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The square of relu, in bf16.
// CHECK-LABEL: @relu_squared
// CHECK-NEXT: attn.activation relu_squared %arg0 : tensor<4x8xbf16>
// CHECK-NEXT: return
func.func @relu_squared(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %e = tensor.empty() : tensor<4x8xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xbf16>) outs(%e : tensor<4x8xbf16>) {
  ^bb0(%a: bf16, %out: bf16):
    %zero = arith.constant 0.0 : bf16
    %two = arith.constant 2 : i64
    %u = arith.maximumf %a, %zero : bf16
    %t = math.fpowi %u, %two : bf16, i64
    linalg.yield %t : bf16
  } -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// The root of 2 in bf16 is 1.4140625.
// CHECK-LABEL: @gelu_bf16
// CHECK-NEXT: attn.activation gelu %arg0 : tensor<4x8xbf16>
// CHECK-NEXT: return
func.func @gelu_bf16(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %e = tensor.empty() : tensor<4x8xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xbf16>) outs(%e : tensor<4x8xbf16>) {
  ^bb0(%a: bf16, %out: bf16):
    %half = arith.constant 0.5 : bf16
    %one = arith.constant 1.0 : bf16
    %root = arith.constant 1.414210e+00 : bf16
    %u = arith.divf %a, %root : bf16
    %r = math.erf %u : bf16
    %s = arith.addf %r, %one : bf16
    %h = arith.mulf %s, %half : bf16
    %t = arith.mulf %a, %h : bf16
    linalg.yield %t : bf16
  } -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// A gain that keeps the second moment of normal numbers, with its usual digits: 0.2933790 is E sigmoid(z)^2.
// CHECK-LABEL: @unit_moment
// CHECK-NEXT: attn.activation sigmoid unit_moment %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return
func.func @unit_moment(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = arith.constant 1.0 : f32
  %second = arith.constant 0.293379 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    %x0 = math.exp %n : f32
    %d = arith.addf %x0, %one : f32
    %s = arith.divf %one, %d : f32
    %root = math.sqrt %second : f32
    %r = arith.divf %s, %root : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Its mean is subtracted first, in an op of its own; and relu times sqrt(2).
// CHECK-LABEL: @centred
// CHECK: %[[C:.*]] = attn.activation sigmoid centered %arg0 : tensor<4x8xf32>
// CHECK-NEXT: %[[S:.*]] = attn.activation sigmoid centered unit_moment %arg0 : tensor<4x8xf32>
// CHECK-NEXT: %[[R:.*]] = attn.activation relu unit_moment %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return %[[S]], %[[C]], %[[R]]
func.func @centred(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %gain = arith.constant 4.8013134 : f32
  %root = arith.constant 1.41421356 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    %x0 = math.exp %n : f32
    %d = arith.addf %x0, %one : f32
    %s = arith.divf %one, %d : f32
    %r = arith.subf %s, %half : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.mulf %a, %gain : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.maximumf %a, %zero : f32
    %r = arith.mulf %m, %root : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %y, %c, %z : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// The root of another number is no such gain: it stays behind the activation.
// CHECK-LABEL: @other_gain
// CHECK: %[[S:.*]] = attn.activation sigmoid %arg0 : tensor<4x8xf32>
// CHECK: linalg.generic {{.*}} ins(%[[S]]
func.func @other_gain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = arith.constant 1.0 : f32
  %gain = arith.constant 1.85 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    %x0 = math.exp %n : f32
    %d = arith.addf %x0, %one : f32
    %r = arith.divf %one, %d : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.mulf %a, %gain : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
