// RUN: attn-opt %s --inline --symbol-dce --attn-raise-norm --verify-diagnostics | FileCheck %s

// Near misses stay as they are.
// CHECK-NOT: attn.norm

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
#r1 = affine_map<(i) -> (i)>

// eps outside of the root is another function.
func.func @eps_outside(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: eps is added to the root, not inside of it}}
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %eps = arith.constant 1.0e-6 : f32
    %r = math.sqrt %b : f32
    %d = arith.addf %r, %eps : f32
    %t = arith.divf %a, %d : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// torch.var divides by n - 1.
func.func @unbiased(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = call @sum(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %c = call @center(%x, %m) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %q = call @multiply(%c, %c) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %v = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: the variance is unbiased: divided by the count less one}}
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %seven = arith.constant 7.0 : f32
    %eps = arith.constant 1.0e-6 : f32
    %w = arith.divf %b, %seven : f32
    %d = arith.addf %w, %eps : f32
    %r = math.rsqrt %d : f32
    %t = arith.mulf %a, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Eight squares, divided by 16.
func.func @other_count(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: the sum of squares is multiplied by 0.062500, not by one over the count of 8}}
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.constant 16.0 : f32
    %w = arith.divf %b, %n : f32
    %r = math.rsqrt %w : f32
    %t = arith.mulf %a, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The mean square of x, but x less its mean above it.
func.func @half_centred(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = call @sum(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %c = call @center(%x, %m) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s2 = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m2 = call @divide(%s2) : (tensor<4xf32>) -> tensor<4xf32>
  %e4 = tensor.empty() : tensor<4xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: the mean is subtracted in one place only: under the root or above it}}
  %r = linalg.generic {indexing_maps = [#r1, #r1], iterator_types = ["parallel"]}
      ins(%m2 : tensor<4xf32>) outs(%e4 : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %eps = arith.constant 1.0e-6 : f32
    %d = arith.addf %a, %eps : f32
    %t = math.rsqrt %d : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %y = call @scale(%c, %r) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The root of the mean square of another tensor.
func.func @other_tensor(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %q = call @multiply(%x, %z) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %e4 = tensor.empty() : tensor<4xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: what is under the root is not the mean square, the variance or the sum of squares of the tensor that is divided by it}}
  %r = linalg.generic {indexing_maps = [#r1, #r1], iterator_types = ["parallel"]}
      ins(%m : tensor<4xf32>) outs(%e4 : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %eps = arith.constant 1.0e-6 : f32
    %d = arith.addf %a, %eps : f32
    %t = math.rsqrt %d : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %y = call @scale(%x, %r) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A standard deviation divides nothing: no candidate, and no remark.
func.func @deviation(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.sqrt ins(%m : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The sum has the larger one of two elements' squares, so that each element has
// another root.
func.func @own_root(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c8 = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (i, j)>, affine_map<(i, j, d) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%z : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %w = arith.maximumf %a, %b : f32
    %q = arith.mulf %w, %w : f32
    %t = arith.addf %acc, %q : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: what is under the root is not the mean square, the variance or the sum of squares of the tensor that is divided by it}}
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.divf %b, %c8 : f32
    %v = arith.addf %m, %eps : f32
    %r = math.rsqrt %v : f32
    %t = arith.mulf %a, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Integers are read as signed; these are unsigned.
func.func @unsigned_gamma(%x: tensor<4x8xf32>, %g: tensor<8xi8>) -> tensor<4x8xf32> {
  %c8 = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: a factor or a term does not belong to the normalised dimensions}}
  %y = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %g : tensor<4x8xf32>, tensor<4xf32>, tensor<8xi8>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %p: i8, %out: f32):
    %m = arith.divf %b, %c8 : f32
    %v = arith.addf %m, %eps : f32
    %r = math.rsqrt %v : f32
    %t = arith.mulf %a, %r : f32
    %f = arith.uitofp %p : i8 to f32
    %u = arith.mulf %t, %f : f32
    linalg.yield %u : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The same by an extension of the integers.
func.func @unsigned_extension(%x: tensor<4x8xf32>, %g: tensor<8xi8>) -> tensor<4x8xf32> {
  %c8 = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: a factor or a term does not belong to the normalised dimensions}}
  %y = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %g : tensor<4x8xf32>, tensor<4xf32>, tensor<8xi8>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %p: i8, %out: f32):
    %m = arith.divf %b, %c8 : f32
    %v = arith.addf %m, %eps : f32
    %r = math.rsqrt %v : f32
    %t = arith.mulf %a, %r : f32
    %i = arith.extui %p : i8 to i32
    %f = arith.sitofp %i : i32 to f32
    %u = arith.mulf %t, %f : f32
    linalg.yield %u : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A sum of integers of 8 bits wraps where a sum of floats goes on.
func.func @wrapping_gamma(%x: tensor<4x8xf32>, %g: tensor<8xi8>) -> tensor<4x8xf32> {
  %c8 = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: a factor or a term does not belong to the normalised dimensions}}
  %y = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %g : tensor<4x8xf32>, tensor<4xf32>, tensor<8xi8>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %p: i8, %out: f32):
    %m = arith.divf %b, %c8 : f32
    %v = arith.addf %m, %eps : f32
    %r = math.rsqrt %v : f32
    %t = arith.mulf %a, %r : f32
    %c = arith.constant 100 : i8
    %i = arith.addi %p, %c : i8
    %f = arith.sitofp %i : i8 to f32
    %u = arith.mulf %t, %f : f32
    linalg.yield %u : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A truncation keeps the low bits, not the number.
func.func @truncated_gamma(%x: tensor<4x8xf32>, %g: tensor<8xi32>) -> tensor<4x8xf32> {
  %c8 = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: a factor or a term does not belong to the normalised dimensions}}
  %y = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %g : tensor<4x8xf32>, tensor<4xf32>, tensor<8xi32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %p: i32, %out: f32):
    %m = arith.divf %b, %c8 : f32
    %v = arith.addf %m, %eps : f32
    %r = math.rsqrt %v : f32
    %t = arith.mulf %a, %r : f32
    %i = arith.trunci %p : i32 to i8
    %f = arith.sitofp %i : i8 to f32
    %u = arith.mulf %t, %f : f32
    linalg.yield %u : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// 8.000001 is no rounding of the count where elements are f64.
func.func @almost_count(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %zero = arith.constant 0.0 : f64
  %n = arith.constant 8.000001 : f64
  %eps = arith.constant 1.0e-5 : f64
  %r0 = tensor.empty() : tensor<4xf64>
  %z = linalg.fill ins(%zero : f64) outs(%r0 : tensor<4xf64>) -> tensor<4xf64>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf64>) outs(%z : tensor<4xf64>) {
  ^bb0(%a: f64, %acc: f64):
    %q = arith.mulf %a, %a : f64
    %t = arith.addf %acc, %q : f64
    linalg.yield %t : f64
  } -> tensor<4xf64>
  %e = tensor.empty() : tensor<4x8xf64>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: the sum of squares is multiplied by 0.125000, not by one over the count of 8}}
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x8xf64>, tensor<4xf64>) outs(%e : tensor<4x8xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %m = arith.divf %b, %n : f64
    %v = arith.addf %m, %eps : f64
    %r = math.rsqrt %v : f64
    %t = arith.mulf %a, %r : f64
    linalg.yield %t : f64
  } -> tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// A mean of f64 that is subtracted from f32 is closer than the norm's.
func.func @wide_mean(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f64
  %n = arith.constant 8.0 : f64
  %eps = arith.constant 1.0e-5 : f64
  %r0 = tensor.empty() : tensor<4xf64>
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f64) outs(%r0 : tensor<4xf64>) -> tensor<4xf64>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf64>) {
  ^bb0(%a: f32, %acc: f64):
    %w = arith.extf %a : f32 to f64
    %t = arith.addf %acc, %w : f64
    linalg.yield %t : f64
  } -> tensor<4xf64>
  %v = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %s : tensor<4x8xf32>, tensor<4xf64>) outs(%z : tensor<4xf64>) {
  ^bb0(%a: f32, %b: f64, %acc: f64):
    %w = arith.extf %a : f32 to f64
    %m = arith.divf %b, %n : f64
    %d = arith.subf %w, %m : f64
    %q = arith.mulf %d, %d : f64
    %t = arith.addf %acc, %q : f64
    linalg.yield %t : f64
  } -> tensor<4xf64>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: the mean is computed in f64, the norm's is in f32}}
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %v : tensor<4x8xf32>, tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f64, %c: f64, %out: f32):
    %w = arith.extf %a : f32 to f64
    %m = arith.divf %b, %n : f64
    %d = arith.subf %w, %m : f64
    %q = arith.divf %c, %n : f64
    %u = arith.addf %q, %eps : f64
    %r = math.rsqrt %u : f64
    %p = arith.mulf %d, %r : f64
    %t = arith.truncf %p : f64 to f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Nobody says that there are elements to divide by.
func.func @variance_or_nan(%x: tensor<4x8xf32>, %given: tensor<i1>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %has = tensor.extract %given[] : tensor<i1>
  %e = tensor.empty() : tensor<4xf32>
  %v = linalg.generic {indexing_maps = [#r1, #r1], iterator_types = ["parallel"]} ins(%m : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %y = arith.select %has, %a, %nan : f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  %er = tensor.empty() : tensor<4xf32>
  // expected-remark @+1 {{[attn-r112] not raised to attn.norm: what is under the root is not the mean square, the variance or the sum of squares of the tensor that is divided by it}}
  %r = linalg.generic {indexing_maps = [#r1, #r1], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%er : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %y = math.rsqrt %a : f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  %n = call @scale(%x, %r) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %n : tensor<4x8xf32>
}

func.func private @multiply(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.mul ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func private @sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %y : tensor<4xf32>
}

func.func private @divide(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#r1, #r1], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.constant 8.0 : f32
    %t = arith.divf %a, %n : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @scale(%x: tensor<4x8xf32>, %r: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func private @center(%x: tensor<4x8xf32>, %m: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.subf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
