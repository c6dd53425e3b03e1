// RUN: attn-opt %s --inline --symbol-dce --canonicalize --cse --attn-raise-attention --canonicalize --cse 2>/dev/null | FileCheck %s

// Maps of @sliced_query_shared_keys: query, key, value and result.
// CHECK-DAG: #[[QM:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
// CHECK-DAG: #[[KM:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3)>
// CHECK-DAG: #[[VM:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK-DAG: #[[OM:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>

// Maps of packed operands, whose heads are behind their tokens.
// CHECK-DAG: #[[SQ:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d3)>
// CHECK-DAG: #[[SK:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d3)>
// CHECK-DAG: #[[SV:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d4)>

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

// The plain spelling; the scale is named and no linalg op is left.
// CHECK-LABEL: @plain
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%arg0, %arg1, %arg2
// CHECK-NOT: linalg.
func.func @plain(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %p = call @softmax(%s) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// 2.5 / sqrt(d) has a name, too.
// CHECK-LABEL: @blind
// CHECK: attn.attention scale(#attn.gradient_max_blind) softmax(#attn.softmax) ins(%arg0, %arg1, %arg2
// CHECK-NOT: linalg.
func.func @blind(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %c = arith.constant 2.5 : f32
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %u = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %empty = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%u : tensor<2x4x6xf32>) outs(%empty : tensor<2x4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.mulf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%s) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The division may follow the product with the values.
// CHECK-LABEL: @divides_the_result
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%arg0, %arg1, %arg2
// CHECK-NOT: linalg.
func.func @divides_the_result(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %e = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %z = call @sum(%e) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %u = call @weigh(%e, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  %empty = tensor.empty() : tensor<2x4x8xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%u, %z : tensor<2x4x8xf32>, tensor<2x4xf32>) outs(%empty : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Any shift that is constant along a row is legal, and so is none.
// CHECK-LABEL: @other_shift
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%arg0, %arg1, %arg2
// CHECK-NOT: linalg.
func.func @other_shift(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %t: tensor<2x4xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %e = call @exp(%s, %t) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %z = call @sum(%e) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %p = call @divide(%e, %z) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// exp2 with log2 e in the scale: the factor is taken back out.
// CHECK-LABEL: @exp2
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
// CHECK-NOT: linalg.
func.func @exp2(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %emptye = tensor.empty() : tensor<2x4x6xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%d : tensor<2x4x6xf32>) outs(%emptye : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %c = arith.constant 0.510069728 : f32
    %t = arith.mulf %x0, %c : f32
    %y = math.exp2 %t : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %z = call @sum(%e) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %p = call @divide(%e, %z) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The same as a power of 2.
// CHECK-LABEL: @power_of_two
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
// CHECK-NOT: linalg.
func.func @power_of_two(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %emptye = tensor.empty() : tensor<2x4x6xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%d : tensor<2x4x6xf32>) outs(%emptye : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %c = arith.constant 0.510069728 : f32
    %t = arith.mulf %x0, %c : f32
    %two = arith.constant 2.0 : f32
    %y = math.powf %two, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %z = call @sum(%e) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %p = call @divide(%e, %z) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Through the logarithm: p = exp(s - m - log z).
// CHECK-LABEL: @log_softmax
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
// CHECK-NOT: linalg.
func.func @log_softmax(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %e = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %z = call @sum(%e) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %emptyp = tensor.empty() : tensor<2x4x6xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m, %z : tensor<2x4x6xf32>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%emptyp : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %out: f32):
    %a = arith.subf %x0, %x1 : f32
    %l = math.log %x2 : f32
    %b = arith.subf %a, %l : f32
    %y = math.exp %b : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// j <= i hides by -inf.
// CHECK-LABEL: @causal_top_left
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal] ins
// CHECK-NOT: linalg.
// CHECK-NOT: 4x6
func.func @causal_top_left(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %keep = arith.cmpi sle, %j, %i : index
    %fill = arith.constant 0xFF800000 : f32
    %y = arith.select %keep, %x0, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// 4 rows and 6 keys: j <= i + 2 puts the last row at the last key.
// CHECK-LABEL: @causal_bottom_right
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal] ins
// CHECK-NOT: linalg.
// CHECK-NOT: 4x6
func.func @causal_bottom_right(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %two = arith.constant 2 : index
    %t = arith.addi %i, %two : index
    %keep = arith.cmpi ule, %j, %t : index
    %fill = arith.constant 0xFF800000 : f32
    %y = arith.select %keep, %x0, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// j < i + 2 is a window with one key to the right.
// CHECK-LABEL: @window_right
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = -1, right = 1>] ins
// CHECK-NOT: linalg.
// CHECK-NOT: 4x6
func.func @window_right(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %two = arith.constant 2 : index
    %t = arith.addi %i, %two : index
    %keep = arith.cmpi slt, %j, %t : index
    %fill = arith.constant 0xFF800000 : f32
    %y = arith.select %keep, %x0, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Causal and not farther back than 2 keys, as differences of positions in i32.
// CHECK-LABEL: @causal_window
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal, #attn.window<left = 2, right = 0>] ins
// CHECK-NOT: linalg.
// CHECK-NOT: 4x6
func.func @causal_window(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %diff = arith.subi %i32, %j32 : i32
    %zero = arith.constant 0 : i32
    %three = arith.constant 3 : i32
    %a = arith.cmpi sge, %diff, %zero : i32
    %b = arith.cmpi slt, %diff, %three : i32
    %keep = arith.andi %a, %b : i1
    %fill = arith.constant 0xFF800000 : f32
    %y = arith.select %keep, %x0, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// A finite fill is a mask where every row keeps key 0.
// CHECK-LABEL: @finite_fill_causal
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal] ins
// CHECK-NOT: linalg.
// CHECK-NOT: 4x6
func.func @finite_fill_causal(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %keep = arith.cmpi sge, %i, %j : index
    %fill = arith.constant -1.0e+09 : f32
    %y = arith.select %keep, %x0, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The mask may be a term: (1 - [j <= i]) * -1e9.
// CHECK-LABEL: @additive_finite_causal
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal] ins
// CHECK-NOT: linalg.
// CHECK-NOT: 4x6
func.func @additive_finite_causal(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %keep = arith.cmpi sge, %i, %j : index
    %f = arith.uitofp %keep : i1 to f32
    %one = arith.constant 1.0 : f32
    %g = arith.subf %one, %f : f32
    %c = arith.constant -1.0e+09 : f32
    %t = arith.mulf %g, %c : f32
    %y = arith.addf %x0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// A finite term under which a row may lose all keys (i - j >= 2) stays one.
// CHECK-LABEL: @additive_finite_without_key
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins
// CHECK: %[[TERM:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[TERM]] : f32
func.func @additive_finite_without_key(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %two = arith.constant 2 : index
    %t = arith.addi %j, %two : index
    %keep = arith.cmpi sge, %i, %t : index
    %zero = arith.constant 0.0 : f32
    %c = arith.constant -1.0e+09 : f32
    %b = arith.select %keep, %zero, %c : f32
    %y = arith.addf %x0, %b : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// A boolean operand; its layout goes into the map.
// CHECK-LABEL: @dense_mask
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask] ins(%arg0, %arg1, %arg2 :
// CHECK-SAME: params(%arg3 : tensor<4x6xi1>)
// CHECK-NOT: linalg.
func.func @dense_mask(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %b: tensor<4x6xi1>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #grid, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %b : tensor<2x4x6xf32>, tensor<4x6xi1>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: i1, %out: f32):
    %fill = arith.constant 0xFF800000 : f32
    %y = arith.select %x1, %x0, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// A predicate that is no band (the first two keys see everyone) becomes a dense mask.
// CHECK-LABEL: @prefix_mask
// CHECK: %[[MASK:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x6xi1>)
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask] ins
// CHECK-SAME: params(%[[MASK]] : tensor<4x6xi1>)
func.func @prefix_mask(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %two = arith.constant 2 : index
    %a = arith.cmpi slt, %j, %two : index
    %b = arith.cmpi sle, %j, %i : index
    %keep = arith.ori %a, %b : i1
    %fill = arith.constant 0xFF800000 : f32
    %y = arith.select %keep, %x0, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// A float operand that is added is a bias; tanh around the scaled score is a softcap.
// CHECK-LABEL: @softcap_and_bias
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) bias [#attn.dense_bias] softcap({{30|3.0*e.01}}) ins
// CHECK-SAME: params(%arg3 : tensor<4x6xf32>)
// CHECK-NOT: linalg.
func.func @softcap_and_bias(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %b: tensor<4x6xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #grid, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %b : tensor<2x4x6xf32>, tensor<4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %out: f32):
    %c = arith.constant 30.0 : f32
    %t = arith.divf %x0, %c : f32
    %u = math.tanh %t : f32
    %w = arith.mulf %u, %c : f32
    %y = arith.addf %w, %x1 : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The denominator grows by exp(-m): one virtual key with logit 0.
// CHECK-LABEL: @softmax1
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) ins
// CHECK-NOT: linalg.
func.func @softmax1(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %e = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %z = call @sum(%e) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %emptyzz = tensor.empty() : tensor<2x4xf32>
  %zz = linalg.generic {indexing_maps = [#r2, #r2, #r2], iterator_types = ["parallel", "parallel"]}
      ins(%z, %m : tensor<2x4xf32>, tensor<2x4xf32>) outs(%emptyzz : tensor<2x4xf32>) {
  ^bb0(%x0: f32, %x1: f32, %out: f32):
    %n = arith.negf %x1 : f32
    %t = math.exp %n : f32
    %y = arith.addf %x0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  %p = call @divide(%e, %zz) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Three of them.
// CHECK-LABEL: @softmax_n
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax_n<3.0{{.*}}>) ins
// CHECK-NOT: linalg.
func.func @softmax_n(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %e = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %z = call @sum(%e) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %emptyzz = tensor.empty() : tensor<2x4xf32>
  %zz = linalg.generic {indexing_maps = [#r2, #r2, #r2], iterator_types = ["parallel", "parallel"]}
      ins(%z, %m : tensor<2x4xf32>, tensor<2x4xf32>) outs(%emptyzz : tensor<2x4xf32>) {
  ^bb0(%x0: f32, %x1: f32, %out: f32):
    %n = arith.negf %x1 : f32
    %t = math.exp %n : f32
    %c = arith.constant 3.0 : f32
    %u = arith.mulf %t, %c : f32
    %y = arith.addf %x0, %u : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  %p = call @divide(%e, %zz) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// exp(t_h - m) is a sink.
// CHECK-LABEL: @sink
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.sink) ins
// CHECK-SAME: params(%arg3 : tensor<2xf32>)
// CHECK-NOT: linalg.
func.func @sink(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %logit: tensor<2xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %m = call @max(%s) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %e = call @exp(%s, %m) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %z = call @sum(%e) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %emptyzz = tensor.empty() : tensor<2x4xf32>
  %zz = linalg.generic {indexing_maps = [#r2, #r2, #h2, #r2], iterator_types = ["parallel", "parallel"]}
      ins(%z, %m, %logit : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>) outs(%emptyzz : tensor<2x4xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %out: f32):
    %n = arith.subf %x2, %x1 : f32
    %t = math.exp %n : f32
    %y = arith.addf %x0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  %p = call @divide(%e, %zz) : (tensor<2x4x6xf32>, tensor<2x4xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// A factor per row is an operand of the scale.
// CHECK-LABEL: @scale_per_row
// CHECK: %[[LAMBDA:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4xf32>)
// CHECK: attn.attention scale(#attn.operand) softmax(#attn.softmax)
// CHECK-SAME: params(%[[LAMBDA]] : tensor<2x4xf32>)
func.func @scale_per_row(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %t: tensor<2x4xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %t : tensor<2x4x6xf32>, tensor<2x4xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %out: f32):
    %y = arith.mulf %x0, %x1 : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The row and the value dimension may have size 1 (a decoding step).
// CHECK-LABEL: @unit_row
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%arg0, %arg1, %arg2 : tensor<3x1x8xf32>, tensor<3x6x8xf32>, tensor<3x6x1xf32>)
func.func @unit_row(%q: tensor<3x1x8xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x1xf32>) -> tensor<3x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x1x6xf32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<3x1x6xf32>) -> tensor<3x1x6xf32>
  %ek = tensor.empty() : tensor<3x8x6xf32>
  %kt = linalg.transpose ins(%k : tensor<3x6x8xf32>) outs(%ek : tensor<3x8x6xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %kt : tensor<3x1x8xf32>, tensor<3x8x6xf32>) outs(%is : tensor<3x1x6xf32>) -> tensor<3x1x6xf32>
  %e = linalg.map { math.exp } ins(%s : tensor<3x1x6xf32>) outs(%es : tensor<3x1x6xf32>)
  %ez = tensor.empty() : tensor<3x1xf32>
  %iz = linalg.fill ins(%zero : f32) outs(%ez : tensor<3x1xf32>) -> tensor<3x1xf32>
  %z = linalg.reduce { arith.addf } ins(%e : tensor<3x1x6xf32>) outs(%iz : tensor<3x1xf32>) dimensions = [2]
  %zb = linalg.broadcast ins(%z : tensor<3x1xf32>) outs(%es : tensor<3x1x6xf32>) dimensions = [2]
  %p = linalg.map { arith.divf } ins(%e, %zb : tensor<3x1x6xf32>, tensor<3x1x6xf32>) outs(%es : tensor<3x1x6xf32>)
  %eo = tensor.empty() : tensor<3x1x1xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x1x1xf32>) -> tensor<3x1x1xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<3x1x6xf32>, tensor<3x6x1xf32>) outs(%io : tensor<3x1x1xf32>) -> tensor<3x1x1xf32>
  return %o : tensor<3x1x1xf32>
}

// Sizes may be unknown; query groups that stay apart keep their expanded tensor.
// CHECK-LABEL: @dynamic_groups
// CHECK: %[[Q:.*]] = tensor.expand_shape %arg0
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) indexing_maps [{{.*}}] ins(%[[Q]], %arg1, %arg2 : tensor<?x2x3x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>)
func.func @dynamic_groups(%q: tensor<?x6x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>) -> tensor<2x3x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %q, %c0 : tensor<?x6x8xf32>
  %keys = tensor.dim %k, %c0 : tensor<?x2x8xf32>
  %g = tensor.expand_shape %q [[0], [1, 2], [3]] output_shape [%rows, 2, 3, 8] : tensor<?x6x8xf32> into tensor<?x2x3x8xf32>
  %es = tensor.empty(%rows, %keys) : tensor<2x3x?x?xf32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<2x3x?x?xf32>) -> tensor<2x3x?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, g, m, n, d) -> (m, h, g, d)>, affine_map<(h, g, m, n, d) -> (n, h, d)>, affine_map<(h, g, m, n, d) -> (h, g, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%g, %k : tensor<?x2x3x8xf32>, tensor<?x2x8xf32>) outs(%is : tensor<2x3x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x?x?xf32>
  %w = linalg.softmax dimension(3) ins(%s : tensor<2x3x?x?xf32>) outs(%es : tensor<2x3x?x?xf32>) -> tensor<2x3x?x?xf32>
  %eo = tensor.empty(%rows) : tensor<2x3x?x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x3x?x8xf32>) -> tensor<2x3x?x8xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(h, g, m, c, n) -> (h, g, m, n)>, affine_map<(h, g, m, c, n) -> (n, h, c)>, affine_map<(h, g, m, c, n) -> (h, g, m, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<2x3x?x?xf32>, tensor<?x2x8xf32>) outs(%io : tensor<2x3x?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x?x8xf32>
  return %o : tensor<2x3x?x8xf32>
}

// Torch multiplies both operands by d^(-1/4); the product is the scale.
// CHECK-LABEL: @scales_operands
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%arg0, %arg1, %arg2
// CHECK-NOT: linalg.
func.func @scales_operands(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %c = arith.constant 0.594603539 : f32
  %eq = tensor.empty() : tensor<2x4x8xf32>
  %ek = tensor.empty() : tensor<2x6x8xf32>
  %qs = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<2x4x8xf32>) outs(%eq : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.mulf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<2x4x8xf32>
  %ks = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<2x6x8xf32>) outs(%ek : tensor<2x6x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.mulf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<2x6x8xf32>
  %s = call @dot(%qs, %ks) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %p = call @softmax(%s) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// log(i + 1) / (log(512) sqrt(d)) is log_length.
// CHECK-LABEL: @log_length
// CHECK: attn.attention scale(#attn.log_length<base = 5.12{{.*}}, n = position>) softmax(#attn.softmax) align(top_left) ins
// CHECK-NOT: linalg.
// CHECK-NOT: 4x6
func.func @log_length(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x4x6xf32>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %out: f32):
    %i = linalg.index 1 : index
    %i32 = arith.index_cast %i : index to i32
    %f = arith.sitofp %i32 : i32 to f32
    %one = arith.constant 1.0 : f32
    %n = arith.addf %f, %one : f32
    %l = math.log %n : f32
    %c = arith.constant 6.23832464 : f32
    %t = arith.divf %l, %c : f32
    %y = arith.mulf %x0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Norms of both rows around the product are cosine similarity.
// CHECK-LABEL: @cosine
// CHECK: attn.attention scale(#attn.constant<1.0{{.*}}e+01>) similarity(#attn.cosine<eps = 1.000000e-06, mode = rsqrt_sum>) softmax(#attn.softmax) ins(%arg0, %arg1, %arg2
// CHECK-NOT: linalg.
func.func @cosine(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %en = tensor.empty() : tensor<2x4xf32>
  %in = linalg.fill ins(%zero : f32) outs(%en : tensor<2x4xf32>) -> tensor<2x4xf32>
  %nq = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q : tensor<2x4x8xf32>) outs(%in : tensor<2x4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %sq = arith.mulf %a, %a : f32
    %r = arith.addf %acc, %sq : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %em = tensor.empty() : tensor<2x6xf32>
  %im = linalg.fill ins(%zero : f32) outs(%em : tensor<2x6xf32>) -> tensor<2x6xf32>
  %nk = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%k : tensor<2x6x8xf32>) outs(%im : tensor<2x6xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %sq = arith.mulf %a, %a : f32
    %r = arith.addf %acc, %sq : f32
    linalg.yield %r : f32
  } -> tensor<2x6xf32>
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %emptys = tensor.empty() : tensor<2x4x6xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%d, %nq, %nk : tensor<2x4x6xf32>, tensor<2x4xf32>, tensor<2x6xf32>) outs(%emptys : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %out: f32):
    %eps = arith.constant 1.0e-06 : f32
    %ten = arith.constant 10.0 : f32
    %a = arith.addf %x1, %eps : f32
    %b = arith.addf %x2, %eps : f32
    %c = math.rsqrt %a : f32
    %e = math.rsqrt %b : f32
    %f = arith.mulf %x0, %c : f32
    %g = arith.mulf %f, %e : f32
    %y = arith.mulf %g, %ten : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %p = call @softmax(%s) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %o = call @weigh(%p, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Torch zeroes the weights of rows whose scores are all -inf.
// CHECK-LABEL: @guarded_mask
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask] ins
// CHECK-SAME: params(%arg3 : tensor<4x6xi1>)
// CHECK-NOT: linalg.
func.func @guarded_mask(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %b: tensor<4x6xi1>) -> tensor<2x4x8xf32> {
  %d = call @dot(%q, %k) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = call @scale(%d) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyw = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [#id, #grid, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %b : tensor<2x4x6xf32>, tensor<4x6xi1>) outs(%emptyw : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: i1, %out: f32):
    %fill = arith.constant 0xFF800000 : f32
    %y = arith.select %x1, %x0, %fill : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %m = call @max(%w) : (tensor<2x4x6xf32>) -> tensor<2x4xf32>
  %p = call @softmax(%w) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %emptyg = tensor.empty() : tensor<2x4x6xf32>
  %g = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %m : tensor<2x4x6xf32>, tensor<2x4xf32>) outs(%emptyg : tensor<2x4x6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %out: f32):
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf oeq, %x1, %low : f32
    %y = arith.select %c, %zero, %x0 : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %o = call @weigh(%g, %v) : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Groups of query heads share a key head: the division goes into the default maps.
// CHECK-LABEL: @grouped_query
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%arg0, %arg1, %arg2 : tensor<4x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>)
// CHECK-NOT: linalg.
func.func @grouped_query(%q: tensor<4x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<4x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %g = tensor.expand_shape %q [[0, 1], [2], [3]] output_shape [2, 2, 4, 8] : tensor<4x4x8xf32> into tensor<2x2x4x8xf32>
  %es = tensor.empty() : tensor<2x2x4x6xf32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<2x2x4x6xf32>) -> tensor<2x2x4x6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, g, m, n, d) -> (h, g, m, d)>, affine_map<(h, g, m, n, d) -> (h, n, d)>, affine_map<(h, g, m, n, d) -> (h, g, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%g, %k : tensor<2x2x4x8xf32>, tensor<2x6x8xf32>) outs(%is : tensor<2x2x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x4x6xf32>
  %w = linalg.softmax dimension(3) ins(%s : tensor<2x2x4x6xf32>) outs(%es : tensor<2x2x4x6xf32>) -> tensor<2x2x4x6xf32>
  %eo = tensor.empty() : tensor<2x2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x2x4x8xf32>) -> tensor<2x2x4x8xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(h, g, m, c, n) -> (h, g, m, n)>, affine_map<(h, g, m, c, n) -> (h, n, c)>, affine_map<(h, g, m, c, n) -> (h, g, m, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<2x2x4x6xf32>, tensor<2x6x8xf32>) outs(%io : tensor<2x2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x4x8xf32>
  %c = tensor.collapse_shape %o [[0, 1], [2], [3]] : tensor<2x2x4x8xf32> into tensor<4x4x8xf32>
  return %c : tensor<4x4x8xf32>
}

// Storage in bf16, scores and sums in f32, weights rounded to bf16.
// CHECK-LABEL: @low_precision
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%arg0, %arg1, %arg2 : tensor<2x4x8xbf16>, tensor<2x6x8xbf16>, tensor<2x6x8xbf16>) {{.*}} -> tensor<2x4x8xbf16>
// CHECK-NOT: linalg.
func.func @low_precision(%q: tensor<2x4x8xbf16>, %k: tensor<2x6x8xbf16>, %v: tensor<2x6x8xbf16>) -> tensor<2x4x8xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x4x6xf32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %s = linalg.generic {indexing_maps = [#qd, #kd, #mn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x4x8xbf16>, tensor<2x6x8xbf16>) outs(%is : tensor<2x4x6xf32>) {
  ^bb0(%a: bf16, %b: bf16, %acc: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  %w = call @softmax(%s) : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %eb = tensor.empty() : tensor<2x4x6xbf16>
  %wb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<2x4x6xf32>) outs(%eb : tensor<2x4x6xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x6xbf16>
  %eo = tensor.empty() : tensor<2x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %o = linalg.batch_matmul ins(%wb, %v : tensor<2x4x6xbf16>, tensor<2x6x8xbf16>) outs(%io : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %er = tensor.empty() : tensor<2x4x8xbf16>
  %ob = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : tensor<2x4x8xf32>) outs(%er : tensor<2x4x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x8xbf16>
  return %ob : tensor<2x4x8xbf16>
}

// A query that is a slice stays one. The five heads share their keys but not their
// values, so they are a batch, although they outnumber the rows.
// CHECK-LABEL: @sliced_query_shared_keys
// CHECK: %[[Q:.*]] = tensor.extract_slice %arg0
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) indexing_maps [#[[QM]], #[[KM]], #[[VM]], #[[OM]]] ins(%[[Q]], %arg1, %arg2 : tensor<5x4x8xf32>, tensor<6x8xf32>, tensor<5x6x8xf32>)
func.func @sliced_query_shared_keys(%q: tensor<5x9x8xf32>, %k: tensor<6x8xf32>, %v: tensor<5x6x8xf32>) -> tensor<5x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %part = tensor.extract_slice %q[0, 2, 0] [5, 4, 8] [1, 1, 1] : tensor<5x9x8xf32> to tensor<5x4x8xf32>
  %es = tensor.empty() : tensor<5x4x6xf32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
  %s = linalg.generic {indexing_maps = [#qd, affine_map<(h, m, n, d) -> (n, d)>, #mn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%part, %k : tensor<5x4x8xf32>, tensor<6x8xf32>) outs(%is : tensor<5x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<5x4x6xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<5x4x6xf32>) outs(%es : tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
  %eo = tensor.empty() : tensor<5x4x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<5x4x8xf32>) -> tensor<5x4x8xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<5x4x6xf32>, tensor<5x6x8xf32>) outs(%io : tensor<5x4x8xf32>) -> tensor<5x4x8xf32>
  return %o : tensor<5x4x8xf32>
}

// One tensor holds query, key and value side by side, and its transpose is sliced: the
// attention reads slices of the tensor itself. Of the query's rows, only four are wanted.
// CHECK-LABEL: @packed
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [6, 6, 8]
// CHECK: %[[Q:.*]] = tensor.extract_slice %[[X]][2, 0, 0] [4, 2, 8] [1, 1, 1]
// CHECK: %[[K:.*]] = tensor.extract_slice %[[X]][0, 2, 0] [6, 2, 8] [1, 1, 1]
// CHECK: %[[V:.*]] = tensor.extract_slice %[[X]][0, 4, 0] [6, 2, 8] [1, 1, 1]
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [#[[SQ]], #[[SK]], #[[SV]], #[[OM]]] ins(%[[Q]], %[[K]], %[[V]] : tensor<4x2x8xf32>, tensor<6x2x8xf32>, tensor<6x2x8xf32>)
// CHECK-NOT: linalg.
func.func @packed(%x: tensor<6x48xf32>) -> tensor<2x4x8xf32> {
  %e = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [6, 3, 2, 8] : tensor<6x48xf32> into tensor<6x3x2x8xf32>
  %et = tensor.empty() : tensor<3x2x6x8xf32>
  %t = linalg.transpose ins(%e : tensor<6x3x2x8xf32>) outs(%et : tensor<3x2x6x8xf32>) permutation = [1, 2, 0, 3]
  %q = tensor.extract_slice %t[0, 0, 2, 0] [1, 2, 4, 8] [1, 1, 1, 1] : tensor<3x2x6x8xf32> to tensor<2x4x8xf32>
  %k = tensor.extract_slice %t[1, 0, 0, 0] [1, 2, 6, 8] [1, 1, 1, 1] : tensor<3x2x6x8xf32> to tensor<2x6x8xf32>
  %v = tensor.extract_slice %t[2, 0, 0, 0] [1, 2, 6, 8] [1, 1, 1, 1] : tensor<3x2x6x8xf32> to tensor<2x6x8xf32>
  %o = call @plain(%q, %k, %v) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// As nn.TransformerEncoderLayer spells it: the three are moved to the front with all heads
// in one dimension, and heads are split and transposed behind the slice.
// CHECK-LABEL: @packed_in_front
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [6, 6, 8]
// CHECK: %[[K:.*]] = tensor.extract_slice %[[X]][0, 2, 0] [6, 2, 8] [1, 1, 1]
// CHECK: %[[V:.*]] = tensor.extract_slice %[[X]][0, 4, 0] [6, 2, 8] [1, 1, 1]
// CHECK: attn.attention {{.*}} indexing_maps [#[[QM]], #[[SK]], #[[SV]], #[[OM]]] ins(%arg1, %[[K]], %[[V]] :
// CHECK-NOT: linalg.
func.func @packed_in_front(%x: tensor<6x48xf32>, %q: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %e = tensor.expand_shape %x [[0, 1], [2, 3, 4]] output_shape [1, 6, 1, 3, 16] : tensor<6x48xf32> into tensor<1x6x1x3x16xf32>
  %et = tensor.empty() : tensor<3x6x1x1x16xf32>
  %t = linalg.transpose ins(%e : tensor<1x6x1x3x16xf32>) outs(%et : tensor<3x6x1x1x16xf32>) permutation = [3, 1, 2, 0, 4]
  %c = tensor.collapse_shape %t [[0], [1], [2, 3], [4]] : tensor<3x6x1x1x16xf32> into tensor<3x6x1x16xf32>
  %ks = tensor.extract_slice %c[1, 0, 0, 0] [1, 6, 1, 16] [1, 1, 1, 1] : tensor<3x6x1x16xf32> to tensor<1x6x1x16xf32>
  %vs = tensor.extract_slice %c[2, 0, 0, 0] [1, 6, 1, 16] [1, 1, 1, 1] : tensor<3x6x1x16xf32> to tensor<1x6x1x16xf32>
  %kc = tensor.collapse_shape %ks [[0, 1], [2, 3]] : tensor<1x6x1x16xf32> into tensor<6x16xf32>
  %vc = tensor.collapse_shape %vs [[0, 1], [2, 3]] : tensor<1x6x1x16xf32> into tensor<6x16xf32>
  %ke = tensor.expand_shape %kc [[0], [1, 2]] output_shape [6, 2, 8] : tensor<6x16xf32> into tensor<6x2x8xf32>
  %ve = tensor.expand_shape %vc [[0], [1, 2]] output_shape [6, 2, 8] : tensor<6x16xf32> into tensor<6x2x8xf32>
  %eh = tensor.empty() : tensor<2x6x8xf32>
  %k = linalg.transpose ins(%ke : tensor<6x2x8xf32>) outs(%eh : tensor<2x6x8xf32>) permutation = [1, 0, 2]
  %v = linalg.transpose ins(%ve : tensor<6x2x8xf32>) outs(%eh : tensor<2x6x8xf32>) permutation = [1, 0, 2]
  %o = call @plain(%q, %k, %v) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Each head has its own query, key and value side by side.
// CHECK-LABEL: @packed_in_heads
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [6, 2, 24]
// CHECK: %[[K:.*]] = tensor.extract_slice %[[X]][0, 0, 8] [6, 2, 8] [1, 1, 1]
// CHECK: %[[V:.*]] = tensor.extract_slice %[[X]][0, 0, 16] [6, 2, 8] [1, 1, 1]
// CHECK: attn.attention {{.*}} indexing_maps [#[[QM]], #[[SK]], #[[SV]], #[[OM]]] ins(%arg1, %[[K]], %[[V]] :
// CHECK-NOT: linalg.
func.func @packed_in_heads(%x: tensor<6x48xf32>, %q: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [6, 2, 24] : tensor<6x48xf32> into tensor<6x2x24xf32>
  %et = tensor.empty() : tensor<2x6x24xf32>
  %t = linalg.transpose ins(%e : tensor<6x2x24xf32>) outs(%et : tensor<2x6x24xf32>) permutation = [1, 0, 2]
  %k = tensor.extract_slice %t[0, 0, 8] [2, 6, 8] [1, 1, 1] : tensor<2x6x24xf32> to tensor<2x6x8xf32>
  %v = tensor.extract_slice %t[0, 0, 16] [2, 6, 8] [1, 1, 1] : tensor<2x6x24xf32> to tensor<2x6x8xf32>
  %o = call @plain(%q, %k, %v) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Every second head is the key's, and groups of query heads share them: 4 + 2 + 2 heads.
// CHECK-LABEL: @packed_groups
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [6, 8, 8]
// CHECK: %[[Q:.*]] = tensor.extract_slice %[[X]][0, 0, 0] [4, 4, 8] [1, 1, 1]
// CHECK: %[[Y:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [6, 4, 16]
// CHECK: %[[K:.*]] = tensor.extract_slice %[[Y]][0, 2, 0] [6, 2, 8] [1, 1, 1]
// CHECK: %[[V:.*]] = tensor.extract_slice %[[Y]][0, 2, 8] [6, 2, 8] [1, 1, 1]
// CHECK: attn.attention {{.*}} ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-NOT: linalg.
func.func @packed_groups(%x: tensor<6x64xf32>) -> tensor<4x4x8xf32> {
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [6, 8, 8] : tensor<6x64xf32> into tensor<6x8x8xf32>
  %et = tensor.empty() : tensor<8x6x8xf32>
  %t = linalg.transpose ins(%e : tensor<6x8x8xf32>) outs(%et : tensor<8x6x8xf32>) permutation = [1, 0, 2]
  %q = tensor.extract_slice %t[0, 0, 0] [4, 4, 8] [1, 1, 1] : tensor<8x6x8xf32> to tensor<4x4x8xf32>
  %k = tensor.extract_slice %t[4, 0, 0] [2, 6, 8] [2, 1, 1] : tensor<8x6x8xf32> to tensor<2x6x8xf32>
  %v = tensor.extract_slice %t[5, 0, 0] [2, 6, 8] [2, 1, 1] : tensor<8x6x8xf32> to tensor<2x6x8xf32>
  %o = call @grouped_query(%q, %k, %v) : (tensor<4x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<4x4x8xf32>
  return %o : tensor<4x4x8xf32>
}

// A decoding step: the row has size 1 and stays a dimension, so it is not the vector itself
// that is sliced.
// CHECK-LABEL: @packed_step
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[}}0, 1, 2, 3]] output_shape [1, 3, 3, 8]
// CHECK: %[[Q:.*]] = tensor.extract_slice %[[X]][0, 1, 0, 0] [1, 1, 3, 8] [1, 1, 1, 1] : tensor<1x3x3x8xf32> to tensor<1x3x8xf32>
// CHECK: attn.attention {{.*}} ins(%[[Q]], %arg1, %arg2 :
// CHECK-NOT: linalg.
func.func @packed_step(%x: tensor<72xf32>, %k: tensor<3x6x8xf32>, %v: tensor<3x6x1xf32>) -> tensor<3x1x1xf32> {
  %e = tensor.expand_shape %x [[0, 1, 2, 3]] output_shape [1, 3, 3, 8] : tensor<72xf32> into tensor<1x3x3x8xf32>
  %et = tensor.empty() : tensor<3x3x1x8xf32>
  %t = linalg.transpose ins(%e : tensor<1x3x3x8xf32>) outs(%et : tensor<3x3x1x8xf32>) permutation = [1, 2, 0, 3]
  %q = tensor.extract_slice %t[1, 0, 0, 0] [1, 3, 1, 8] [1, 1, 1, 1] : tensor<3x3x1x8xf32> to tensor<3x1x8xf32>
  %o = call @unit_row(%q, %k, %v) : (tensor<3x1x8xf32>, tensor<3x6x8xf32>, tensor<3x6x1xf32>) -> tensor<3x1x1xf32>
  return %o : tensor<3x1x1xf32>
}

// Heads that are split behind a transpose, without slices.
// CHECK-LABEL: @splits_transposed_heads
// CHECK: %[[K:.*]] = tensor.expand_shape %arg1 {{\[\[}}0], [1, 2]] output_shape [6, 2, 8]
// CHECK: attn.attention {{.*}} ins(%arg0, %[[K]], %arg2 :
// CHECK-NOT: linalg.
func.func @splits_transposed_heads(%q: tensor<2x4x8xf32>, %x: tensor<6x16xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %et = tensor.empty() : tensor<16x6xf32>
  %t = linalg.transpose ins(%x : tensor<6x16xf32>) outs(%et : tensor<16x6xf32>) permutation = [1, 0]
  %e = tensor.expand_shape %t [[0, 1], [2]] output_shape [2, 8, 6] : tensor<16x6xf32> into tensor<2x8x6xf32>
  %ek = tensor.empty() : tensor<2x6x8xf32>
  %k = linalg.transpose ins(%e : tensor<2x8x6xf32>) outs(%ek : tensor<2x6x8xf32>) permutation = [0, 2, 1]
  %o = call @plain(%q, %k, %v) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// The number of tokens is not known, but the slices have all of them.
// CHECK-LABEL: @packed_dynamic
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 6, 8]
// CHECK-DAG: %[[Q:.*]] = tensor.extract_slice %[[X]][0, 0, 0] [%{{.*}}, 2, 8] [1, 1, 1] : tensor<?x6x8xf32> to tensor<?x2x8xf32>
// CHECK-DAG: %[[K:.*]] = tensor.extract_slice %[[X]][0, 2, 0] [%{{.*}}, 2, 8] [1, 1, 1] : tensor<?x6x8xf32> to tensor<?x2x8xf32>
// CHECK-DAG: %[[V:.*]] = tensor.extract_slice %[[X]][0, 4, 0] [%{{.*}}, 2, 8] [1, 1, 1] : tensor<?x6x8xf32> to tensor<?x2x8xf32>
// CHECK: attn.attention {{.*}} ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-NOT: linalg.
func.func @packed_dynamic(%x: tensor<?x48xf32>) -> tensor<2x?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x48xf32>
  %e = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [%n, 3, 2, 8] : tensor<?x48xf32> into tensor<?x3x2x8xf32>
  %et = tensor.empty(%n) : tensor<3x2x?x8xf32>
  %t = linalg.transpose ins(%e : tensor<?x3x2x8xf32>) outs(%et : tensor<3x2x?x8xf32>) permutation = [1, 2, 0, 3]
  %q = tensor.extract_slice %t[0, 0, 0, 0] [1, 2, %n, 8] [1, 1, 1, 1] : tensor<3x2x?x8xf32> to tensor<2x?x8xf32>
  %k = tensor.extract_slice %t[1, 0, 0, 0] [1, 2, %n, 8] [1, 1, 1, 1] : tensor<3x2x?x8xf32> to tensor<2x?x8xf32>
  %v = tensor.extract_slice %t[2, 0, 0, 0] [1, 2, %n, 8] [1, 1, 1, 1] : tensor<3x2x?x8xf32> to tensor<2x?x8xf32>
  %o = call @dynamic_heads(%q, %k, %v) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  return %o : tensor<2x?x8xf32>
}

// As many tokens as another tensor has need not be all: the slice stays behind its transpose.
// CHECK-LABEL: @packed_some_tokens
// CHECK: %[[T:.*]] = linalg.transpose
// CHECK: %[[K:.*]] = tensor.extract_slice %[[T]][1, 0, 0, 0]
// CHECK: attn.attention {{.*}} ins(%arg0, %[[K]], %arg0 :
func.func @packed_some_tokens(%y: tensor<2x?x8xf32>, %x: tensor<?x48xf32>) -> tensor<2x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %y, %c1 : tensor<2x?x8xf32>
  %n = tensor.dim %x, %c0 : tensor<?x48xf32>
  %e = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [%n, 3, 2, 8] : tensor<?x48xf32> into tensor<?x3x2x8xf32>
  %et = tensor.empty(%n) : tensor<3x2x?x8xf32>
  %t = linalg.transpose ins(%e : tensor<?x3x2x8xf32>) outs(%et : tensor<3x2x?x8xf32>) permutation = [1, 2, 0, 3]
  %k = tensor.extract_slice %t[1, 0, 0, 0] [1, 2, %m, 8] [1, 1, 1, 1] : tensor<3x2x?x8xf32> to tensor<2x?x8xf32>
  %o = call @dynamic_heads(%y, %k, %y) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  return %o : tensor<2x?x8xf32>
}

// Elements of the three alternate: a copy is cheaper than to load them one by one.
// CHECK-LABEL: @packed_in_elements
// CHECK: %[[T:.*]] = linalg.transpose
// CHECK: %[[K:.*]] = tensor.extract_slice %[[T]][1, 0, 0, 0]
// CHECK: attn.attention {{.*}} ins(%arg0, %[[K]], %arg2 :
func.func @packed_in_elements(%q: tensor<2x4x8xf32>, %x: tensor<6x48xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %e = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [6, 2, 8, 3] : tensor<6x48xf32> into tensor<6x2x8x3xf32>
  %et = tensor.empty() : tensor<3x2x6x8xf32>
  %t = linalg.transpose ins(%e : tensor<6x2x8x3xf32>) outs(%et : tensor<3x2x6x8xf32>) permutation = [3, 1, 0, 2]
  %k = tensor.extract_slice %t[1, 0, 0, 0] [1, 2, 6, 8] [1, 1, 1, 1] : tensor<3x2x6x8xf32> to tensor<2x6x8xf32>
  %o = call @plain(%q, %k, %v) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// Heads that do not start at a multiple of their size are no slice of blocks.
// CHECK-LABEL: @packed_askew
// CHECK: linalg.transpose
// CHECK: %[[K:.*]] = tensor.expand_shape %{{.*}} output_shape [2, 8, 6]
// CHECK: attn.attention {{.*}} ins(%arg0, %[[K]], %arg2 :
func.func @packed_askew(%q: tensor<2x4x8xf32>, %x: tensor<6x48xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %et = tensor.empty() : tensor<48x6xf32>
  %t = linalg.transpose ins(%x : tensor<6x48xf32>) outs(%et : tensor<48x6xf32>) permutation = [1, 0]
  %s = tensor.extract_slice %t[20, 0] [16, 6] [1, 1] : tensor<48x6xf32> to tensor<16x6xf32>
  %e = tensor.expand_shape %s [[0, 1], [2]] output_shape [2, 8, 6] : tensor<16x6xf32> into tensor<2x8x6xf32>
  %ek = tensor.empty() : tensor<2x6x8xf32>
  %k = linalg.transpose ins(%e : tensor<2x8x6xf32>) outs(%ek : tensor<2x6x8xf32>) permutation = [0, 2, 1]
  %o = call @plain(%q, %k, %v) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
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
func.func private @dynamic_heads(%q: tensor<2x?x8xf32>, %k: tensor<2x?x8xf32>, %v: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %m = tensor.dim %q, %c1 : tensor<2x?x8xf32>
  %n = tensor.dim %k, %c1 : tensor<2x?x8xf32>
  %es = tensor.empty(%m, %n) : tensor<2x?x?xf32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %s = linalg.generic {indexing_maps = [#qd, #kd, #mn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x?x8xf32>, tensor<2x?x8xf32>) outs(%is : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x?x?xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<2x?x?xf32>) outs(%es : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %eo = tensor.empty(%m) : tensor<2x?x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<2x?x?xf32>, tensor<2x?x8xf32>) outs(%io : tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  return %o : tensor<2x?x8xf32>
}
