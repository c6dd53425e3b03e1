// RUN: attn-opt %s --inline --symbol-dce --attn-raise-softmax 2>/dev/null | FileCheck %s --implicit-check-not=math.exp --implicit-check-not=linalg.softmax
// RUN: attn-opt %s --inline --symbol-dce --attn-raise-softmax -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attn-run %s --entry=torch_softmax1 --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=temperature --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=sink --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=half --check | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: f64 reference: match

// REMARK-DAG: [attn-r151] raised to attn.softmax scale(#attn.none) softmax(#attn.softmax)
// REMARK-DAG: [attn-r151] raised to attn.softmax scale(#attn.none) softmax(#attn.softmax1)
// REMARK-DAG: [attn-r151] raised to attn.softmax scale(#attn.constant<5.000000e-01>) softmax(#attn.softmax)
// REMARK-NOT: attn-r152

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (i, 0)>
#one = affine_map<(i, j) -> ()>
#r1 = affine_map<(i) -> (i)>
#id3 = affine_map<(h, i, j) -> (h, i, j)>
#rows3 = affine_map<(h, i, j) -> (h, i)>
#heads3 = affine_map<(h, i, j) -> (h)>
#r2 = affine_map<(h, i) -> (h, i)>
#heads2 = affine_map<(h, i) -> (h)>

// PyTorch, by torch-mlir: the maximum with its index, kept dimensions of size 1.
// CHECK-LABEL: @torch
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK: attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%arg0 : tensor<4x8xf32>) outs(%{{.*}} : tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NOT: linalg.
// CHECK: return
func.func @torch(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = call @torch_max(%x) : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %z = call @torch_sub(%x, %m) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %p = call @exp(%z) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @torch_sum(%p) : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %y = call @torch_div(%p, %s) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// softmax1 in PyTorch: the shift is not below 0, exp(-shift) is added.
// CHECK-LABEL: @torch_softmax1
// CHECK: attn.softmax scale(#attn.none) softmax(#attn.softmax1) ins(%arg0 :
// CHECK-NOT: linalg.
// CHECK: return
func.func @torch_softmax1(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %m = call @torch_max(%x) : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %e = tensor.empty() : tensor<4x1xf32>
  %shift = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<4x1xf32>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %c = arith.cmpf ult, %a, %zero : f32
    %t = arith.select %c, %zero, %a : f32
    linalg.yield %t : f32
  } -> tensor<4x1xf32>
  %z = call @torch_sub(%x, %shift) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %p = call @exp(%z) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @torch_sum(%p) : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s, %shift : tensor<4x1xf32>, tensor<4x1xf32>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.negf %b : f32
    %one = math.exp %n : f32
    %t = arith.addf %a, %one : f32
    linalg.yield %t : f32
  } -> tensor<4x1xf32>
  %y = call @torch_div(%p, %d) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// JAX, by stablehlo: each step its own op, numbers of rows broadcast first. The
// scale before it is a part of it.
// CHECK-LABEL: @jax
// CHECK: attn.softmax scale(#attn.constant<5.000000e-01>) softmax(#attn.softmax) ins(%arg0 :
// CHECK-NOT: linalg.
// CHECK: return
func.func @jax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = arith.constant dense<0.5> : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %h = linalg.mul ins(%x, %half : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = call @max(%h) : (tensor<4x8xf32>) -> tensor<4xf32>
  %w = call @broadcast(%m) : (tensor<4xf32>) -> tensor<4x8xf32>
  %z = linalg.sub ins(%h, %w : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = linalg.exp ins(%z : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%p) : (tensor<4x8xf32>) -> tensor<4xf32>
  %d = call @broadcast(%s) : (tensor<4xf32>) -> tensor<4x8xf32>
  %y = linalg.div ins(%p, %d : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The exponential of a log softmax, times something.
// CHECK-LABEL: @log_softmax_times
// CHECK: %[[P:.*]] = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%arg0 :
// CHECK: linalg.mul ins(%[[P]], %arg1 :
// CHECK-NOT: linalg.
// CHECK: return
func.func @log_softmax_times(%x: tensor<4x8xf32>, %v: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %l = call @log_softmax(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = call @exp(%l) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.mul ins(%p, %v : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// linalg.softmax along the first dimension, of a dynamic size.
// CHECK-LABEL: @named
// CHECK: attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(0) ins(%arg0 : tensor<?x8xf16>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @named(%x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x8xf16>
  %e = tensor.empty(%n) : tensor<?x8xf16>
  %y = linalg.softmax dimension(0) ins(%x : tensor<?x8xf16>) outs(%e : tensor<?x8xf16>) -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

// A division by a temperature, which is a number, and a scale of each head.
// CHECK-LABEL: @temperature
// CHECK: %[[T:.*]] = linalg.generic
// CHECK: arith.divf
// CHECK: attn.softmax scale(#attn.operand) softmax(#attn.softmax) ins(%arg0 : tensor<4x8xf32>) params(%[[T]] : tensor<f32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @temperature(%x: tensor<4x8xf32>, %t: tensor<f32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %h = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : tensor<4x8xf32>, tensor<f32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<4x8xf32>
  %y = linalg.softmax dimension(1) ins(%h : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: @heads
// CHECK: attn.softmax scale(#attn.operand) softmax(#attn.softmax) ins(%arg0 : tensor<2x4x8xf32>) params(%arg1 : tensor<2xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @heads(%x: tensor<2x4x8xf32>, %t: tensor<2xf32>) -> tensor<2x4x8xf32> {
  %e = tensor.empty() : tensor<2x4x8xf32>
  %h = linalg.generic {indexing_maps = [#id3, #heads3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %t : tensor<2x4x8xf32>, tensor<2xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %q = arith.mulf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<2x4x8xf32>
  %y = linalg.softmax dimension(2) ins(%h : tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// A sink of each head, in the shift and in the sum.
// CHECK-LABEL: @sink
// CHECK: attn.softmax scale(#attn.none) softmax(#attn.sink) ins(%arg0 : tensor<2x4x8xf32>) params(%arg1 : tensor<2xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @sink(%x: tensor<2x4x8xf32>, %t: tensor<2xf32>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x8xf32>
  %er = tensor.empty() : tensor<2x4xf32>
  %m0 = linalg.generic {indexing_maps = [#heads2, #r2], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<2xf32>) outs(%er : tensor<2x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<2x4xf32>
  %m = linalg.generic {indexing_maps = [#id3, #rows3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<2x4x8xf32>) outs(%m0 : tensor<2x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.maximumf %a, %out : f32
    linalg.yield %n : f32
  } -> tensor<2x4xf32>
  %p = linalg.generic {indexing_maps = [#id3, #rows3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %m : tensor<2x4x8xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<2x4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<2x4xf32>) -> tensor<2x4xf32>
  %s = linalg.generic {indexing_maps = [#id3, #rows3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p : tensor<2x4x8xf32>) outs(%s0 : tensor<2x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.addf %a, %out : f32
    linalg.yield %n : f32
  } -> tensor<2x4xf32>
  %y = linalg.generic {indexing_maps = [#id3, #rows3, #rows3, #heads3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %s, %m, %t : tensor<2x4x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %h: f32, %out: f32):
    %d = arith.subf %h, %c : f32
    %w = math.exp %d : f32
    %z = arith.addf %b, %w : f32
    %q = arith.divf %a, %z : f32
    linalg.yield %q : f32
  } -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// Without a shift; another number is added to the sum.
// CHECK-LABEL: @unshifted
// CHECK: attn.softmax scale(#attn.none) softmax(#attn.softmax_n<2.500000e+00>) ins(%arg0 :
// CHECK-NOT: linalg.
// CHECK: return
func.func @unshifted(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %p = call @exp(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%p) : (tensor<4x8xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.constant 2.5 : f32
    %d = arith.addf %b, %n : f32
    %t = arith.divf %a, %d : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A tensor of bf16 that is widened for it, and whose weights are rounded after.
// CHECK-LABEL: @half
// CHECK: attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%arg0 : tensor<4x8xbf16>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @half(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %e = tensor.empty() : tensor<4x8xf32>
  %eb = tensor.empty() : tensor<4x8xbf16>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xbf16>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %t = arith.extf %a : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4x8xf32>) outs(%eb : tensor<4x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// A row of which all is -inf is set to 0, which attn.softmax makes of it.
// CHECK-LABEL: @guarded
// CHECK: attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%arg0 :
// CHECK-NOT: linalg.
// CHECK: return
func.func @guarded(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %m = call @max(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %p = call @exp_of_difference(%x, %m) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %s = call @sum(%p) : (tensor<4x8xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s, %m : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %t = arith.divf %a, %b : f32
    %hidden = arith.cmpf oeq, %c, %low : f32
    %w = arith.select %hidden, %zero, %t : f32
    linalg.yield %w : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func private @exp(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = math.exp %a : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func private @exp_of_difference(%x: tensor<4x8xf32>, %m: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func private @max(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.reduce {arith.maximumf} ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  return %m : tensor<4xf32>
}
func.func private @sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  return %s : tensor<4xf32>
}
func.func private @broadcast(%x: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  return %y : tensor<4x8xf32>
}
func.func private @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = call @max(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4x8xf32>
  %p = call @exp(%z) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%p) : (tensor<4x8xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %l = math.log %b : f32
    %d = arith.subf %a, %l : f32
    linalg.yield %d : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func private @torch_max(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %ei = tensor.empty() : tensor<4xi64>
  %fi = linalg.fill ins(%zero : i64) outs(%ei : tensor<4xi64>) -> tensor<4xi64>
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f, %fi : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%a: f32, %out: f32, %at: i64):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i64
    %t = arith.maximumf %a, %out : f32
    %c = arith.cmpf ogt, %a, %out : f32
    %n = arith.select %c, %i, %at : i64
    linalg.yield %t, %n : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  %y = tensor.expand_shape %m#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}
func.func private @torch_sub(%x: tensor<4x8xf32>, %m: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<4x8xf32>, tensor<4x1xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func private @torch_sum(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x1xf32>) -> tensor<4x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f : tensor<4x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = arith.addf %a, %out : f32
    linalg.yield %t : f32
  } -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}
func.func private @torch_div(%x: tensor<4x8xf32>, %s: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x8xf32>, tensor<4x1xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
