// A padding mask as a product: s + (1 - m) * fill with a mask of numbers. The
// product's normal form is fill - fill * m, of which neither part may be lost:
// where a key is seen, their sum is 0.

// RUN: attn-opt %s --inline --symbol-dce --canonicalize --cse --attn-raise-attention --canonicalize --cse 2>/dev/null | FileCheck %s
// RUN: %python -c "import numpy as np; r = np.random.default_rng(1); m = np.tile([[1.0], [1.0], [0.0]], (4, 1))[:, 0]; i = np.where(np.arange(12) < 8, 1, 0); np.savez(r'%t.npz', **{f'arg{n}': r.standard_normal(s).astype(np.float32) for n, s in enumerate([(6, 8), (12, 8), (12, 4)])}, arg3=m.astype(np.float32), arg4=i)"
// RUN: attn-run %s --entry=main --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=FAST
// RUN: attn-run %s --entry=main --inputs=%t.npz --portable --check | FileCheck %s --check-prefix=MATCH

// FAST-COUNT-5: match
// FAST-COUNT-5: [attn-r101] raised to attn.attention
// MATCH-COUNT-5: match

// (m - 1) * -fill: the fill's roundings meet no score.
// CHECK-LABEL: @main
// CHECK-DAG: %[[ONE:.*]] = arith.constant -1.000000e+00 : f32
// CHECK-DAG: %[[MIN:.*]] = arith.constant 3.40282347E+38 : f32
// CHECK: %[[M:.*]] = tensor.extract %arg3
// CHECK-NEXT: %[[HIDDEN:.*]] = arith.addf %[[M]], %[[ONE]] : f32
// CHECK-NEXT: %[[BIAS:.*]] = arith.mulf %[[HIDDEN]], %[[MIN]] : f32
// CHECK-NEXT: linalg.yield %[[BIAS]] : f32
// CHECK: attn.attention {{.*}} bias [#attn.dense_bias]
// CHECK: attn.attention {{.*}} bias [#attn.dense_bias]
// CHECK: attn.attention {{.*}} bias [#attn.dense_bias]
// CHECK: attn.attention {{.*}} bias [#attn.dense_bias, #attn.dense_bias]
// CHECK: attn.attention {{.*}} softmax(#attn.softmax1) bias [#attn.dense_bias]
func.func @main(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<12xf32>, %i: tensor<12xi64>)
    -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) {
  %lowest = arith.constant -3.40282347E+38 : f32
  %large = arith.constant -1.0e+9 : f32
  %small = arith.constant -1.0e+4 : f32
  %none = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  // The lowest float, -1e9 from integers, and -1e4.
  %s0 = call @pad(%s, %m, %lowest) : (tensor<6x12xf32>, tensor<12xf32>, f32) -> tensor<6x12xf32>
  %0 = call @attend(%s0, %v, %none) : (tensor<6x12xf32>, tensor<12x4xf32>, f32) -> tensor<6x4xf32>
  %s1 = call @pad_integer(%s, %i, %large) : (tensor<6x12xf32>, tensor<12xi64>, f32) -> tensor<6x12xf32>
  %1 = call @attend(%s1, %v, %none) : (tensor<6x12xf32>, tensor<12x4xf32>, f32) -> tensor<6x4xf32>
  %s2 = call @pad(%s, %m, %small) : (tensor<6x12xf32>, tensor<12xf32>, f32) -> tensor<6x12xf32>
  %2 = call @attend(%s2, %v, %none) : (tensor<6x12xf32>, tensor<12x4xf32>, f32) -> tensor<6x4xf32>
  // Two masks: the sum's constant is that of both.
  %s3 = call @pad_integer(%s2, %i, %large) : (tensor<6x12xf32>, tensor<12xi64>, f32) -> tensor<6x12xf32>
  %3 = call @attend(%s3, %v, %none) : (tensor<6x12xf32>, tensor<12x4xf32>, f32) -> tensor<6x4xf32>
  // With e0 nothing may be shifted.
  %4 = call @attend(%s0, %v, %one) : (tensor<6x12xf32>, tensor<12x4xf32>, f32) -> tensor<6x4xf32>
  return %0, %1, %2, %3, %4 : tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>
}

// A constant beside a bias that is no mask stays with it, a small one is a shift.
// CHECK-LABEL: @shifts
// CHECK: %[[FAR:.*]] = arith.constant -3.000000e+03 : f32
// CHECK: %[[SHIFTED:.*]] = linalg.generic
// CHECK: arith.addf %{{.*}}, %[[FAR]] : f32
// CHECK: attn.attention {{.*}} params(%[[SHIFTED]]
// CHECK: attn.attention {{.*}} params(%arg3
func.func @shifts(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %b: tensor<6x12xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %far = arith.constant -3.0e+3 : f32
  %near = arith.constant -0.5 : f32
  %none = arith.constant 0.0 : f32
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %s0 = call @add(%s, %b, %far) : (tensor<6x12xf32>, tensor<6x12xf32>, f32) -> tensor<6x12xf32>
  %0 = call @attend(%s0, %v, %none) : (tensor<6x12xf32>, tensor<12x4xf32>, f32) -> tensor<6x4xf32>
  %s1 = call @add(%s, %b, %near) : (tensor<6x12xf32>, tensor<6x12xf32>, f32) -> tensor<6x12xf32>
  %1 = call @attend(%s1, %v, %none) : (tensor<6x12xf32>, tensor<12x4xf32>, f32) -> tensor<6x4xf32>
  return %0, %1 : tensor<6x4xf32>, tensor<6x4xf32>
}

#md = affine_map<(m, n, d) -> (m, d)>
#nd = affine_map<(m, n, d) -> (n, d)>
#mn3 = affine_map<(m, n, d) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

func.func private @dot(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>) -> tensor<6x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x12xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<6x12xf32>) -> tensor<6x12xf32>
  %s = linalg.generic {indexing_maps = [#md, #nd, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<6x8xf32>, tensor<12x8xf32>) outs(%i : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  return %s : tensor<6x12xf32>
}

func.func private @pad(%s: tensor<6x12xf32>, %m: tensor<12xf32>, %fill: f32) -> tensor<6x12xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<12xf32>) outs(%e : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.subf %one, %b : f32
    %d = arith.mulf %c, %fill : f32
    %r = arith.addf %a, %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  return %t : tensor<6x12xf32>
}

func.func private @pad_integer(%s: tensor<6x12xf32>, %m: tensor<12xi64>, %fill: f32) -> tensor<6x12xf32> {
  %one = arith.constant 1 : i64
  %e = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<12xi64>) outs(%e : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: i64, %o: f32):
    %c = arith.subi %one, %b : i64
    %f = arith.sitofp %c : i64 to f32
    %d = arith.mulf %f, %fill : f32
    %r = arith.addf %a, %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  return %t : tensor<6x12xf32>
}

func.func private @add(%s: tensor<6x12xf32>, %b: tensor<6x12xf32>, %shift: f32) -> tensor<6x12xf32> {
  %e = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %b : tensor<6x12xf32>, tensor<6x12xf32>) outs(%e : tensor<6x12xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.addf %c, %shift : f32
    %r = arith.addf %a, %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  return %t : tensor<6x12xf32>
}

// exp(s) v / (sum exp(s) + e0), shifted by the maximum.
func.func private @attend(%s: tensor<6x12xf32>, %v: tensor<12x4xf32>, %e0: f32) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6x12xf32>
  %er = tensor.empty() : tensor<6xf32>
  %mi = linalg.fill ins(%low : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %top = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<6x12xf32>) outs(%mi : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %x = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %top : tensor<6x12xf32>, tensor<6xf32>) outs(%e : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %zi = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%top : tensor<6xf32>) outs(%er : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %r = arith.mulf %e0, %p : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x12xf32>) outs(%zs : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %w = linalg.generic {indexing_maps = [#mn, #m, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %zi : tensor<6x12xf32>, tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %z = arith.addf %b, %c : f32
    %r = arith.divf %a, %z : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %eo = tensor.empty() : tensor<6x4xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x4xf32>) -> tensor<6x4xf32>
  %out = linalg.matmul ins(%w, %v : tensor<6x12xf32>, tensor<12x4xf32>) outs(%io : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %out : tensor<6x4xf32>
}
