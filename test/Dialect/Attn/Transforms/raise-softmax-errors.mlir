// RUN: attn-opt %s --inline --symbol-dce --attn-raise-softmax --verify-diagnostics | FileCheck %s

// Near misses stay as they are.
// CHECK-NOT: attn.softmax

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The sum is that of other exponentials.
func.func @other_sum(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  // expected-remark @below {{[attn-r152] not raised to attn.softmax: the denominator is not the sum of the same exponentials}}
  %p = linalg.exp ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = linalg.mul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.exp ins(%c : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = call @sum(%q) : (tensor<8x8xf32>) -> tensor<8xf32>
  %y = call @divide(%p, %s) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// With the shift a number in the denominator is not that number of keys.
func.func @eps(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = call @max(%x) : (tensor<8x8xf32>) -> tensor<8xf32>
  %o = tensor.empty() : tensor<8x8xf32>
  // expected-remark @below {{[attn-r152] not raised to attn.softmax: the extra term of the denominator is not a constant number of keys with logit 0 (with the row shift accounted for)}}
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<8x8xf32>, tensor<8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  %s = call @sum(%p) : (tensor<8x8xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %eps = arith.constant 1.0e-6 : f32
    %d = arith.addf %b, %eps : f32
    %t = arith.divf %a, %d : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// Weights of squares: no tensor has them, and the exponent is no multiple of x.
func.func @squares(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %q = arith.mulf %a, %a : f32
    %w = math.exp %q : f32
    %t = arith.addf %w, %out : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  // expected-remark @below {{[attn-r152] not raised to attn.softmax: the exponent is not the tensor times a scale}}
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %q = arith.mulf %a, %a : f32
    %w = math.exp %q : f32
    %t = arith.divf %w, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// The shift is not the row's own: where it is infinite, so is the result.
func.func @other_shift(%x: tensor<8x8xf32>, %m: tensor<8xf32>) -> tensor<8x8xf32> {
  %o = tensor.empty() : tensor<8x8xf32>
  // expected-remark @below {{[attn-r152] not raised to attn.softmax: the row is shifted by another tensor}}
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<8x8xf32>, tensor<8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  %s = call @sum(%p) : (tensor<8x8xf32>) -> tensor<8xf32>
  %y = call @divide(%p, %s) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// Something else needs the exponentials, and would leave them where they are.
func.func @shared(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %m = call @max(%x) : (tensor<8x8xf32>) -> tensor<8xf32>
  %z = call @difference(%x, %m) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %o = tensor.empty() : tensor<8x8xf32>
  // expected-remark @below {{[attn-r152] not raised to attn.softmax: something else uses a step, which would be computed twice}}
  %p = linalg.exp ins(%z : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = call @sum(%p) : (tensor<8x8xf32>) -> tensor<8xf32>
  %y = call @divide(%p, %s) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  return %y, %p : tensor<8x8xf32>, tensor<8x8xf32>
}

// f64 between tensors of f32 says that f32 is not enough.
func.func @wide(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf64>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf64>) {
  ^bb0(%a: f32, %out: f64):
    %t = arith.extf %a : f32 to f64
    linalg.yield %t : f64
  } -> tensor<8x8xf64>
  %f = tensor.empty() : tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) {
  ^bb0(%a: f64, %out: f64):
    %t = math.exp %a : f64
    linalg.yield %t : f64
  } -> tensor<8x8xf64>
  %zero = arith.constant 0.0 : f64
  %er = tensor.empty() : tensor<8xf64>
  %f0 = linalg.fill ins(%zero : f64) outs(%er : tensor<8xf64>) -> tensor<8xf64>
  %s = linalg.reduce {arith.addf} ins(%p : tensor<8x8xf64>) outs(%f0 : tensor<8xf64>) dimensions = [1]
  // The exponentials are here, too.
  // expected-remark @below {{[attn-r152] not raised to attn.softmax: a step is computed in f64, the sums of attn.softmax are in f32}}
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<8x8xf64>, tensor<8xf64>) outs(%f : tensor<8x8xf32>) {
  ^bb0(%a: f64, %b: f64, %out: f32):
    %q = math.exp %a : f64
    %t = arith.divf %q, %b : f64
    %u = arith.truncf %t : f64 to f32
    linalg.yield %u : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// A sink of each row: those of attn.softmax are of heads.
func.func @sink_of_row(%x: tensor<8x8xf32>, %t: tensor<8xf32>) -> tensor<8x8xf32> {
  %o = tensor.empty() : tensor<8x8xf32>
  // expected-remark @below {{[attn-r152] not raised to attn.softmax: a scale or a sink varies with dimensions that a param of attn.softmax does not have}}
  %p = linalg.exp ins(%x : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = call @sum(%p) : (tensor<8x8xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  // expected-remark @below {{[attn-r152] not raised to attn.softmax: a scale or a sink varies with dimensions that a param of attn.softmax does not have}}
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s, %t : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %w = math.exp %c : f32
    %d = arith.addf %b, %w : f32
    %q = arith.divf %a, %d : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// No softmax at all, and not worth a word: a log softmax, whose smallest results
// are the logarithms of no weight that is not 0, and x sigmoid(x).
func.func @log_softmax(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = call @max(%x) : (tensor<8x8xf32>) -> tensor<8xf32>
  %z = call @difference(%x, %m) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %o = tensor.empty() : tensor<8x8xf32>
  %p = linalg.exp ins(%z : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = call @sum(%p) : (tensor<8x8xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m, %s : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %l = math.log %c : f32
    %t = arith.subf %d, %l : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

func.func @silu(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %w = math.exp %n : f32
    %d = arith.addf %w, %one : f32
    %t = arith.divf %a, %d : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// Rows are set to 0 where all of another tensor is -inf.
func.func @other_guard(%x: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %m = call @max(%x) : (tensor<8x8xf32>) -> tensor<8xf32>
  %n = call @max(%z) : (tensor<8x8xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %c = call @difference(%x, %m) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{[attn-r152] not raised to attn.softmax: a mask selects weights}}
  %p = linalg.exp ins(%c : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = call @sum(%p) : (tensor<8x8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s, %n : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %h: f32, %out: f32):
    %t = arith.divf %a, %b : f32
    %hidden = arith.cmpf oeq, %h, %low : f32
    %w = arith.select %hidden, %zero, %t : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

func.func private @difference(%x: tensor<8x8xf32>, %m: tensor<8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
func.func private @max(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.reduce {arith.maximumf} ins(%x : tensor<8x8xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  return %m : tensor<8xf32>
}
func.func private @sum(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<8x8xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  return %s : tensor<8xf32>
}
func.func private @divide(%p: tensor<8x8xf32>, %s: tensor<8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
