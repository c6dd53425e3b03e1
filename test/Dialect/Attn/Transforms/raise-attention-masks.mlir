// How models say which keys a row sees: with numbers instead of conditions, with
// constants, with tensors that only their ops can compute, and with guards of
// rows without a key. Each has a twin that means something else.

// RUN: attn-opt %s --inline --symbol-dce --canonicalize --cse --attn-raise-attention --canonicalize --cse 2>/dev/null | FileCheck %s
// RUN: %python -c "import numpy as np; r = np.random.default_rng(1); a = [r.standard_normal(s).astype(np.float32) for s in [(6, 8), (12, 8), (12, 4)]]; m = r.random((6, 12)) > 0.5; m[:, 0] = True; i = lambda *x: np.array(x, np.int32); z = lambda f, *x: np.savez(f, **{f'arg{i}': y for i, y in enumerate(a + list(x))}); z(r'%t.m.npz', m); z(r'%t.h.npz', np.where(m, 0, -np.inf).astype(np.float32)); z(r'%t.l.npz', np.int32(7)); z(r'%t.lr.npz', i(1, 3, 5, 7, 12, 2)); z(r'%t.xy.npz', i(0, 0, 1, 1, 2, 2), i(0, 1, 2, 2, 2, 1, 0, 0, 0, 1, 2, 3)); z(r'%t.npz')"
// RUN: attn-run %s --entry=triangle --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=strict_triangle --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=difference --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=product --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=minimum --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=maximum --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=distance --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=no_distance --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=buffer --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=buffer_of_terms --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=slice --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=other_buffer --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=blocks --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=waves --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=guard_of_mask --inputs=%t.m.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=guard_of_count --inputs=%t.m.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=guard_of_term --inputs=%t.h.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=guard_of_nan --inputs=%t.m.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=softmax_where --inputs=%t.m.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=slopes --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=both_signs --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=length --inputs=%t.l.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=position --inputs=%t.l.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=length_of_row --inputs=%t.lr.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=segments --inputs=%t.xy.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=no_segments --inputs=%t.xy.npz --check --remarks | FileCheck %s --check-prefix=MATCH

// MATCH: match
// MATCH: [attn-r101] raised to attn.attention

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>
#o = affine_map<(m, n) -> ()>

// A triangle of ones and zeros, compared with zero.
// CHECK-LABEL: @triangle
// CHECK: attn.attention {{.*}} masks [#attn.causal]
func.func @triangle(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi sge, %i, %j : index
    %one = arith.constant 1.0 : f32
    %z = arith.constant 0.0 : f32
    %x = arith.select %b, %one, %z : f32
    %h = arith.cmpf oeq, %x, %z : f32
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %h, %f, %a : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// One key less: the first row sees none, and the diagonal is no window of an attribute.
// CHECK-LABEL: @strict_triangle
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @strict_triangle(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi sgt, %i, %j : index
    %one = arith.constant 1.0 : f32
    %z = arith.constant 0.0 : f32
    %x = arith.select %b, %one, %z : f32
    %h = arith.cmpf oeq, %x, %z : f32
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %h, %f, %a : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The difference of two triangles is a window, and so is the product of one and the rest of another.
// CHECK-LABEL: @difference
// CHECK: attn.attention {{.*}} masks [#attn.causal, #attn.window<left = 3, right = 0>]
func.func @difference(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %z0 = arith.constant 0 : index
    %four = arith.constant 4 : index
    %p = arith.cmpi sge, %d, %z0 : index
    %q0 = arith.cmpi sge, %d, %four : index
    %one = arith.constant 1.0 : f32
    %z = arith.constant 0.0 : f32
    %x = arith.select %p, %one, %z : f32
    %y = arith.select %q0, %one, %z : f32
    %u = arith.subf %x, %y : f32
    %h = arith.cmpf une, %u, %z : f32
    %f = arith.constant -1.0e+30 : f32
    %r = arith.select %h, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// CHECK-LABEL: @product
// CHECK: attn.attention {{.*}} masks [#attn.causal, #attn.window<left = 3, right = 0>]
func.func @product(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %z0 = arith.constant 0 : index
    %four = arith.constant 4 : index
    %p = arith.cmpi sge, %d, %z0 : index
    %q0 = arith.cmpi sge, %d, %four : index
    %one = arith.constant 1.0 : f32
    %z = arith.constant 0.0 : f32
    %x = arith.select %p, %one, %z : f32
    %y = arith.select %q0, %one, %z : f32
    %n = arith.subf %one, %y : f32
    %u = arith.mulf %x, %n : f32
    %h = arith.cmpf oeq, %u, %z : f32
    %f = arith.constant -1.0e+30 : f32
    %r = arith.select %h, %f, %a : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The smaller of two terms is hidden by either.
// CHECK-LABEL: @minimum
// CHECK: attn.attention {{.*}} masks [#attn.causal, #attn.window<left = 3, right = 0>]
func.func @minimum(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %z0 = arith.constant 0 : index
    %four = arith.constant 4 : index
    %p = arith.cmpi sge, %d, %z0 : index
    %q0 = arith.cmpi sge, %d, %four : index
    %one = arith.constant 1.0 : f32
    %z = arith.constant 0.0 : f32
    %x = arith.select %p, %one, %z : f32
    %y = arith.select %q0, %one, %z : f32
    %f = arith.constant 0xFF800000 : f32
    %u = arith.select %p, %z, %f : f32
    %w = arith.select %q0, %f, %z : f32
    %l = arith.minimumf %u, %w : f32
    %r = arith.addf %a, %l : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The larger of them only by both, which no key is.
// CHECK-LABEL: @maximum
// CHECK-NOT: masks
// CHECK: return
func.func @maximum(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %z0 = arith.constant 0 : index
    %four = arith.constant 4 : index
    %p = arith.cmpi sge, %d, %z0 : index
    %q0 = arith.cmpi sge, %d, %four : index
    %one = arith.constant 1.0 : f32
    %z = arith.constant 0.0 : f32
    %x = arith.select %p, %one, %z : f32
    %y = arith.select %q0, %one, %z : f32
    %f = arith.constant 0xFF800000 : f32
    %u = arith.select %p, %z, %f : f32
    %w = arith.select %q0, %f, %z : f32
    %l = arith.maximumf %u, %w : f32
    %r = arith.addf %a, %l : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// A distance of either sign.
// CHECK-LABEL: @distance
// CHECK: attn.attention {{.*}} masks [#attn.window<left = 3, right = 3>]
func.func @distance(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %z0 = arith.constant 0 : index
    %four = arith.constant 4 : index
    %p = arith.cmpi sge, %d, %z0 : index
    %q0 = arith.cmpi sge, %d, %four : index
    %one = arith.constant 1.0 : f32
    %z = arith.constant 0.0 : f32
    %x = arith.select %p, %one, %z : f32
    %y = arith.select %q0, %one, %z : f32
    %ci = arith.index_cast %d : index to i64
    %ab = math.absi %ci : i64
    %three = arith.constant 3 : i64
    %h = arith.cmpi sle, %ab, %three : i64
    %f = arith.constant -1.0e+30 : f32
    %r = arith.select %h, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// A distance equals no negative number: nothing is hidden.
// CHECK-LABEL: @no_distance
// CHECK: attn.attention
// CHECK-NOT: masks
// CHECK-SAME: ins(
func.func @no_distance(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %ci = arith.index_cast %d : index to i64
    %ab = math.absi %ci : i64
    %other = arith.constant -1 : i64
    %h = arith.cmpi eq, %ab, %other : i64
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %h, %f, %a : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Constants that are triangles and bands, of booleans, and of numbers that are added.
// CHECK-LABEL: @buffer
// CHECK: attn.attention {{.*}} masks [#attn.causal]
func.func @buffer(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %b = arith.constant dense<[[true, false, false, false, false, false, false, false, false, false, false, false], [true, true, false, false, false, false, false, false, false, false, false, false], [true, true, true, false, false, false, false, false, false, false, false, false], [true, true, true, true, false, false, false, false, false, false, false, false], [true, true, true, true, true, false, false, false, false, false, false, false], [true, true, true, true, true, true, false, false, false, false, false, false]]> : tensor<6x12xi1>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %b : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant -1.0e+9 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// CHECK-LABEL: @buffer_of_terms
// CHECK: attn.attention {{.*}} masks [#attn.window<left = 2, right = 1>]
func.func @buffer_of_terms(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %b = arith.constant dense<[[0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0xFF800000, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0xFF800000, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %b : tensor<6x12xf32>, tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// A part of a larger one: the first row stands at key 6.
// CHECK-LABEL: @slice
// CHECK: attn.attention {{.*}} align(bottom_right) masks [#attn.causal]
func.func @slice(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %w = arith.constant dense<[[1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]]> : tensor<10x14xi8>
  %b = tensor.extract_slice %w[2, 2] [6, 12] [1, 1] : tensor<10x14xi8> to tensor<6x12xi8>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %b : tensor<6x12xf32>, tensor<6x12xi8>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i8, %out: f32):
    %z = arith.constant 0 : i8
    %h = arith.cmpi eq, %c, %z : i8
    %f = arith.constant -1.0e+9 : f32
    %r = arith.select %h, %f, %a : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// With another element a constant is a mask like any other.
// CHECK-LABEL: @other_buffer
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @other_buffer(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %b = arith.constant dense<[[true, false, false, false, false, false, false, false, false, false, false, false], [true, true, false, false, false, false, false, false, false, false, false, false], [true, true, true, false, false, false, false, false, false, false, false, false], [true, true, true, true, false, false, false, false, false, false, false, false], [true, true, false, true, true, false, false, false, false, false, false, false], [true, true, true, true, true, true, false, false, false, false, false, false]]> : tensor<6x12xi1>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %b : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The mask that no expression says is read from its tensor, whichever way it is used.
// CHECK-LABEL: @blocks
// CHECK: %[[B:.*]] = linalg.generic
// CHECK: math.floor
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask] {{.*}} params(%[[B]] : tensor<6x12xi1>)
func.func @blocks(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_b = tensor.empty() : tensor<6x12xi1>
  %b = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]}
      outs(%e_b : tensor<6x12xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ii = arith.index_cast %i : index to i32
    %jj = arith.index_cast %j : index to i32
    %x = arith.sitofp %ii : i32 to f32
    %y = arith.sitofp %jj : i32 to f32
    %t0 = arith.constant 0.25 : f32
    %x2 = arith.mulf %x, %t0 : f32
    %y2 = arith.mulf %y, %t0 : f32
    %x3 = math.floor %x2 : f32
    %y3 = math.floor %y2 : f32
    %r = arith.cmpf oeq, %x3, %y3 : f32
    linalg.yield %r : i1
  } -> tensor<6x12xi1>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %b : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// A term likewise.
// CHECK-LABEL: @waves
// CHECK: %[[B:.*]] = linalg.generic
// CHECK: math.sin
// CHECK: attn.attention {{.*}} bias [#attn.dense_bias] {{.*}} params(%[[B]] : tensor<6x12xf32>)
func.func @waves(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_b = tensor.empty() : tensor<6x12xf32>
  %b = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]}
      outs(%e_b : tensor<6x12xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %ii = arith.index_cast %d : index to i32
    %x = arith.sitofp %ii : i32 to f32
    %r = math.sin %x : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %b : tensor<6x12xf32>, tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Where no tensor holds it, there is nothing to read.
// CHECK-LABEL: @unheld
// CHECK-NOT: attn.attention
// CHECK: return
func.func @unheld(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %ii = arith.index_cast %d : index to i32
    %x = arith.sitofp %ii : i32 to f32
    %w = math.sin %x : f32
    %r = arith.addf %a, %w : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Rows that are 0 where the mask has no key: by the mask itself,
// CHECK-LABEL: @guard_of_mask
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @guard_of_mask(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %w = call @weights(%t) : (tensor<6x12xf32>) -> tensor<6x12xf32>
  %no = arith.constant false
  %er = tensor.empty() : tensor<6xi1>
  %ir = linalg.fill ins(%no : i1) outs(%er : tensor<6xi1>) -> tensor<6xi1>
  %any = linalg.reduce { arith.ori } ins(%m : tensor<6x12xi1>) outs(%ir : tensor<6xi1>) dimensions = [1]
  %e_u = tensor.empty() : tensor<6x12xf32>
  %u = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %any : tensor<6x12xf32>, tensor<6xi1>) outs(%e_u : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.select %c, %a, %z : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%u, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// by a count of its keys,
// CHECK-LABEL: @guard_of_count
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @guard_of_count(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %w = call @weights(%t) : (tensor<6x12xf32>) -> tensor<6x12xf32>
  %e_f = tensor.empty() : tensor<6x12xf32>
  %f = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<6x12xi1>) outs(%e_f : tensor<6x12xf32>) {
  ^bb0(%c: i1, %out: f32):
    %x = arith.uitofp %c : i1 to f32
    linalg.yield %x : f32
  } -> tensor<6x12xf32>
  %nought = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<6xf32>
  %ir = linalg.fill ins(%nought : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %count = linalg.reduce { arith.addf } ins(%f : tensor<6x12xf32>) outs(%ir : tensor<6xf32>) dimensions = [1]
  %e_u = tensor.empty() : tensor<6x12xf32>
  %u = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %count : tensor<6x12xf32>, tensor<6xf32>) outs(%e_u : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %h = arith.cmpf ogt, %c, %z : f32
    %r = arith.select %h, %a, %z : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%u, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// by the largest term,
// CHECK-LABEL: @guard_of_term
// CHECK: attn.attention {{.*}} masks [#attn.additive_mask]
func.func @guard_of_term(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %h: tensor<6x12xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %h : tensor<6x12xf32>, tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %w = call @weights(%t) : (tensor<6x12xf32>) -> tensor<6x12xf32>
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty() : tensor<6xf32>
  %ir = linalg.fill ins(%low : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %top = linalg.reduce { arith.maximumf } ins(%h : tensor<6x12xf32>) outs(%ir : tensor<6xf32>) dimensions = [1]
  %e_u = tensor.empty() : tensor<6x12xf32>
  %u = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %top : tensor<6x12xf32>, tensor<6xf32>) outs(%e_u : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %f = arith.constant 0xFF800000 : f32
    %h2 = arith.cmpf oeq, %c, %f : f32
    %r = arith.select %h2, %z, %a : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%u, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// and by weights that are no numbers there.
// CHECK-LABEL: @guard_of_nan
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @guard_of_nan(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %w = call @weights(%t) : (tensor<6x12xf32>) -> tensor<6x12xf32>
  %e_u = tensor.empty() : tensor<6x12xf32>
  %u = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<6x12xf32>) outs(%e_u : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %z = arith.constant 0.0 : f32
    %h = arith.cmpf uno, %a, %a : f32
    %x = arith.select %h, %z, %a : f32
    %f = arith.constant 0x7F800000 : f32
    %h2 = arith.cmpf oeq, %x, %f : f32
    %big = arith.constant 3.40282347E+38 : f32
    %r = arith.select %h2, %big, %x : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%u, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Another mask says nothing about these rows.
// CHECK-LABEL: @guard_of_another
// CHECK-NOT: attn.attention
// CHECK: return
func.func @guard_of_another(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<6x12xi1>, %h: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %h : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %w = call @weights(%t) : (tensor<6x12xf32>) -> tensor<6x12xf32>
  %no = arith.constant false
  %er = tensor.empty() : tensor<6xi1>
  %ir = linalg.fill ins(%no : i1) outs(%er : tensor<6xi1>) -> tensor<6xi1>
  %any = linalg.reduce { arith.ori } ins(%m : tensor<6x12xi1>) outs(%ir : tensor<6xi1>) dimensions = [1]
  %e_u = tensor.empty() : tensor<6x12xf32>
  %u = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %any : tensor<6x12xf32>, tensor<6xi1>) outs(%e_u : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.select %c, %a, %z : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%u, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// A softmax over the keys of a mask.
// CHECK-LABEL: @softmax_where
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @softmax_where(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %unused = tensor.empty() : tensor<6x12xf32>
  %e_x = tensor.empty() : tensor<6x12xf32>
  %x = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_x : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %e = math.exp %a : f32
    %z = arith.constant 0.0 : f32
    %r = arith.select %c, %e, %z : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %nought = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<6xf32>
  %ir = linalg.fill ins(%nought : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<6x12xf32>) outs(%ir : tensor<6xf32>) dimensions = [1]
  %e_u = tensor.empty() : tensor<6x12xf32>
  %u = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<6x12xf32>, tensor<6xf32>) outs(%e_u : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %r = arith.divf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%u, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Keys that the sum alone leaves out.
// CHECK-LABEL: @sum_where
// CHECK-NOT: attn.attention
// CHECK: return
func.func @sum_where(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_y = tensor.empty() : tensor<6x12xf32>
  %y = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_y : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %e_x = tensor.empty() : tensor<6x12xf32>
  %x = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_x : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %e = math.exp %a : f32
    %z = arith.constant 0.0 : f32
    %r = arith.select %c, %e, %z : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %nought = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<6xf32>
  %ir = linalg.fill ins(%nought : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<6x12xf32>) outs(%ir : tensor<6xf32>) dimensions = [1]
  %e_u = tensor.empty() : tensor<6x12xf32>
  %u = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%y, %sum : tensor<6x12xf32>, tensor<6xf32>) outs(%e_u : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %r = arith.divf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%u, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Slopes times the distance of row and key, of which a causal mask shows one sign.
// CHECK-LABEL: @slopes
// CHECK: attn.attention {{.*}} bias [#attn.alibi<slopes = operand>] masks [#attn.causal]
func.func @slopes(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %j, %i : index
    %ii = arith.index_cast %d : index to i32
    %x = arith.sitofp %ii : i32 to f32
    %sl = arith.constant 0.25 : f32
    %y = arith.mulf %x, %sl : f32
    %z = arith.addf %a, %y : f32
    %b = arith.cmpi sge, %i, %j : index
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %b, %z, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Where both are seen it is no slope.
// CHECK-LABEL: @both_signs
// CHECK: attn.attention {{.*}} bias [#attn.dense_bias]
func.func @both_signs(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %j, %i : index
    %ii = arith.index_cast %d : index to i32
    %x = arith.sitofp %ii : i32 to f32
    %sl = arith.constant 0.25 : f32
    %y = arith.mulf %x, %sl : f32
    %z = arith.addf %a, %y : f32
    linalg.yield %z : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Keys before a length, or up to a position.
// CHECK-LABEL: @length
// CHECK: attn.attention {{.*}} masks [#attn.kv_lengths] {{.*}} params(%arg3 : tensor<i32>)
func.func @length(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %l: tensor<i32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #o, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %l : tensor<6x12xf32>, tensor<i32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %n0: i32, %out: f32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %b = arith.cmpi slt, %jj, %n0 : i32
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %b, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// CHECK-LABEL: @position
// CHECK: %[[N:.*]] = linalg.generic
// CHECK: arith.fptosi
// CHECK: attn.attention {{.*}} masks [#attn.kv_lengths] {{.*}} params(%[[N]] : tensor<i64>)
func.func @position(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %l: tensor<i32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #o, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %l : tensor<6x12xf32>, tensor<i32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %n0: i32, %out: f32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %b = arith.cmpi sle, %jj, %n0 : i32
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %b, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The logarithm of 1 and 0 is a mask.
// CHECK-LABEL: @log_of_condition
// CHECK: attn.attention {{.*}}align(top_left) masks [#attn.causal]
func.func @log_of_condition(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi ule, %j, %i : index
    %f = arith.uitofp %b : i1 to f32
    %l = math.log %f : f32
    %r = arith.addf %a, %l : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// CHECK-LABEL: @length_of_batch
// CHECK: attn.attention {{.*}} masks [#attn.kv_lengths] {{.*}} params(%arg3 : tensor<3xi32>)
func.func @length_of_batch(%q: tensor<3x6x8xf32>, %k: tensor<3x8x12xf32>, %v: tensor<3x12x4xf32>, %l: tensor<3xi32>) -> tensor<3x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x6x12xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x6x12xf32>) -> tensor<3x6x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<3x6x8xf32>, tensor<3x8x12xf32>) outs(%z : tensor<3x6x12xf32>) -> tensor<3x6x12xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b)>, affine_map<(b, i, j) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %l : tensor<3x6x12xf32>, tensor<3xi32>) outs(%e : tensor<3x6x12xf32>) {
  ^bb0(%a: f32, %n0: i32, %out: f32):
    %j = linalg.index 2 : index
    %jj = arith.index_cast %j : index to i32
    %b = arith.cmpi slt, %jj, %n0 : i32
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %b, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<3x6x12xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<3x6x12xf32>) outs(%e : tensor<3x6x12xf32>) -> tensor<3x6x12xf32>
  %eo = tensor.empty() : tensor<3x6x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x6x4xf32>) -> tensor<3x6x4xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<3x6x12xf32>, tensor<3x12x4xf32>) outs(%zo : tensor<3x6x4xf32>) -> tensor<3x6x4xf32>
  return %o : tensor<3x6x4xf32>
}

// A length for each row is a mask like any other.
// CHECK-LABEL: @length_of_row
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @length_of_row(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %l: tensor<6xi32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %l : tensor<6x12xf32>, tensor<6xi32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %n0: i32, %out: f32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %b = arith.cmpi slt, %jj, %n0 : i32
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %b, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Rows see the keys with their own id.
// CHECK-LABEL: @segments
// CHECK: attn.attention {{.*}} masks [#attn.segment_ids] {{.*}} params(%arg3, %arg4
func.func @segments(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %x: tensor<6xi32>, %y: tensor<12xi32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %x, %y : tensor<6x12xf32>, tensor<6xi32>, tensor<12xi32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i32, %d: i32, %out: f32):
    %b = arith.cmpi eq, %c, %d : i32
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %b, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// And with ids that are no less.
// CHECK-LABEL: @no_segments
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @no_segments(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %x: tensor<6xi32>, %y: tensor<12xi32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %x, %y : tensor<6x12xf32>, tensor<6xi32>, tensor<12xi32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i32, %d: i32, %out: f32):
    %b = arith.cmpi sle, %c, %d : i32
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %b, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

func.func private @dot(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>) -> tensor<6x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x12xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<6x12xf32>) -> tensor<6x12xf32>
  %kt = tensor.empty() : tensor<8x12xf32>
  %t = linalg.transpose ins(%k : tensor<12x8xf32>) outs(%kt : tensor<8x12xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %t : tensor<6x8xf32>, tensor<8x12xf32>) outs(%i : tensor<6x12xf32>) -> tensor<6x12xf32>
  return %s : tensor<6x12xf32>
}

func.func private @weights(%s: tensor<6x12xf32>) -> tensor<6x12xf32> {
  %e = tensor.empty() : tensor<6x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<6x12xf32>) outs(%e : tensor<6x12xf32>) -> tensor<6x12xf32>
  return %p : tensor<6x12xf32>
}

func.func private @values(%p: tensor<6x12xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<6x12xf32>, tensor<12x4xf32>) outs(%i : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

func.func private @attend(%s: tensor<6x12xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %p = call @weights(%s) : (tensor<6x12xf32>) -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}
