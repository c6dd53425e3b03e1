// What a model computes of its weights beside what they weight is a probe, and then the weights are gone.
//
// RUN: attn-opt %s --attn-raise-attention --canonicalize --cse | FileCheck %s
// RUN: attn-opt %s --attn-raise-attention 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: attn-run %s --entry=all --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=guarded --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=heads --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=flat --check | FileCheck %s --check-prefix=VALUE
// VALUE: out0 against f64 reference: match
// VALUE: out1 against f64 reference: match
// REMARK: [attn-r106] {{(the entropy|sum p\^2|the largest)}} of the weights is a probe of attn.attention
// REMARK-NOT: [attn-r104]
// REMARK: [attn-r104] the attention weights have other uses

#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>
#swapped = affine_map<(b, i, j) -> (i, b)>
#heads = affine_map<(b, h, i, j) -> (b, h, i, j)>
#headRows = affine_map<(b, h, i, j) -> (b, h, i)>
#two = affine_map<(b, i) -> (b, i)>

// The entropy, sum p^2 with its dimensions in another order, and the largest weight, exp(max s - lse).
// CHECK-LABEL: @all(
// CHECK: %[[A:.*]]:5 = attn.attention {{.*}} probes [#attn.probe<entropy>, #attn.probe<sum_p2>, #attn.probe<max_logit>]
// CHECK-NOT: linalg.softmax
// CHECK-DAG: tensor.extract %[[A]]#3
// CHECK-DAG: tensor.extract %[[A]]#4
// CHECK: math.exp
// CHECK: return %[[A]]#0, %[[A]]#2,
func.func @all(%q: tensor<3x20x8xf32>, %k: tensor<3x30x8xf32>, %v: tensor<3x30x8xf32>) -> (tensor<3x20x8xf32>, tensor<3x20xf32>, tensor<20x3xf32>, tensor<3x20xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c = arith.constant 0.353553385 : f32
  %es = tensor.empty() : tensor<3x20x30xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q, %k : tensor<3x20x8xf32>, tensor<3x30x8xf32>) outs(%zs : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x20x30xf32>) outs(%es : tensor<3x20x30xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.mulf %x, %c : f32
    linalg.yield %y : f32
  } -> tensor<3x20x30xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<3x20x30xf32>) outs(%es : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %er = tensor.empty() : tensor<3x20xf32>
  %ew = tensor.empty() : tensor<20x3xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x20xf32>) -> tensor<3x20xf32>
  %zw = linalg.fill ins(%zero : f32) outs(%ew : tensor<20x3xf32>) -> tensor<20x3xf32>
  %lr = linalg.fill ins(%low : f32) outs(%er : tensor<3x20xf32>) -> tensor<3x20xf32>
  %eo = tensor.empty() : tensor<3x20x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x20x8xf32>) -> tensor<3x20x8xf32>
  %h = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<3x20x30xf32>) outs(%zr : tensor<3x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %l = math.log %x : f32
    %m = arith.mulf %x, %l : f32
    %y = arith.addf %m, %old : f32
    linalg.yield %y : f32
  } -> tensor<3x20xf32>
  %n = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<3x20xf32>) outs(%er : tensor<3x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.negf %x : f32
    linalg.yield %y : f32
  } -> tensor<3x20xf32>
  %w = linalg.generic {indexing_maps = [#id, #swapped], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<3x20x30xf32>) outs(%zw : tensor<20x3xf32>) {
  ^bb0(%x: f32, %old: f32):
    %m = arith.mulf %x, %x : f32
    %y = arith.addf %m, %old : f32
    linalg.yield %y : f32
  } -> tensor<20x3xf32>
  %g = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<3x20x30xf32>) outs(%lr : tensor<3x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.maximumf %x, %old : f32
    linalg.yield %y : f32
  } -> tensor<3x20xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<3x20x30xf32>, tensor<3x30x8xf32>) outs(%zo : tensor<3x20x8xf32>) -> tensor<3x20x8xf32>
  return %o, %n, %w, %g : tensor<3x20x8xf32>, tensor<3x20xf32>, tensor<20x3xf32>, tensor<3x20xf32>
}

// What keeps the logarithm finite does not count beside a weight.
// CHECK-LABEL: @guarded(
// CHECK: attn.attention {{.*}} probes [#attn.probe<entropy>]
// CHECK-NOT: linalg.softmax
// CHECK: return
func.func @guarded(%q: tensor<3x20x8xf32>, %k: tensor<3x30x8xf32>, %v: tensor<3x30x8xf32>) -> (tensor<3x20x8xf32>, tensor<3x20xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c = arith.constant 0.353553385 : f32
  %es = tensor.empty() : tensor<3x20x30xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q, %k : tensor<3x20x8xf32>, tensor<3x30x8xf32>) outs(%zs : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x20x30xf32>) outs(%es : tensor<3x20x30xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.mulf %x, %c : f32
    linalg.yield %y : f32
  } -> tensor<3x20x30xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<3x20x30xf32>) outs(%es : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %er = tensor.empty() : tensor<3x20xf32>
  %ew = tensor.empty() : tensor<20x3xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x20xf32>) -> tensor<3x20xf32>
  %zw = linalg.fill ins(%zero : f32) outs(%ew : tensor<20x3xf32>) -> tensor<20x3xf32>
  %lr = linalg.fill ins(%low : f32) outs(%er : tensor<3x20xf32>) -> tensor<3x20xf32>
  %eo = tensor.empty() : tensor<3x20x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x20x8xf32>) -> tensor<3x20x8xf32>
  %eps = arith.constant 1.0e-9 : f32
  %h = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<3x20x30xf32>) outs(%zr : tensor<3x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %b = arith.addf %x, %eps : f32
    %l = math.log %b : f32
    %m = arith.mulf %x, %l : f32
    %y = arith.subf %old, %m : f32
    linalg.yield %y : f32
  } -> tensor<3x20xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<3x20x30xf32>, tensor<3x30x8xf32>) outs(%zo : tensor<3x20x8xf32>) -> tensor<3x20x8xf32>
  return %o, %h : tensor<3x20x8xf32>, tensor<3x20xf32>
}

// The weights are a result: they stay, and only their number is none of what they are read for.
// CHECK-LABEL: @weights(
// CHECK: linalg.softmax
// CHECK: attn.attention {{.*}} probes [#attn.probe<sum_p2>]
// CHECK: return
func.func @weights(%q: tensor<3x20x8xf32>, %k: tensor<3x30x8xf32>, %v: tensor<3x30x8xf32>) -> (tensor<3x20x8xf32>, tensor<3x20xf32>, tensor<3x20x30xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c = arith.constant 0.353553385 : f32
  %es = tensor.empty() : tensor<3x20x30xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q, %k : tensor<3x20x8xf32>, tensor<3x30x8xf32>) outs(%zs : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x20x30xf32>) outs(%es : tensor<3x20x30xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.mulf %x, %c : f32
    linalg.yield %y : f32
  } -> tensor<3x20x30xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<3x20x30xf32>) outs(%es : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %er = tensor.empty() : tensor<3x20xf32>
  %ew = tensor.empty() : tensor<20x3xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x20xf32>) -> tensor<3x20xf32>
  %zw = linalg.fill ins(%zero : f32) outs(%ew : tensor<20x3xf32>) -> tensor<20x3xf32>
  %lr = linalg.fill ins(%low : f32) outs(%er : tensor<3x20xf32>) -> tensor<3x20xf32>
  %eo = tensor.empty() : tensor<3x20x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x20x8xf32>) -> tensor<3x20x8xf32>
  %w = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<3x20x30xf32>) outs(%zr : tensor<3x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %m = arith.mulf %x, %x : f32
    %y = arith.addf %m, %old : f32
    linalg.yield %y : f32
  } -> tensor<3x20xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<3x20x30xf32>, tensor<3x30x8xf32>) outs(%zo : tensor<3x20x8xf32>) -> tensor<3x20x8xf32>
  return %o, %w, %p : tensor<3x20x8xf32>, tensor<3x20xf32>, tensor<3x20x30xf32>
}

// Sums of cubes, and of logarithms of twice the weights, are no probes.
// CHECK-LABEL: @others(
// CHECK: linalg.softmax
// CHECK-NOT: probes
// CHECK: attn.attention
// CHECK-NOT: probes
// CHECK: return
func.func @others(%q: tensor<3x20x8xf32>, %k: tensor<3x30x8xf32>, %v: tensor<3x30x8xf32>) -> (tensor<3x20x8xf32>, tensor<3x20xf32>, tensor<3x20xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c = arith.constant 0.353553385 : f32
  %es = tensor.empty() : tensor<3x20x30xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q, %k : tensor<3x20x8xf32>, tensor<3x30x8xf32>) outs(%zs : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x20x30xf32>) outs(%es : tensor<3x20x30xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.mulf %x, %c : f32
    linalg.yield %y : f32
  } -> tensor<3x20x30xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<3x20x30xf32>) outs(%es : tensor<3x20x30xf32>) -> tensor<3x20x30xf32>
  %er = tensor.empty() : tensor<3x20xf32>
  %ew = tensor.empty() : tensor<20x3xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x20xf32>) -> tensor<3x20xf32>
  %zw = linalg.fill ins(%zero : f32) outs(%ew : tensor<20x3xf32>) -> tensor<20x3xf32>
  %lr = linalg.fill ins(%low : f32) outs(%er : tensor<3x20xf32>) -> tensor<3x20xf32>
  %eo = tensor.empty() : tensor<3x20x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x20x8xf32>) -> tensor<3x20x8xf32>
  %w = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<3x20x30xf32>) outs(%zr : tensor<3x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %m = arith.mulf %x, %x : f32
    %u = arith.mulf %m, %x : f32
    %y = arith.addf %u, %old : f32
    linalg.yield %y : f32
  } -> tensor<3x20xf32>
  %h = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<3x20x30xf32>) outs(%zr : tensor<3x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %b = arith.addf %x, %x : f32
    %l = math.log %b : f32
    %m = arith.mulf %x, %l : f32
    %y = arith.subf %old, %m : f32
    linalg.yield %y : f32
  } -> tensor<3x20xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<3x20x30xf32>, tensor<3x30x8xf32>) outs(%zo : tensor<3x20x8xf32>) -> tensor<3x20x8xf32>
  return %o, %w, %h : tensor<3x20x8xf32>, tensor<3x20xf32>, tensor<3x20xf32>
}

// Batches and heads are one dimension of the products, and two of the weights.
// CHECK-LABEL: @heads(
// CHECK: %[[A:.*]]:2 = attn.attention {{.*}} probes [#attn.probe<sum_p2>]
// CHECK-SAME: tensor<2x3x20x8xf32>, tensor<2x3x20xf32>
// CHECK-NOT: linalg.softmax
// CHECK: return %[[A]]#0, %[[A]]#1
func.func @heads(%q: tensor<2x3x20x8xf32>, %k: tensor<2x3x30x8xf32>, %v: tensor<2x3x30x8xf32>) -> (tensor<2x3x20x8xf32>, tensor<2x3x20xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 0.353553385 : f32
  %q6 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x3x20x8xf32> into tensor<6x20x8xf32>
  %k6 = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x3x30x8xf32> into tensor<6x30x8xf32>
  %v6 = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<2x3x30x8xf32> into tensor<6x30x8xf32>
  %es = tensor.empty() : tensor<6x20x30xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x20x30xf32>) -> tensor<6x20x30xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q6, %k6 : tensor<6x20x8xf32>, tensor<6x30x8xf32>) outs(%zs : tensor<6x20x30xf32>) -> tensor<6x20x30xf32>
  %s4 = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 3, 20, 30] : tensor<6x20x30xf32> into tensor<2x3x20x30xf32>
  %ep = tensor.empty() : tensor<2x3x20x30xf32>
  %t = linalg.generic {indexing_maps = [#heads, #heads], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s4 : tensor<2x3x20x30xf32>) outs(%ep : tensor<2x3x20x30xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.mulf %x, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x3x20x30xf32>
  %p = linalg.softmax dimension(3) ins(%t : tensor<2x3x20x30xf32>) outs(%ep : tensor<2x3x20x30xf32>) -> tensor<2x3x20x30xf32>
  %p6 = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x3x20x30xf32> into tensor<6x20x30xf32>
  %eo = tensor.empty() : tensor<6x20x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x20x8xf32>) -> tensor<6x20x8xf32>
  %o = linalg.batch_matmul ins(%p6, %v6 : tensor<6x20x30xf32>, tensor<6x30x8xf32>) outs(%zo : tensor<6x20x8xf32>) -> tensor<6x20x8xf32>
  %er = tensor.empty() : tensor<2x3x20xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x3x20xf32>) -> tensor<2x3x20xf32>
  %w = linalg.generic {indexing_maps = [#heads, #headRows], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p : tensor<2x3x20x30xf32>) outs(%zr : tensor<2x3x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %m = arith.mulf %x, %x : f32
    %y = arith.addf %m, %old : f32
    linalg.yield %y : f32
  } -> tensor<2x3x20xf32>
  %o4 = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 3, 20, 8] : tensor<6x20x8xf32> into tensor<2x3x20x8xf32>
  return %o4, %w : tensor<2x3x20x8xf32>, tensor<2x3x20xf32>
}

// One dimension of the result: no row of it has a place in what has two.
// CHECK-LABEL: @flat(
// CHECK: linalg.softmax
// CHECK: attn.attention
// CHECK-NOT: probes
// CHECK: return
func.func @flat(%q: tensor<2x3x20x8xf32>, %k: tensor<2x3x30x8xf32>, %v: tensor<2x3x30x8xf32>) -> (tensor<6x20x8xf32>, tensor<2x3x20xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 0.353553385 : f32
  %q6 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x3x20x8xf32> into tensor<6x20x8xf32>
  %k6 = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x3x30x8xf32> into tensor<6x30x8xf32>
  %v6 = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<2x3x30x8xf32> into tensor<6x30x8xf32>
  %es = tensor.empty() : tensor<6x20x30xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x20x30xf32>) -> tensor<6x20x30xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>]
      ins(%q6, %k6 : tensor<6x20x8xf32>, tensor<6x30x8xf32>) outs(%zs : tensor<6x20x30xf32>) -> tensor<6x20x30xf32>
  %s4 = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 3, 20, 30] : tensor<6x20x30xf32> into tensor<2x3x20x30xf32>
  %ep = tensor.empty() : tensor<2x3x20x30xf32>
  %t = linalg.generic {indexing_maps = [#heads, #heads], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s4 : tensor<2x3x20x30xf32>) outs(%ep : tensor<2x3x20x30xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.mulf %x, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x3x20x30xf32>
  %p = linalg.softmax dimension(3) ins(%t : tensor<2x3x20x30xf32>) outs(%ep : tensor<2x3x20x30xf32>) -> tensor<2x3x20x30xf32>
  %p6 = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x3x20x30xf32> into tensor<6x20x30xf32>
  %eo = tensor.empty() : tensor<6x20x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x20x8xf32>) -> tensor<6x20x8xf32>
  %o = linalg.batch_matmul ins(%p6, %v6 : tensor<6x20x30xf32>, tensor<6x30x8xf32>) outs(%zo : tensor<6x20x8xf32>) -> tensor<6x20x8xf32>
  %er = tensor.empty() : tensor<2x3x20xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x3x20xf32>) -> tensor<2x3x20xf32>
  %w = linalg.generic {indexing_maps = [#heads, #headRows], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p : tensor<2x3x20x30xf32>) outs(%zr : tensor<2x3x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %m = arith.mulf %x, %x : f32
    %y = arith.addf %m, %old : f32
    linalg.yield %y : f32
  } -> tensor<2x3x20xf32>
  return %o, %w : tensor<6x20x8xf32>, tensor<2x3x20xf32>
}
