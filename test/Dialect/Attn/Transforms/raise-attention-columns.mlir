// Columns beside the keys: memory keys whose mask is padded, and a sink behind a
// number of keys that is not known.

// RUN: attn-opt %s --attn-raise-pipeline 2>/dev/null | FileCheck %s
// RUN: %python -c "import numpy as np; r = np.random.default_rng(1); np.savez(r'%t.npz', **{f'arg{n}': r.standard_normal(s).astype(np.float32) for n, s in enumerate([(2, 6, 8), (2, 14, 8), (2, 14, 4)])}, arg3=r.random((2, 12)) > 0.5); np.savez(r'%t.nan.npz', **{f'arg{n}': r.standard_normal(s).astype(np.float32) for n, s in enumerate([(2, 6, 8), (2, 14, 8), (2, 14, 4)])}, arg3=r.random((2, 14)) > 0.2, arg4=r.random((2, 14)) > 0.2)"
// RUN: attn-run %s --entry=memory --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=behind --inputs=%t.npz --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=sink --shape=0:2x6x8 --shape=1:2x9x8 --shape=2:2x9x4 --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=sink --shape=0:2x6x8 --shape=1:2x1x8 --shape=2:2x1x4 --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=first --shape=0:2x6x8 --shape=1:2x9x8 --shape=2:2x9x4 --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=returned --shape=0:2x6x8 --shape=1:2x9x8 --shape=2:2x9x4 --check --remarks | FileCheck %s --check-prefix=STAYS
// RUN: attn-run %s --entry=others --shape=0:2x6x8 --shape=1:2x9x8 --shape=2:2x9x4 --check --remarks | FileCheck %s --check-prefix=STAYS

// RUN: attn-run %s --entry=nan_of_product --inputs=%t.nan.npz --check --remarks | FileCheck %s --check-prefix=STAYS
// RUN: attn-run %s --entry=product_of_numbers --inputs=%t.nan.npz --check --remarks | FileCheck %s --check-prefix=MATCH

// MATCH: f64 reference: match
// MATCH: [attn-r101] raised to attn.attention
// STAYS: f64 reference: match
// STAYS-NOT: attn-r101

#lhs = affine_map<(b, i, j, d) -> (b, i, d)>
#rhs = affine_map<(b, i, j, d) -> (b, j, d)>
#out = affine_map<(b, i, j, d) -> (b, i, j)>
#bij = affine_map<(b, i, j) -> (b, i, j)>
#bi = affine_map<(b, i, j) -> (b, i)>
#bj = affine_map<(b, i, j) -> (b, j)>

// The mask has 12 keys, and 2 in front of them are always seen. Element -2 is
// read where the mask is not asked.
// CHECK-LABEL: @memory
// CHECK: %[[AT:.*]] = affine.apply
// CHECK: %[[IN:.*]] = arith.maxsi %[[AT]], %c0
// CHECK: tensor.extract %arg3[%{{.*}}, %[[IN]]]
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @memory(%q: tensor<2x6x8xf32>, %k: tensor<2x14x8xf32>, %v: tensor<2x14x4xf32>, %m: tensor<2x12xi1>) -> tensor<2x6x4xf32> {
  %seen = arith.constant true
  %all = tensor.pad %m low[0, 2] high[0, 0] {
  ^bb0(%b: index, %j: index):
    tensor.yield %seen : i1
  } : tensor<2x12xi1> to tensor<2x14xi1>
  %r = call @masked(%q, %k, %v, %all) : (tensor<2x6x8xf32>, tensor<2x14x8xf32>, tensor<2x14x4xf32>, tensor<2x14xi1>) -> tensor<2x6x4xf32>
  return %r : tensor<2x6x4xf32>
}

// One in front and one behind.
// CHECK-LABEL: @behind
// CHECK: %[[AT:.*]] = affine.apply
// CHECK: arith.maxsi
// CHECK: arith.minsi %{{.*}}, %c11
// CHECK: attn.attention {{.*}} masks [#attn.dense_mask]
func.func @behind(%q: tensor<2x6x8xf32>, %k: tensor<2x14x8xf32>, %v: tensor<2x14x4xf32>, %m: tensor<2x12xi1>) -> tensor<2x6x4xf32> {
  %seen = arith.constant true
  %all = tensor.pad %m low[0, 1] high[0, 1] {
  ^bb0(%b: index, %j: index):
    tensor.yield %seen : i1
  } : tensor<2x12xi1> to tensor<2x14xi1>
  %r = call @masked(%q, %k, %v, %all) : (tensor<2x6x8xf32>, tensor<2x14x8xf32>, tensor<2x14x4xf32>, tensor<2x14xi1>) -> tensor<2x6x4xf32>
  return %r : tensor<2x6x4xf32>
}

// CHECK-LABEL: @sink
// CHECK-NOT: tensor.concat
// CHECK: attn.attention scale(#attn.none) softmax(#attn.sink)
func.func @sink(%q: tensor<2x?x8xf32>, %k: tensor<2x?x8xf32>, %v: tensor<2x?x4xf32>, %sinks: tensor<2xf32>) -> tensor<2x?x4xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %k, %c1 : tensor<2x?x8xf32>
  %s = call @score(%q, %k) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x?xf32>
  %c = call @column(%q, %sinks) : (tensor<2x?x8xf32>, tensor<2xf32>) -> tensor<2x?x1xf32>
  %all = tensor.concat dim(2) %s, %c : (tensor<2x?x?xf32>, tensor<2x?x1xf32>) -> tensor<2x?x?xf32>
  %w = call @softmax(%all) : (tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %m = tensor.dim %w, %c1 : tensor<2x?x?xf32>
  %p = tensor.extract_slice %w[0, 0, 0] [2, %m, %n] [1, 1, 1] : tensor<2x?x?xf32> to tensor<2x?x?xf32>
  %r = call @values(%p, %v) : (tensor<2x?x?xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  return %r : tensor<2x?x4xf32>
}

// The sink is the first column.
// CHECK-LABEL: @first
// CHECK-NOT: tensor.concat
// CHECK: attn.attention scale(#attn.none) softmax(#attn.sink)
func.func @first(%q: tensor<2x?x8xf32>, %k: tensor<2x?x8xf32>, %v: tensor<2x?x4xf32>, %sinks: tensor<2xf32>) -> tensor<2x?x4xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %k, %c1 : tensor<2x?x8xf32>
  %s = call @score(%q, %k) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x?xf32>
  %c = call @column(%q, %sinks) : (tensor<2x?x8xf32>, tensor<2xf32>) -> tensor<2x?x1xf32>
  %all = tensor.concat dim(2) %c, %s : (tensor<2x?x1xf32>, tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %w = call @softmax(%all) : (tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %m = tensor.dim %w, %c1 : tensor<2x?x?xf32>
  %p = tensor.extract_slice %w[0, 0, 1] [2, %m, %n] [1, 1, 1] : tensor<2x?x?xf32> to tensor<2x?x?xf32>
  %r = call @values(%p, %v) : (tensor<2x?x?xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  return %r : tensor<2x?x4xf32>
}

// All weights are a result: they are computed as they stand.
// CHECK-LABEL: @returned
// CHECK: tensor.concat
// CHECK-NOT: attn.attention
// CHECK: return
func.func @returned(%q: tensor<2x?x8xf32>, %k: tensor<2x?x8xf32>, %v: tensor<2x?x4xf32>, %sinks: tensor<2xf32>) -> (tensor<2x?x4xf32>, tensor<2x?x?xf32>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %k, %c1 : tensor<2x?x8xf32>
  %s = call @score(%q, %k) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x?xf32>
  %c = call @column(%q, %sinks) : (tensor<2x?x8xf32>, tensor<2xf32>) -> tensor<2x?x1xf32>
  %all = tensor.concat dim(2) %s, %c : (tensor<2x?x?xf32>, tensor<2x?x1xf32>) -> tensor<2x?x?xf32>
  %w = call @softmax(%all) : (tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %m = tensor.dim %w, %c1 : tensor<2x?x?xf32>
  %p = tensor.extract_slice %w[0, 0, 0] [2, %m, %n] [1, 1, 1] : tensor<2x?x?xf32> to tensor<2x?x?xf32>
  %r = call @values(%p, %v) : (tensor<2x?x?xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  return %r, %w : tensor<2x?x4xf32>, tensor<2x?x?xf32>
}

// The slice begins one column later: the sink's weight is one of those that are
// used, and the first key's is not.
// CHECK-LABEL: @others
// CHECK: tensor.concat
// CHECK-NOT: attn.attention
// CHECK: return
func.func @others(%q: tensor<2x?x8xf32>, %k: tensor<2x?x8xf32>, %v: tensor<2x?x4xf32>, %sinks: tensor<2xf32>) -> tensor<2x?x4xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %k, %c1 : tensor<2x?x8xf32>
  %s = call @score(%q, %k) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x?xf32>
  %c = call @column(%q, %sinks) : (tensor<2x?x8xf32>, tensor<2xf32>) -> tensor<2x?x1xf32>
  %all = tensor.concat dim(2) %s, %c : (tensor<2x?x?xf32>, tensor<2x?x1xf32>) -> tensor<2x?x?xf32>
  %w = call @softmax(%all) : (tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %m = tensor.dim %w, %c1 : tensor<2x?x?xf32>
  %p = tensor.extract_slice %w[0, 0, 1] [2, %m, %n] [1, 1, 1] : tensor<2x?x?xf32> to tensor<2x?x?xf32>
  %r = call @values(%p, %v) : (tensor<2x?x?xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  return %r : tensor<2x?x4xf32>
}

// A score of -inf times a mask of 0 is NaN, and so is its row, which is 0 then.
// CHECK-LABEL: @nan_of_product
// CHECK-NOT: attn.attention
// CHECK: return
func.func @nan_of_product(%q: tensor<2x6x8xf32>, %k: tensor<2x14x8xf32>, %v: tensor<2x14x4xf32>, %m: tensor<2x14xi1>, %p: tensor<2x14xi1>) -> tensor<2x6x4xf32> {
  %hidden = arith.constant 0xFF800000 : f32
  %r = call @products(%q, %k, %v, %m, %p, %hidden) : (tensor<2x6x8xf32>, tensor<2x14x8xf32>, tensor<2x14x4xf32>, tensor<2x14xi1>, tensor<2x14xi1>, f32) -> tensor<2x6x4xf32>
  return %r : tensor<2x6x4xf32>
}

// What the mask multiplies is a number everywhere.
// CHECK-LABEL: @product_of_numbers
// CHECK: attn.attention {{.*}} softmax(#attn.softmax1)
func.func @product_of_numbers(%q: tensor<2x6x8xf32>, %k: tensor<2x14x8xf32>, %v: tensor<2x14x4xf32>, %m: tensor<2x14xi1>, %p: tensor<2x14xi1>) -> tensor<2x6x4xf32> {
  %hidden = arith.constant -1.0e+9 : f32
  %r = call @products(%q, %k, %v, %m, %p, %hidden) : (tensor<2x6x8xf32>, tensor<2x14x8xf32>, tensor<2x14x4xf32>, tensor<2x14xi1>, tensor<2x14xi1>, f32) -> tensor<2x6x4xf32>
  return %r : tensor<2x6x4xf32>
}

// p where(m, s, hidden) + (1 - p) (-1e9), a column of zeros, and 0 for NaN.
func.func private @products(%q: tensor<2x6x8xf32>, %k: tensor<2x14x8xf32>, %v: tensor<2x14x4xf32>, %m: tensor<2x14xi1>, %p: tensor<2x14xi1>, %hidden: f32) -> tensor<2x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %large = arith.constant -1.0e+9 : f32
  %e = tensor.empty() : tensor<2x6x14xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x14xf32>) -> tensor<2x6x14xf32>
  %s = linalg.batch_matmul indexing_maps = [#lhs, #rhs, #out] ins(%q, %k : tensor<2x6x8xf32>, tensor<2x14x8xf32>) outs(%z : tensor<2x6x14xf32>) -> tensor<2x6x14xf32>
  %x = linalg.generic {indexing_maps = [#bj, #bj, #bij, #bij], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %p, %s : tensor<2x14xi1>, tensor<2x14xi1>, tensor<2x6x14xf32>) outs(%e : tensor<2x6x14xf32>) {
  ^bb0(%c: i1, %d: i1, %a: f32, %o: f32):
    %h = arith.select %c, %a, %hidden : f32
    %n = arith.uitofp %d : i1 to f32
    %g = arith.mulf %h, %n : f32
    %u = arith.subf %one, %n : f32
    %f = arith.mulf %u, %large : f32
    %r = arith.addf %g, %f : f32
    linalg.yield %r : f32
  } -> tensor<2x6x14xf32>
  %ec = tensor.empty() : tensor<2x6x1xf32>
  %c = linalg.fill ins(%zero : f32) outs(%ec : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %all = tensor.concat dim(2) %x, %c : (tensor<2x6x14xf32>, tensor<2x6x1xf32>) -> tensor<2x6x15xf32>
  %ew = tensor.empty() : tensor<2x6x15xf32>
  %w = linalg.softmax dimension(2) ins(%all : tensor<2x6x15xf32>) outs(%ew : tensor<2x6x15xf32>) -> tensor<2x6x15xf32>
  %b = tensor.extract_slice %w[0, 0, 0] [2, 6, 14] [1, 1, 1] : tensor<2x6x15xf32> to tensor<2x6x14xf32>
  %t = linalg.generic {indexing_maps = [#bij, #bij], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b : tensor<2x6x14xf32>) outs(%e : tensor<2x6x14xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = arith.cmpf uno, %a, %a : f32
    %r = arith.select %h, %zero, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x6x14xf32>
  %eo = tensor.empty() : tensor<2x6x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %r = linalg.batch_matmul ins(%t, %v : tensor<2x6x14xf32>, tensor<2x14x4xf32>) outs(%zo : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return %r : tensor<2x6x4xf32>
}

func.func private @masked(%q: tensor<2x6x8xf32>, %k: tensor<2x14x8xf32>, %v: tensor<2x14x4xf32>, %m: tensor<2x14xi1>) -> tensor<2x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x6x14xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x14xf32>) -> tensor<2x6x14xf32>
  %s = linalg.batch_matmul indexing_maps = [#lhs, #rhs, #out] ins(%q, %k : tensor<2x6x8xf32>, tensor<2x14x8xf32>) outs(%z : tensor<2x6x14xf32>) -> tensor<2x6x14xf32>
  %x = linalg.generic {indexing_maps = [#bj, #bij, #bij], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %s : tensor<2x14xi1>, tensor<2x6x14xf32>) outs(%e : tensor<2x6x14xf32>) {
  ^bb0(%c: i1, %a: f32, %o: f32):
    %r = arith.select %c, %a, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<2x6x14xf32>
  %w = linalg.softmax dimension(2) ins(%x : tensor<2x6x14xf32>) outs(%e : tensor<2x6x14xf32>) -> tensor<2x6x14xf32>
  %eo = tensor.empty() : tensor<2x6x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %r = linalg.batch_matmul ins(%w, %v : tensor<2x6x14xf32>, tensor<2x14x4xf32>) outs(%zo : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return %r : tensor<2x6x4xf32>
}

func.func private @score(%q: tensor<2x?x8xf32>, %k: tensor<2x?x8xf32>) -> tensor<2x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %m = tensor.dim %q, %c1 : tensor<2x?x8xf32>
  %n = tensor.dim %k, %c1 : tensor<2x?x8xf32>
  %e = tensor.empty(%m, %n) : tensor<2x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#lhs, #rhs, #out] ins(%q, %k : tensor<2x?x8xf32>, tensor<2x?x8xf32>) outs(%z : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  return %s : tensor<2x?x?xf32>
}

func.func private @column(%q: tensor<2x?x8xf32>, %sinks: tensor<2xf32>) -> tensor<2x?x1xf32> {
  %c1 = arith.constant 1 : index
  %m = tensor.dim %q, %c1 : tensor<2x?x8xf32>
  %e = tensor.empty(%m) : tensor<2x?x1xf32>
  %c = linalg.broadcast ins(%sinks : tensor<2xf32>) outs(%e : tensor<2x?x1xf32>) dimensions = [1, 2]
  return %c : tensor<2x?x1xf32>
}

// As torch-mlir writes it: the maximum comes with its place.
func.func private @softmax(%s: tensor<2x?x?xf32>) -> tensor<2x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %place = arith.constant 0 : i64
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %s, %c1 : tensor<2x?x?xf32>
  %n = tensor.dim %s, %c2 : tensor<2x?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<2x?x?xf32>
  %er = tensor.empty(%m) : tensor<2x?xf32>
  %ep = tensor.empty(%m) : tensor<2x?xi64>
  %ir = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x?xf32>) -> tensor<2x?xf32>
  %ip = linalg.fill ins(%place : i64) outs(%ep : tensor<2x?xi64>) -> tensor<2x?xi64>
  %top:2 = linalg.generic {indexing_maps = [#bij, #bi, #bi], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x?x?xf32>) outs(%ir, %ip : tensor<2x?xf32>, tensor<2x?xi64>) {
  ^bb0(%a: f32, %o: f32, %p: i64):
    %j = linalg.index 2 : index
    %at = arith.index_cast %j : index to i64
    %r = arith.maximumf %a, %o : f32
    %c = arith.cmpf ogt, %a, %o : f32
    %q = arith.select %c, %at, %p : i64
    linalg.yield %r, %q : f32, i64
  } -> (tensor<2x?xf32>, tensor<2x?xi64>)
  %x = linalg.generic {indexing_maps = [#bij, #bi, #bij], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %top#0 : tensor<2x?x?xf32>, tensor<2x?xf32>) outs(%e : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %d = arith.subf %a, %t : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x?x?xf32>
  %is = linalg.fill ins(%zero : f32) outs(%er : tensor<2x?xf32>) -> tensor<2x?xf32>
  %sum = linalg.generic {indexing_maps = [#bij, #bi], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<2x?x?xf32>) outs(%is : tensor<2x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x?xf32>
  %w = linalg.generic {indexing_maps = [#bij, #bi, #bij], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<2x?x?xf32>, tensor<2x?xf32>) outs(%e : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %z: f32, %o: f32):
    %r = arith.divf %a, %z : f32
    linalg.yield %r : f32
  } -> tensor<2x?x?xf32>
  return %w : tensor<2x?x?xf32>
}

func.func private @values(%p: tensor<2x?x?xf32>, %v: tensor<2x?x4xf32>) -> tensor<2x?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %m = tensor.dim %p, %c1 : tensor<2x?x?xf32>
  %e = tensor.empty(%m) : tensor<2x?x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x?x?xf32>, tensor<2x?x4xf32>) outs(%z : tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  return %r : tensor<2x?x4xf32>
}
