// The keys of biases and masks lie side by side.
//
// RUN: attn-opt %s --attn-order-keys | FileCheck %s
// RUN: attn-run %s --entry=argument --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=table --check --shape=arg3:5x7 --shape=arg0:3x5x8 --shape=arg1:3x7x8 --shape=arg2:3x7x8 | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=two_users --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=rows_inside --check | FileCheck %s --check-prefix=VALUE
// VALUE: out0 against f64 reference: match

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#mnh = affine_map<(h, m, n, d, e) -> (m, n, h)>
#nm = affine_map<(h, m, n, d, e) -> (n, m)>
#hmn = affine_map<(h, m, n, d, e) -> (h, m, n)>
#mn0 = affine_map<(h, m, n, d, e) -> (m, n, 0)>

// Maps that are as expected are not printed.
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0, d1, d2) -> (d0)>

// CHECK-LABEL: @argument
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg3 : tensor<5x7x3xf32>) outs(%{{.*}} : tensor<3x5x7xf32>) permutation = [2, 0, 1]
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) {{bias|masks}} [#attn.{{[a-z_]*}}] ins({{.*}}) params(%[[T]] : tensor<3x5x7xf32>)
func.func @argument(%q: tensor<3x5x8xf32>, %k: tensor<3x7x8xf32>, %v: tensor<3x7x8xf32>, %b: tensor<5x7x3xf32>) -> tensor<3x5x8xf32> {
  %e = tensor.empty() : tensor<3x5x8xf32>
  %r = attn.attention scale(#attn.none) softmax(#attn.softmax) bias [#attn.dense_bias] indexing_maps [#q, #k, #v, #mnh, #o]
      ins(%q, %k, %v : tensor<3x5x8xf32>, tensor<3x7x8xf32>, tensor<3x7x8xf32>) params(%b : tensor<5x7x3xf32>)
      outs(%e : tensor<3x5x8xf32>) -> tensor<3x5x8xf32>
  return %r : tensor<3x5x8xf32>
}

// What looks up a table of relative positions writes heads first.
// CHECK-LABEL: @table
// CHECK-NOT: linalg.transpose
// CHECK: %[[I:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<3x?x?xf32>
// CHECK: %[[T:.*]] = linalg.generic
// CHECK-SAME: ins(%arg3 : tensor<?x?xi32>) outs(%[[I]] : tensor<3x?x?xf32>)
// CHECK: %[[H:.*]] = affine.apply #[[LAST]](%{{.*}}, %{{.*}}, %{{.*}})
// CHECK: tensor.extract %arg4[%{{.*}}, %[[H]]]
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) {{bias|masks}} [#attn.{{[a-z_]*}}] ins({{.*}}) params(%[[T]] : tensor<3x?x?xf32>)
func.func @table(%q: tensor<3x?x8xf32>, %k: tensor<3x?x8xf32>, %v: tensor<3x?x8xf32>, %buckets: tensor<?x?xi32>, %t: tensor<4x3xf32>) -> tensor<3x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : i32
  %m = tensor.dim %buckets, %c0 : tensor<?x?xi32>
  %n = tensor.dim %buckets, %c1 : tensor<?x?xi32>
  %i = tensor.empty(%m, %n) : tensor<?x?x3xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, h) -> (m, n)>, affine_map<(m, n, h) -> (m, n, h)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%buckets : tensor<?x?xi32>) outs(%i : tensor<?x?x3xf32>) {
  ^bb0(%in: i32, %out: f32):
    %bucket = arith.remui %in, %c4 : i32
    %at = arith.index_cast %bucket : i32 to index
    %h = linalg.index 2 : index
    %x = tensor.extract %t[%at, %h] : tensor<4x3xf32>
    linalg.yield %x : f32
  } -> tensor<?x?x3xf32>
  %e = tensor.empty(%m) : tensor<3x?x8xf32>
  %r = attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.additive_mask] indexing_maps [#q, #k, #v, #mnh, #o]
      ins(%q, %k, %v : tensor<3x?x8xf32>, tensor<3x?x8xf32>, tensor<3x?x8xf32>) params(%b : tensor<?x?x3xf32>)
      outs(%e : tensor<3x?x8xf32>) -> tensor<3x?x8xf32>
  return %r : tensor<3x?x8xf32>
}

// Somebody else reads it as it is.
// CHECK-LABEL: @two_users
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%arg3 : tensor<5x7x3xf32>)
// CHECK: linalg.transpose ins(%[[B]] : tensor<5x7x3xf32>)
// CHECK: return %{{.*}}, %[[B]]
func.func @two_users(%q: tensor<3x5x8xf32>, %k: tensor<3x7x8xf32>, %v: tensor<3x7x8xf32>, %b: tensor<5x7x3xf32>) -> (tensor<3x5x8xf32>, tensor<5x7x3xf32>) {
  %i = tensor.empty() : tensor<5x7x3xf32>
  %twice = linalg.generic {indexing_maps = [affine_map<(m, n, h) -> (m, n, h)>, affine_map<(m, n, h) -> (m, n, h)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b : tensor<5x7x3xf32>) outs(%i : tensor<5x7x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %x = arith.addf %in, %in : f32
    linalg.yield %x : f32
  } -> tensor<5x7x3xf32>
  %e = tensor.empty() : tensor<3x5x8xf32>
  %r = attn.attention scale(#attn.none) softmax(#attn.softmax) bias [#attn.dense_bias] indexing_maps [#q, #k, #v, #mnh, #o]
      ins(%q, %k, %v : tensor<3x5x8xf32>, tensor<3x7x8xf32>, tensor<3x7x8xf32>) params(%twice : tensor<5x7x3xf32>)
      outs(%e : tensor<3x5x8xf32>) -> tensor<3x5x8xf32>
  return %r, %twice : tensor<3x5x8xf32>, tensor<5x7x3xf32>
}

// CHECK-LABEL: @rows_inside
// CHECK: linalg.transpose ins(%arg3 : tensor<7x5xi1>) outs(%{{.*}} : tensor<5x7xi1>) permutation = [1, 0]
// CHECK: attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.dense_mask] ins({{.*}}) params(%{{.*}} : tensor<5x7xi1>)
func.func @rows_inside(%q: tensor<3x5x8xf32>, %k: tensor<3x7x8xf32>, %v: tensor<3x7x8xf32>, %b: tensor<7x5xi1>) -> tensor<3x5x8xf32> {
  %e = tensor.empty() : tensor<3x5x8xf32>
  %r = attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.dense_mask] indexing_maps [#q, #k, #v, #nm, #o]
      ins(%q, %k, %v : tensor<3x5x8xf32>, tensor<3x7x8xf32>, tensor<3x7x8xf32>) params(%b : tensor<7x5xi1>)
      outs(%e : tensor<3x5x8xf32>) -> tensor<3x5x8xf32>
  return %r : tensor<3x5x8xf32>
}

// Keys that lie side by side stay.
// CHECK-LABEL: @last
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @last(%q: tensor<3x5x8xf32>, %k: tensor<3x7x8xf32>, %v: tensor<3x7x8xf32>, %b: tensor<3x5x7xf32>) -> tensor<3x5x8xf32> {
  %e = tensor.empty() : tensor<3x5x8xf32>
  %r = attn.attention scale(#attn.none) softmax(#attn.softmax) bias [#attn.dense_bias] indexing_maps [#q, #k, #v, #hmn, #o]
      ins(%q, %k, %v : tensor<3x5x8xf32>, tensor<3x7x8xf32>, tensor<3x7x8xf32>) params(%b : tensor<3x5x7xf32>)
      outs(%e : tensor<3x5x8xf32>) -> tensor<3x5x8xf32>
  return %r : tensor<3x5x8xf32>
}

// CHECK-LABEL: @only_a_unit_behind
// CHECK-NOT: linalg.transpose
// CHECK: params(%arg3 : tensor<5x7x1xf32>)
func.func @only_a_unit_behind(%q: tensor<3x5x8xf32>, %k: tensor<3x7x8xf32>, %v: tensor<3x7x8xf32>, %b: tensor<5x7x1xf32>) -> tensor<3x5x8xf32> {
  %e = tensor.empty() : tensor<3x5x8xf32>
  %r = attn.attention scale(#attn.none) softmax(#attn.softmax) bias [#attn.dense_bias] indexing_maps [#q, #k, #v, #mn0, #o]
      ins(%q, %k, %v : tensor<3x5x8xf32>, tensor<3x7x8xf32>, tensor<3x7x8xf32>) params(%b : tensor<5x7x1xf32>)
      outs(%e : tensor<3x5x8xf32>) -> tensor<3x5x8xf32>
  return %r : tensor<3x5x8xf32>
}
