// Masks that compare positions with the keys less the rows, the lengths being
// dynamic: the last row stands at the last key.

// RUN: attn-opt %s --inline --symbol-dce --canonicalize --cse --attn-simplify-sizes --attn-raise-attention --canonicalize --cse 2>/dev/null | FileCheck %s
// RUN: attn-run %s --entry=causal --shape=0:5x8 --shape=1:9x8 --shape=2:9x4 --check --remarks | FileCheck %s --check-prefix=FAST
// RUN: attn-run %s --entry=causal --shape=0:9x8 --shape=1:9x8 --shape=2:9x4 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=window --shape=0:5x8 --shape=1:40x8 --shape=2:40x4 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=fixed --shape=1:40x8 --shape=2:40x4 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=other --shape=0:5x8 --shape=1:40x8 --shape=2:40x4 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=beyond --shape=0:5x8 --shape=1:40x8 --shape=2:40x4 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=before --shape=0:5x8 --shape=1:40x8 --shape=2:40x4 --check | FileCheck %s --check-prefix=MATCH

// FAST: match
// FAST: [attn-r201]
// MATCH: match

#md = affine_map<(m, n, d) -> (m, d)>
#nd = affine_map<(m, n, d) -> (n, d)>
#mn3 = affine_map<(m, n, d) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#mne = affine_map<(m, e, n) -> (m, n)>
#ne = affine_map<(m, e, n) -> (n, e)>
#me = affine_map<(m, e, n) -> (m, e)>

// j <= i + (n - m)
// CHECK-LABEL: @causal
// CHECK: attn.attention {{.*}} align(bottom_right) masks [#attn.causal]
func.func @causal(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %q, %c0 : tensor<?x8xf32>
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %m64 = arith.index_cast %m : index to i64
  %n64 = arith.index_cast %n : index to i64
  %shift = arith.subi %n64, %m64 : i64
  %keep = call @until(%m, %n, %shift) : (index, index, i64) -> tensor<?x?xi1>
  %r = call @attend(%q, %k, %v, %keep) : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x?xi1>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// And at most 6 keys before that.
// CHECK-LABEL: @window
// CHECK: attn.attention {{.*}} align(bottom_right) masks [#attn.causal, #attn.window<left = 6, right = -1>]
func.func @window(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %m = tensor.dim %q, %c0 : tensor<?x8xf32>
  %n = tensor.dim %v, %c0 : tensor<?x4xf32>
  %shift = arith.subi %n, %m : index
  %far = arith.subi %c6, %shift : index
  %s = arith.index_cast %shift : index to i64
  %f = arith.index_cast %far : index to i64
  %x = call @until(%m, %n, %s) : (index, index, i64) -> tensor<?x?xi1>
  %y = call @from(%m, %n, %f) : (index, index, i64) -> tensor<?x?xi1>
  %e = tensor.empty(%m, %n) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xi1>, tensor<?x?xi1>) outs(%e : tensor<?x?xi1>) {
  ^bb0(%a: i1, %b: i1, %o: i1):
    %both = arith.andi %a, %b : i1
    linalg.yield %both : i1
  } -> tensor<?x?xi1>
  %r = call @attend(%q, %k, %v, %keep) : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x?xi1>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// The rows are a constant number.
// CHECK-LABEL: @fixed
// CHECK: attn.attention {{.*}} align(bottom_right) masks [#attn.causal]
func.func @fixed(%q: tensor<5x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : i64
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %n64 = arith.index_cast %n : index to i64
  %shift = arith.subi %n64, %c5 : i64
  %m = arith.constant 5 : index
  %any = tensor.cast %q : tensor<5x8xf32> to tensor<?x8xf32>
  %keep = call @until(%m, %n, %shift) : (index, index, i64) -> tensor<?x?xi1>
  %r = call @attend(%any, %k, %v, %keep) : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x?xi1>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// The rows less the keys: computed as it is said.
// CHECK-LABEL: @other
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @other(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : i64
  %m = tensor.dim %q, %c0 : tensor<?x8xf32>
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %m64 = arith.index_cast %m : index to i64
  %n64 = arith.index_cast %n : index to i64
  %shift = arith.subi %m64, %n64 : i64
  %more = arith.addi %shift, %c40 : i64
  %keep = call @until(%m, %n, %more) : (index, index, i64) -> tensor<?x?xi1>
  %r = call @attend(%q, %k, %v, %keep) : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x?xi1>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Two keys more, where the comparison says how many.
// CHECK-LABEL: @beyond
// CHECK: attn.attention {{.*}} align(bottom_right) masks [#attn.window<left = -1, right = 2>]
func.func @beyond(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %q, %c0 : tensor<?x8xf32>
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %m64 = arith.index_cast %m : index to i64
  %n64 = arith.index_cast %n : index to i64
  %shift = arith.subi %n64, %m64 : i64
  %e = tensor.empty(%m, %n) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %c2 = arith.constant 2 : i64
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i64
    %key = arith.index_cast %j : index to i64
    %end = arith.addi %row, %shift : i64
    %far = arith.subi %key, %end : i64
    %x = arith.cmpi sle, %far, %c2 : i64
    linalg.yield %x : i1
  } -> tensor<?x?xi1>
  %r = call @attend(%q, %k, %v, %keep) : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x?xi1>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// One key less than the diagonal: no window says so.
// CHECK-LABEL: @before
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @before(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i64
  %m = tensor.dim %q, %c0 : tensor<?x8xf32>
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %m64 = arith.index_cast %m : index to i64
  %n64 = arith.index_cast %n : index to i64
  %shift = arith.subi %n64, %m64 : i64
  %less = arith.subi %shift, %c1 : i64
  %keep = call @until(%m, %n, %less) : (index, index, i64) -> tensor<?x?xi1>
  %r = call @attend(%q, %k, %v, %keep) : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x?xi1>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// j <= i + ahead
func.func private @until(%m: index, %n: index, %ahead: i64) -> tensor<?x?xi1> {
  %e = tensor.empty(%m, %n) : tensor<?x?xi1>
  %r = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i64
    %key = arith.index_cast %j : index to i64
    %last = arith.addi %row, %ahead : i64
    %x = arith.cmpi sle, %key, %last : i64
    linalg.yield %x : i1
  } -> tensor<?x?xi1>
  return %r : tensor<?x?xi1>
}

// j >= i - back
func.func private @from(%m: index, %n: index, %back: i64) -> tensor<?x?xi1> {
  %e = tensor.empty(%m, %n) : tensor<?x?xi1>
  %r = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i64
    %key = arith.index_cast %j : index to i64
    %first = arith.subi %row, %back : i64
    %x = arith.cmpi slt, %key, %first : i64
    %true = arith.constant true
    %not = arith.xori %x, %true : i1
    linalg.yield %not : i1
  } -> tensor<?x?xi1>
  return %r : tensor<?x?xi1>
}

func.func private @attend(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x4xf32>, %keep: tensor<?x?xi1>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %m = tensor.dim %q, %c0 : tensor<?x8xf32>
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#md, #nd, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %keep : tensor<?x?xf32>, tensor<?x?xi1>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %r = arith.select %b, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %mi = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %top = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<?x?xf32>) outs(%mi : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %x = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %zi = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %z = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%zi : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]} ins(%x, %z : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %eo = tensor.empty(%m) : tensor<?x4xf32>
  %oi = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [#mne, #ne, #me], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<?x?xf32>, tensor<?x4xf32>) outs(%oi : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.mulf %a, %b : f32
    %d = arith.addf %o, %c : f32
    linalg.yield %d : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
