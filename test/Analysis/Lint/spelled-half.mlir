// Functions that frameworks spell out count in half types, too, whose ops do not
// fold: before attn-fuse-epilogue, which computes them in f32, as after it.

// RUN: attn-opt %s --attn-lint -verify-diagnostics -o /dev/null
// RUN: attn-opt %s --attn-lint -o /dev/null 2> %t.before
// RUN: attn-opt %s --attn-fuse-epilogue -o %t.mlir
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2> %t.after
// RUN: grep -oE "(warning|note): .*" %t.before | sed -E "s/(linalg|arith|math)\.[a-z0-9]+: /op: /" > %t.texts
// RUN: grep -oE "(warning|note): .*" %t.after | sed -E "s/(linalg|arith|math)\.[a-z0-9]+: /op: /" | diff %t.texts -
// RUN: attn-opt %s --attn-lint=fix 2> /dev/null | attn-opt --attn-lint -o /dev/null 2>&1 | count 0

#same = affine_map<(i, j) -> (i, j)>

// tanh as one op, of which nothing but its evaluation is known.
func.func @tanh_bf16(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xbf16> {
  %e = tensor.empty() : tensor<16x64xbf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  // expected-warning@below {{[attn-w103] math.tanh: tanh turns a second moment of 1 into 0.3943}}
  // expected-note@below {{mend it by a factor of 1.593 behind it}}
  %t = math.tanh %a : tensor<16x64xbf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %y : tensor<16x64xbf16>
}

// tanh as (exp(2x) - 1) / (exp(2x) + 1).
func.func @exp_bf16(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xbf16> {
  %e = tensor.empty() : tensor<16x64xbf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  %one = arith.constant dense<1.0> : tensor<16x64xbf16>
  %two = arith.constant dense<2.0> : tensor<16x64xbf16>
  %d = arith.mulf %a, %two : tensor<16x64xbf16>
  %p = math.exp %d : tensor<16x64xbf16>
  %n = arith.subf %p, %one : tensor<16x64xbf16>
  %q = arith.addf %p, %one : tensor<16x64xbf16>
  // expected-warning@below {{[attn-w103] arith.divf: tanh turns a second moment of 1 into 0.3943}}
  // expected-note@below {{mend it by a factor of 1.593 behind it}}
  %t = arith.divf %n, %q : tensor<16x64xbf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %y : tensor<16x64xbf16>
}

// A sigmoid as a body.
func.func @sigmoid_bf16(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xbf16> {
  %e = tensor.empty() : tensor<16x64xbf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  // expected-warning@below {{[attn-w103] linalg.generic: sigmoid turns a second moment of 1 into 0.2934}}
  // expected-note@below {{mend it by a factor of 1.846 behind it}}
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<16x64xbf16>) outs(%e : tensor<16x64xbf16>) {
  ^bb0(%v: bf16, %out: bf16):
    %one = arith.constant 1.0 : bf16
    %n = arith.negf %v : bf16
    %p = math.exp %n : bf16
    %q = arith.addf %p, %one : bf16
    %s = arith.divf %one, %q : bf16
    linalg.yield %s : bf16
  } -> tensor<16x64xbf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %y : tensor<16x64xbf16>
}

// A softplus in f32, cast back.
func.func @softplus_bf16(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xbf16> {
  %e = tensor.empty() : tensor<16x64xbf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  // expected-warning@below {{[attn-w103] linalg.generic: softplus turns a second moment of 1 into}}
  // expected-note@below {{mend it by a factor of 1.042 behind it}}
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<16x64xbf16>) outs(%e : tensor<16x64xbf16>) {
  ^bb0(%v: bf16, %out: bf16):
    %wide = arith.extf %v : bf16 to f32
    %p = math.exp %wide : f32
    %l = math.log1p %p : f32
    %r = arith.truncf %l : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<16x64xbf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %y : tensor<16x64xbf16>
}

// One that does not overflow: max(x, 0) + log(1 + exp(-|x|)).
func.func @stable_bf16(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xbf16> {
  %e = tensor.empty() : tensor<16x64xbf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  // expected-warning@below {{[attn-w103] linalg.generic: softplus turns a second moment of 1 into}}
  // expected-note@below {{mend it by a factor of 1.042 behind it}}
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<16x64xbf16>) outs(%e : tensor<16x64xbf16>) {
  ^bb0(%v: bf16, %out: bf16):
    %zero = arith.constant 0.0 : bf16
    %c = arith.cmpf ogt, %v, %zero : bf16
    %n = math.absf %v : bf16
    %m = arith.negf %n : bf16
    %p = math.exp %m : bf16
    %l = math.log1p %p : bf16
    %s = arith.select %c, %v, %zero : bf16
    %r = arith.addf %s, %l : bf16
    linalg.yield %r : bf16
  } -> tensor<16x64xbf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %y : tensor<16x64xbf16>
}

// tanh / 3 is another function.
func.func @scaled_bf16(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xbf16> {
  %e = tensor.empty() : tensor<16x64xbf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<16x64xbf16>) outs(%e : tensor<16x64xbf16>) {
  ^bb0(%v: bf16, %out: bf16):
    %third = arith.constant 0.333 : bf16
    %p = math.tanh %v : bf16
    %r = arith.mulf %p, %third : bf16
    linalg.yield %r : bf16
  } -> tensor<16x64xbf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %y : tensor<16x64xbf16>
}

// tanh as one op, of which nothing but its evaluation is known.
func.func @tanh_f16(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  // expected-warning@below {{[attn-w103] math.tanh: tanh turns a second moment of 1 into 0.3943}}
  // expected-note@below {{mend it by a factor of 1.593 behind it}}
  %t = math.tanh %a : tensor<16x64xf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// tanh as (exp(2x) - 1) / (exp(2x) + 1).
func.func @exp_f16(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  %one = arith.constant dense<1.0> : tensor<16x64xf16>
  %two = arith.constant dense<2.0> : tensor<16x64xf16>
  %d = arith.mulf %a, %two : tensor<16x64xf16>
  %p = math.exp %d : tensor<16x64xf16>
  %n = arith.subf %p, %one : tensor<16x64xf16>
  %q = arith.addf %p, %one : tensor<16x64xf16>
  // expected-warning@below {{[attn-w103] arith.divf: tanh turns a second moment of 1 into 0.3943}}
  // expected-note@below {{mend it by a factor of 1.593 behind it}}
  %t = arith.divf %n, %q : tensor<16x64xf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// A sigmoid as a body.
func.func @sigmoid_f16(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  // expected-warning@below {{[attn-w103] linalg.generic: sigmoid turns a second moment of 1 into 0.2934}}
  // expected-note@below {{mend it by a factor of 1.846 behind it}}
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<16x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%v: f16, %out: f16):
    %one = arith.constant 1.0 : f16
    %n = arith.negf %v : f16
    %p = math.exp %n : f16
    %q = arith.addf %p, %one : f16
    %s = arith.divf %one, %q : f16
    linalg.yield %s : f16
  } -> tensor<16x64xf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// A softplus in f32, cast back.
func.func @softplus_f16(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  // expected-warning@below {{[attn-w103] linalg.generic: softplus turns a second moment of 1 into}}
  // expected-note@below {{mend it by a factor of 1.042 behind it}}
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<16x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%v: f16, %out: f16):
    %wide = arith.extf %v : f16 to f32
    %p = math.exp %wide : f32
    %l = math.log1p %p : f32
    %r = arith.truncf %l : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x64xf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// One that does not overflow: max(x, 0) + log(1 + exp(-|x|)).
func.func @stable_f16(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  // expected-warning@below {{[attn-w103] linalg.generic: softplus turns a second moment of 1 into}}
  // expected-note@below {{mend it by a factor of 1.042 behind it}}
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<16x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%v: f16, %out: f16):
    %zero = arith.constant 0.0 : f16
    %c = arith.cmpf ogt, %v, %zero : f16
    %n = math.absf %v : f16
    %m = arith.negf %n : f16
    %p = math.exp %m : f16
    %l = math.log1p %p : f16
    %s = arith.select %c, %v, %zero : f16
    %r = arith.addf %s, %l : f16
    linalg.yield %r : f16
  } -> tensor<16x64xf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// tanh / 3 is another function.
func.func @scaled_f16(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<16x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%v: f16, %out: f16):
    %third = arith.constant 0.333 : f16
    %p = math.tanh %v : f16
    %r = arith.mulf %p, %third : f16
    linalg.yield %r : f16
  } -> tensor<16x64xf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// log(1 + exp(x)) by powers of 2, whose constants have three digits.
func.func @exp2_bf16(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xbf16> {
  %e = tensor.empty() : tensor<16x64xbf16>
  %log2e = arith.constant dense<1.4375> : tensor<16x64xbf16>
  %ln2 = arith.constant dense<0.69140625> : tensor<16x64xbf16>
  %one = arith.constant dense<1.0> : tensor<16x64xbf16>
  %a = attn.linear ins(%x, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  %n = arith.mulf %a, %log2e : tensor<16x64xbf16>
  %p = math.exp2 %n : tensor<16x64xbf16>
  %q = arith.addf %p, %one : tensor<16x64xbf16>
  %l = math.log2 %q : tensor<16x64xbf16>
  // expected-warning@below {{[attn-w103] arith.mulf: softplus turns a second moment of 1 into 0.9212}}
  // expected-note@below {{mend it by a factor of 1.042 behind it}}
  %t = arith.mulf %l, %ln2 : tensor<16x64xbf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %y : tensor<16x64xbf16>
}

// The stable softplus as JAX makes it, in f32 between two casts, with a part of
// it in a function: the op that ends it is named, not the cast behind it.
func.func private @where(%c: tensor<16x64xi1>, %x: tensor<16x64xf32>, %y: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %s = arith.select %c, %x, %y : tensor<16x64xi1>, tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}
func.func @called_bf16(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xbf16> {
  %e = tensor.empty() : tensor<16x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %v = arith.extf %x : tensor<16x64xbf16> to tensor<16x64xf32>
  %c = arith.cmpf ogt, %v, %zero : tensor<16x64xf32>
  %m = call @where(%c, %v, %zero) : (tensor<16x64xi1>, tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %a = math.absf %v : tensor<16x64xf32>
  %n = arith.negf %a : tensor<16x64xf32>
  %p = math.exp %n : tensor<16x64xf32>
  %l = math.log1p %p : tensor<16x64xf32>
  // expected-warning@below {{[attn-w103] arith.addf: softplus turns a second moment of 1 into 0.9212}}
  // expected-note@below {{mend it by a factor of 1.042 behind it}}
  %s = arith.addf %m, %l : tensor<16x64xf32>
  %t = arith.truncf %s : tensor<16x64xf32> to tensor<16x64xbf16>
  %y = attn.linear ins(%t, %w : tensor<16x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %y : tensor<16x64xbf16>
}
