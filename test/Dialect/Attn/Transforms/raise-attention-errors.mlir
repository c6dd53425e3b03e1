// RUN: attn-opt %s --inline --symbol-dce --attn-raise-attention --verify-diagnostics -o /dev/null

#qd = affine_map<(h, m, n, d) -> (h, m, d)>
#kd = affine_map<(h, m, n, d) -> (h, n, d)>
#mn = affine_map<(h, m, n, d) -> (h, m, n)>
#id = affine_map<(h, m, n) -> (h, m, n)>
#row = affine_map<(h, m, n) -> (h, m)>
#head = affine_map<(h, m, n) -> (h)>
#r2 = affine_map<(h, m) -> (h, m)>
#h2 = affine_map<(h, m) -> (h)>
#col = affine_map<(h, m, n) -> (h, n)>
#grid = affine_map<(h, m, n) -> (m, n)>

// Where a mask hides a score stands another score, not a number.
func.func @other_score(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %b: tensor<4x6xi1>, %t: tensor<4x6xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #grid, #grid, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %b, %t : tensor<2x4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: i1, %x2: f32, %out: f32):
    %y = arith.select %x1, %x0, %x2 : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r102] not raised to attn.attention: the score is selected by a condition, but the other value is not a number}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The denominator sums other exponentials.
func.func @other_denominator(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %e = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %f = call @exp(%d, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %z = call @sum(%f) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %p = call @divide(%e, %z) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r102] not raised to attn.attention: the denominator is not the sum of the same exponentials}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The denominator sums over the first three keys only.
func.func @part_of_the_keys(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %e = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %part = tensor.extract_slice %e[0, 0, 0] [2, 4, 3] [1, 1, 1] : tensor<2x4x6xf32> to tensor<2x4x3xf32>
  %ez = tensor.empty() : tensor<2x4xf32>
  %nought = arith.constant 0.0 : f32
  %iz = linalg.fill ins(%nought : f32) outs(%ez : tensor<2x4xf32>) -> tensor<2x4xf32>
  %z = linalg.reduce { arith.addf } ins(%part : tensor<2x4x3xf32>) outs(%iz : tensor<2x4xf32>) dimensions = [2]
  %p = call @divide(%e, %z) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r102] not raised to attn.attention: the denominator is not the sum of the same exponentials}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The denominator sums along the rows instead of the keys.
func.func @sum_over_rows(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %e = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %ez = tensor.empty() : tensor<2x6xf32>
  %nought = arith.constant 0.0 : f32
  %iz = linalg.fill ins(%nought : f32) outs(%ez : tensor<2x6xf32>) -> tensor<2x6xf32>
  %z = linalg.reduce { arith.addf } ins(%e : tensor<2x4x6xf32>) outs(%iz : tensor<2x6xf32>) dimensions = [1]
  %emptyp = tensor.empty() : tensor<2x4x6xf32>
  %p = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %z : tensor<2x4x6xf32>, tensor<2x6xf32>) outs(%emptyp : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %out: f32):
    %y = arith.divf %x0, %x1 : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r102] not raised to attn.attention: the weights are summed along another dimension than their softmax}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// A virtual key with logit 0 weighs exp(-m) after the shift, not 1.
func.func @unshifted_extra_term(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %e = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %z = call @sum(%e) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %emptyzz = tensor.empty() : tensor<2x4xf32>
  %zz = linalg.generic {indexing_maps = [#r2, #r2, #r2], iterator_types = ["parallel", "parallel"]}
      ins(%z, %m : tensor<2x4xf32>, tensor<2x4xf32>) outs(%emptyzz : tensor<2x4xf32>) {
  ^bb0(%x0: f32, %x1: f32, %out: f32):
    %c = arith.constant 1.0 : f32
    %y = arith.addf %x0, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  %p = call @divide(%e, %zz) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r102] not raised to attn.attention: the extra term of the denominator is not a constant number of keys with logit 0 (with the row shift accounted for)}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Nothing normalises.
func.func @no_denominator(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %p = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r102] not raised to attn.attention: the exponentials are not divided by their sum along the row}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// A factor per key on the score is no scale.
func.func @scale_per_key(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %t: tensor<2x6xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%d, %t : tensor<2x4x6xf32>, tensor<2x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %out: f32):
    %y = arith.mulf %x0, %x1 : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r102] not raised to attn.attention: the scale of the score depends on the key}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Weights that change between softmax and value product (dropout) are no attention.
func.func @changed_weights(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %t: tensor<2x4x6xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %p = call @softmax(%s) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %t : tensor<2x4x6xf32>, tensor<2x4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %out: f32):
    %y = arith.mulf %x0, %x1 : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r102] not raised to attn.attention: the weights are changed before the value product, or the value is not a tensor indexed by whole dimensions}}
  %o = linalg.batch_matmul ins(%w, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The guard must ask for -inf; this one zeroes rows whose maximum is 0.
func.func @other_guard(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %p = call @softmax(%s) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %m : tensor<2x4x6xf32>, tensor<2x4xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %out: f32):
    %zero32 = arith.constant 0.0 : f32
    %c = arith.cmpf oeq, %x1, %zero32 : f32
    %y = arith.select %c, %zero32, %x0 : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r102] not raised to attn.attention: the weights are selected by a condition that is not 'the row has a visible key'}}
  %o = linalg.batch_matmul ins(%w, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The exponent is no dot product.
func.func @no_dot_product(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %t: tensor<2x4x6xf32>) -> tensor<2x4x8xf32> {
  %p = call @softmax(%t) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r102] not raised to attn.attention: the exponent holds no dot product of a query and a key}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Weights that are a result too are computed beside the attention.
func.func @weights_are_a_result(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x6xf32>) {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %p = call @softmax(%s) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r101] raised to attn.attention}}
  // expected-remark @below {{[attn-r104] the attention weights have other uses and stay beside attn.attention}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o, %p : tensor<2x4x8xf32>, tensor<2x4x6xf32>
}

// A scale without a name says so.
func.func @constant_scale(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %emptys = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%d : tensor<2x4x6xf32>) outs(%emptys : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %c = arith.constant 0.3 : f32
    %y = arith.mulf %x0, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%s) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %zero = arith.constant 0.0 : f32
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @below {{[attn-r101] raised to attn.attention}}
  // expected-remark @below {{[attn-r103] the scale 0.3 stays a constant: it is not 1/sqrt(d), 1/d or 1}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// An ordinary product of matrices is no candidate: no remark.
func.func @no_candidate(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}

// Helpers: two heads, 4 rows, 6 keys, head dimension 8.
func.func private @dot(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>) -> tensor<2x4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x4x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %s = linalg.generic {indexing_maps = [#qd, #kd, #mn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x4x8xf32>, tensor<2x6x8xf32>) outs(%init : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  return %s : tensor<2x4x6xf32>
}
func.func private @scale(%s: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  %c = arith.constant 0.353553385 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%s : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %p = arith.mulf %a, %c : f32
    linalg.yield %p : f32
  } -> tensor<2x4x6xf32>
  return %r : tensor<2x4x6xf32>
}
func.func private @max(%s: tensor<2x4x6xf32>) -> tensor<2x4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<2x4xf32>
  %init = linalg.fill ins(%low : f32) outs(%empty : tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x4x6xf32>) outs(%init : tensor<2x4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %m = arith.maximumf %a, %acc : f32
    linalg.yield %m : f32
  } -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func private @exp(%s: tensor<2x4x6xf32>, %m: tensor<2x4xf32>) -> tensor<2x4x6xf32> {
  %empty = tensor.empty() : tensor<2x4x6xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<2x4x6xf32>, tensor<2x4xf32>) outs(%empty : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<2x4x6xf32>
  return %r : tensor<2x4x6xf32>
}
func.func private @sum(%e: tensor<2x4x6xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<2x4x6xf32>) outs(%init : tensor<2x4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %m = arith.addf %a, %acc : f32
    linalg.yield %m : f32
  } -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func private @divide(%e: tensor<2x4x6xf32>, %z: tensor<2x4xf32>) -> tensor<2x4x6xf32> {
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %z : tensor<2x4x6xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<2x4x6xf32>
  return %r : tensor<2x4x6xf32>
}
func.func private @softmax(%s: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %e = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %z = call @sum(%e) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %p = call @divide(%e, %z) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  return %p : tensor<2x4x6xf32>
}
func.func private @weigh(%p: tensor<2x4x6xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%init : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}
