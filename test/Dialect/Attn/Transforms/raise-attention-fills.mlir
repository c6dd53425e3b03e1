// Finite fills of hidden scores. In a row without a visible key the weights
// follow the fills, so that -inf is right only where every row keeps a key. The
// inputs have such rows: the first three keys are padding, row 1 of the mask is
// empty.

// RUN: attn-opt %s --inline --symbol-dce --canonicalize --cse --attn-raise-attention --canonicalize --cse 2>/dev/null | FileCheck %s
// RUN: %python -c "import numpy as np; r = np.random.default_rng(1); a = [r.standard_normal(s).astype(np.float32) for s in [(6, 8), (12, 8), (12, 4)]]; p = np.arange(12) > 2; m = r.random((6, 12)) > 0.5; m[1] = False; z = lambda f, *x: np.savez(f, **{f'arg{i}': y for i, y in enumerate(a + list(x))}); z(r'%t.p.npz', p); z(r'%t.m.npz', m); z(r'%t.pm.npz', p & False, m); z(r'%t.b.npz', np.where(p, 0, np.finfo(np.float32).min).astype(np.float32)); z(r'%t.npz')"
// RUN: attn-run %s --entry=padding --inputs=%t.p.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=dense --inputs=%t.m.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=causal_padding --inputs=%t.p.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=causal_padding_term --inputs=%t.p.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=causal_padding_lowest --inputs=%t.p.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=mixed --inputs=%t.pm.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=undone --inputs=%t.pm.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=term_behind --inputs=%t.b.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=weak --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=product --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=other_product --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=zeroed --inputs=%t.m.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=causal_padding --inputs=%t.p.npz --portable --check | FileCheck %s --check-prefix=SAME
// RUN: attn-run %s --entry=causal_padding --inputs=%t.p.npz --target=nvptx:sm_80 --simulate --check | FileCheck %s --check-prefix=SAME

// MATCH: match
// MATCH: [attn-r101] raised to attn.attention
// SAME: match

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>
#o = affine_map<(m, n) -> ()>

// A padding mask: the region selects the fill, which the score of no row without a key may lack.
// CHECK-LABEL: @padding
// CHECK: attn.attention {{.*}} params(%arg3 : tensor<12xi1>)
// CHECK-NOT: masks
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[P:.*]]: i1):
// CHECK: %[[R:.*]] = arith.select %[[P]], %[[S]], %{{.*}} : f32
// CHECK-NEXT: attn.yield %[[R]]
func.func @padding(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %p: tensor<12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %p : tensor<6x12xf32>, tensor<12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant -3.40282347E+38 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// A mask of rows and keys is read as it is, not as a tensor of scores.
// CHECK-LABEL: @dense
// CHECK: attn.attention {{.*}} params(%arg3 : tensor<6x12xi1>)
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
func.func @dense(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant -1.0e+9 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Causal and padding: where one fill hides all keys of a row, which its lse
// tells, that row has the mean of all values.
// CHECK-LABEL: @causal_padding
// CHECK: %[[O:.*]]:2 = attn.attention {{.*}} masks [#attn.causal, #attn.dense_mask]
// CHECK: %[[L:.*]] = linalg.reduce ins(%[[O]]#1
// CHECK: %[[X:.*]] = tensor.extract %[[L]][]
// CHECK: %[[D:.*]] = arith.cmpf ule, %[[X]]
// CHECK: scf.if %[[D]]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%arg2
// CHECK: linalg.generic
// CHECK: tensor.extract %[[O]]#1
// CHECK: tensor.extract %[[S]]
// CHECK: tensor.extract %[[O]]#0
// CHECK: arith.select
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[O]]#0
func.func @causal_padding(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %p: tensor<12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %p : tensor<6x12xf32>, tensor<12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi sge, %i, %j : index
    %k2 = arith.andi %b, %c : i1
    %f = arith.constant -3.40282347E+38 : f32
    %r = arith.select %k2, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// -1e9 that is added leaves something of the scores: the region adds it.
// CHECK-LABEL: @causal_padding_term
// CHECK: attn.attention
// CHECK-NOT: masks
// CHECK: %[[F:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[F]]
func.func @causal_padding_term(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %p: tensor<12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %p : tensor<6x12xf32>, tensor<12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi sge, %i, %j : index
    %k2 = arith.andi %b, %c : i1
    %f = arith.constant -1.0e+9 : f32
    %z = arith.constant 0.0 : f32
    %g = arith.select %k2, %z, %f : f32
    %r = arith.addf %a, %g : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The lowest float leaves nothing.
// CHECK-LABEL: @causal_padding_lowest
// CHECK: attn.attention {{.*}} masks [#attn.causal, #attn.dense_mask]
// CHECK: scf.if
func.func @causal_padding_lowest(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %p: tensor<12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %p : tensor<6x12xf32>, tensor<12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi sge, %i, %j : index
    %k2 = arith.andi %b, %c : i1
    %f = arith.constant -3.40282347E+38 : f32
    %z = arith.constant 0.0 : f32
    %g = arith.select %k2, %z, %f : f32
    %r = arith.addf %a, %g : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// -inf outside of a finite fill is a mask, inside of it a step of the region.
// CHECK-LABEL: @mixed
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask] {{.*}} params(%arg3, %arg4
// CHECK: arith.select
// CHECK-NEXT: attn.yield
func.func @mixed(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %p: tensor<12xi1>, %m: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t0 = tensor.empty() : tensor<6x12xf32>
  %t0 = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %p : tensor<6x12xf32>, tensor<12xi1>) outs(%e_t0 : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant -1.0e+9 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%t0, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// CHECK-LABEL: @undone
// CHECK: attn.attention {{.*}} params(%arg4, %arg3
// CHECK-DAG: %[[INF:.*]] = arith.constant 0xFF800000
// CHECK-DAG: %[[F:.*]] = arith.constant -1.000000e+09
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %[[INF]]
// CHECK: arith.select %{{.*}}, %[[S]], %[[F]]
// CHECK: attn.yield
func.func @undone(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %p: tensor<12xi1>, %m: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t0 = tensor.empty() : tensor<6x12xf32>
  %t0 = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t0 : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%t0, %p : tensor<6x12xf32>, tensor<12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant -1.0e+9 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// A term behind the mask may be a mask itself (GPT-Neo).
// CHECK-LABEL: @term_behind
// CHECK: attn.attention
// CHECK: score
// CHECK: arith.cmpi sge
// CHECK: arith.select
// CHECK: arith.addf
// CHECK: attn.yield
func.func @term_behind(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %h: tensor<12xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t0 = tensor.empty() : tensor<6x12xf32>
  %t0 = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t0 : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi sge, %i, %j : index
    %f = arith.constant -3.40282347E+38 : f32
    %r = arith.select %b, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%t0, %h : tensor<6x12xf32>, tensor<12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// A fill that hides nothing is a score.
// CHECK-LABEL: @weak
// CHECK: attn.attention
// CHECK: arith.constant -1.000000e+00
// CHECK: arith.select
// CHECK: attn.yield
func.func @weak(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi sge, %i, %j : index
    %f = arith.constant -1.0 : f32
    %r = arith.select %b, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// m s + (1 - m) fill with a mask of 0 and 1 (GPT-1).
// CHECK-LABEL: @product
// CHECK: attn.attention {{.*}} masks [#attn.causal]
// CHECK-NOT: scf.if
// CHECK: return
func.func @product(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi sge, %i, %j : index
    %f = arith.constant -1.0e+10 : f32
    %i1 = arith.extui %b : i1 to i32
    %x = arith.sitofp %i1 : i32 to f32
    %one = arith.constant 1.0 : f32
    %y = arith.subf %one, %x : f32
    %w = arith.mulf %x, %a : f32
    %g = arith.mulf %y, %f : f32
    %r = arith.addf %w, %g : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The fill of another mask is a term, and the score is 0 where the first one hides it.
// CHECK-LABEL: @other_product
// CHECK: attn.attention
// CHECK: arith.select
// CHECK: arith.addf
// CHECK: arith.select
// CHECK: attn.yield
func.func @other_product(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi sge, %i, %j : index
    %f = arith.constant -1.0e+10 : f32
    %b2 = arith.cmpi sgt, %i, %j : index
    %z = arith.constant 0.0 : f32
    %w = arith.select %b, %a, %z : f32
    %g = arith.select %b2, %z, %f : f32
    %r = arith.addf %w, %g : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @attend(%t, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Rows without a key that are 0 afterwards: the fill is as good as -inf.
// CHECK-LABEL: @zeroed
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
// CHECK-NOT: score {
// CHECK: return
func.func @zeroed(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant -1.0e+9 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %w = call @weights(%t) : (tensor<6x12xf32>) -> tensor<6x12xf32>
  %e_u = tensor.empty() : tensor<6x12xf32>
  %u = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_u : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.select %c, %a, %z : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%u, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Weights that another mask makes 0 do not sum to 1 any more.
// CHECK-LABEL: @zeroed_by_another
// CHECK-NOT: attn.attention
// CHECK: return
func.func @zeroed_by_another(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<6x12xi1>, %n: tensor<6x12xi1>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %f = arith.constant -1.0e+9 : f32
    %r = arith.select %c, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %w = call @weights(%t) : (tensor<6x12xf32>) -> tensor<6x12xf32>
  %e_u = tensor.empty() : tensor<6x12xf32>
  %u = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %n : tensor<6x12xf32>, tensor<6x12xi1>) outs(%e_u : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: i1, %out: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.select %c, %a, %z : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%u, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
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
