// RUN: attn-opt %s --attn-raise-rope 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// What is raised computes what the ops say, offsets included.
// RUN: attn-run %s --entry=chunk --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=other_way --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=offset --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=offset_of_positions --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=shared_tensor --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=past_tensor --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=offset_of_batches --check --shape=arg0:2x3x4 --shape=arg1:2 | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=step --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=step_of_rows --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=sliced_tables --check | FileCheck %s --check-prefix=VALUE
// VALUE: out0 against f64 reference: match

// REMARK-DAG: [attn-r141] raised to attn.rope half_split
// REMARK-DAG: [attn-r141] raised to attn.rope interleaved
// REMARK-NOT: attn-r142

#id = affine_map<(b, i, j) -> (b, i, j)>
#tab = affine_map<(b, i, j) -> (i, j)>
#ij = affine_map<(i, j) -> (i, j)>

// x cos + rotate_half(x) sin, with angles from powers of the base, twice side by
// side.
// CHECK-LABEL: @half_split
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<2x12x8xf32>
// CHECK-NEXT: attn.rope pairs(half_split) ins(%arg0 : tensor<2x12x8xf32>) outs(%[[E]] : tensor<2x12x8xf32>) -> tensor<2x12x8xf32>
// CHECK-NEXT: return
func.func @half_split(%x: tensor<2x12x8xf32>) -> tensor<2x12x8xf32> {
  %base = arith.constant 10000.0 : f32
  %step = arith.constant -0.25 : f32
  %ea = tensor.empty() : tensor<12x4xf32>
  %angles = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%ea : tensor<12x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ii = arith.index_cast %i : index to i64
    %jj = arith.index_cast %j : index to i64
    %p = arith.sitofp %ii : i64 to f32
    %t = arith.sitofp %jj : i64 to f32
    %e = arith.mulf %t, %step : f32
    %f = math.powf %base, %e : f32
    %a = arith.mulf %p, %f : f32
    linalg.yield %a : f32
  } -> tensor<12x4xf32>
  %both = tensor.concat dim(1) %angles, %angles : (tensor<12x4xf32>, tensor<12x4xf32>) -> tensor<12x8xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 12, 4] [1, 1, 1] : tensor<2x12x8xf32> to tensor<2x12x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 4] [2, 12, 4] [1, 1, 1] : tensor<2x12x8xf32> to tensor<2x12x4xf32>
  %eh = tensor.empty() : tensor<2x12x4xf32>
  %neg = linalg.negf ins(%hi : tensor<2x12x4xf32>) outs(%eh : tensor<2x12x4xf32>) -> tensor<2x12x4xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x12x4xf32>, tensor<2x12x4xf32>) -> tensor<2x12x8xf32>
  %e = tensor.empty() : tensor<2x12x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %both : tensor<2x12x8xf32>, tensor<2x12x8xf32>, tensor<12x8xf32>) outs(%e : tensor<2x12x8xf32>) {
  ^bb0(%a: f32, %r: f32, %w: f32, %out: f32):
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x12x8xf32>
  return %y : tensor<2x12x8xf32>
}

// x cos - rotate_half(x) sin: positions count down.
// CHECK-LABEL: @other_way
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<2x12x8xf32>
// CHECK-NEXT: attn.rope pairs(half_split) position_scale(-1.000000e+00) ins(%arg0 : tensor<2x12x8xf32>) outs(%[[E]] : tensor<2x12x8xf32>) -> tensor<2x12x8xf32>
// CHECK-NEXT: return
func.func @other_way(%x: tensor<2x12x8xf32>) -> tensor<2x12x8xf32> {
  %base = arith.constant 10000.0 : f32
  %step = arith.constant -0.25 : f32
  %ea = tensor.empty() : tensor<12x4xf32>
  %angles = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%ea : tensor<12x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ii = arith.index_cast %i : index to i64
    %jj = arith.index_cast %j : index to i64
    %p = arith.sitofp %ii : i64 to f32
    %t = arith.sitofp %jj : i64 to f32
    %e = arith.mulf %t, %step : f32
    %f = math.powf %base, %e : f32
    %a = arith.mulf %p, %f : f32
    linalg.yield %a : f32
  } -> tensor<12x4xf32>
  %both = tensor.concat dim(1) %angles, %angles : (tensor<12x4xf32>, tensor<12x4xf32>) -> tensor<12x8xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 12, 4] [1, 1, 1] : tensor<2x12x8xf32> to tensor<2x12x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 4] [2, 12, 4] [1, 1, 1] : tensor<2x12x8xf32> to tensor<2x12x4xf32>
  %eh = tensor.empty() : tensor<2x12x4xf32>
  %neg = linalg.negf ins(%hi : tensor<2x12x4xf32>) outs(%eh : tensor<2x12x4xf32>) -> tensor<2x12x4xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x12x4xf32>, tensor<2x12x4xf32>) -> tensor<2x12x8xf32>
  %e = tensor.empty() : tensor<2x12x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %both : tensor<2x12x8xf32>, tensor<2x12x8xf32>, tensor<12x8xf32>) outs(%e : tensor<2x12x8xf32>) {
  ^bb0(%a: f32, %r: f32, %w: f32, %out: f32):
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.subf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x12x8xf32>
  return %y : tensor<2x12x8xf32>
}

// Frequencies are a constant of the model, positions an iota, angles their outer
// product; the first half of each row turns, with base 500.
// CHECK-LABEL: @partial
// CHECK: attn.rope pairs(half_split) base(5.000000e+02) rotary_dim(4) ins(%arg0 : tensor<2x?x8xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @partial(%x: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x8xf32>
  %frequencies = arith.constant dense<[1.0, 0.0447213612]> : tensor<2xf32>
  %ea = tensor.empty(%n) : tensor<?x2xf32>
  %angles = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<2xf32>) outs(%ea : tensor<?x2xf32>) {
  ^bb0(%f: f32, %out: f32):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i64
    %p = arith.sitofp %ii : i64 to f32
    %a = arith.mulf %p, %f : f32
    linalg.yield %a : f32
  } -> tensor<?x2xf32>
  %a0 = tensor.extract_slice %x[0, 0, 0] [2, %n, 2] [1, 1, 1] : tensor<2x?x8xf32> to tensor<2x?x2xf32>
  %b0 = tensor.extract_slice %x[0, 0, 2] [2, %n, 2] [1, 1, 1] : tensor<2x?x8xf32> to tensor<2x?x2xf32>
  %rest = tensor.extract_slice %x[0, 0, 4] [2, %n, 4] [1, 1, 1] : tensor<2x?x8xf32> to tensor<2x?x4xf32>
  %e = tensor.empty(%n) : tensor<2x?x2xf32>
  %y:2 = linalg.generic {indexing_maps = [#id, #id, #tab, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0, %b0, %angles : tensor<2x?x2xf32>, tensor<2x?x2xf32>, tensor<?x2xf32>) outs(%e, %e : tensor<2x?x2xf32>, tensor<2x?x2xf32>) {
  ^bb0(%a: f32, %b: f32, %w: f32, %out: f32, %out2: f32):
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %ac = arith.mulf %a, %c : f32
    %bs = arith.mulf %b, %s : f32
    %bc = arith.mulf %b, %c : f32
    %as = arith.mulf %a, %s : f32
    %u = arith.subf %ac, %bs : f32
    %v = arith.addf %bc, %as : f32
    linalg.yield %u, %v : f32, f32
  } -> (tensor<2x?x2xf32>, tensor<2x?x2xf32>)
  %r = tensor.concat dim(2) %y#0, %y#1, %rest : (tensor<2x?x2xf32>, tensor<2x?x2xf32>, tensor<2x?x4xf32>) -> tensor<2x?x8xf32>
  return %r : tensor<2x?x8xf32>
}

// Positions are an argument, the same for all of the first dimension.
// CHECK-LABEL: @positions(
// CHECK: %[[P:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0, 1]] : tensor<1x6xi64> into tensor<6xi64>
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x6x4xf32>) positions(%[[P]] : tensor<6xi64>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @positions(%x: tensor<2x6x4xf32>, %p: tensor<1x6xi64>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (0, i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %p : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>, tensor<1x6xi64>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %i: i64, %out: f32):
    %q = arith.sitofp %i : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// A position for each row of each batch.
// CHECK-LABEL: @positions_of_batches(
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x6x4xf32>) positions(%arg1 : tensor<2x6xi32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @positions_of_batches(%x: tensor<2x6x4xf32>, %p: tensor<2x6xi32>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (b, i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %p : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>, tensor<2x6xi32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %i: i32, %out: f32):
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// Neighbours are pairs; rows are along the first dimension, and positions are
// half as far apart. The sines and cosines are constants.
// CHECK-LABEL: @interleaved
// CHECK: attn.rope position_scale(5.000000e-01) row_dim(0) ins(%arg0 : tensor<3x2x4xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @interleaved(%x: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %cos = arith.constant dense<[[1.0, 1.0], [0.877582550, 0.999987483], [0.540302277, 0.999949991]]> : tensor<3x2xf32>
  %sin = arith.constant dense<[[0.0, 0.0], [0.479425550, 0.00499997940], [0.841470957, 0.00999983307]]> : tensor<3x2xf32>
  %even = tensor.extract_slice %x[0, 0, 0] [3, 2, 2] [1, 1, 2] : tensor<3x2x4xf32> to tensor<3x2x2xf32>
  %odd = tensor.extract_slice %x[0, 0, 1] [3, 2, 2] [1, 1, 2] : tensor<3x2x4xf32> to tensor<3x2x2xf32>
  %e = tensor.empty() : tensor<3x2x2xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, t) -> (i, t)>, affine_map<(i, h, t) -> (i, t)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%even, %odd, %cos, %sin : tensor<3x2x2xf32>, tensor<3x2x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) outs(%e : tensor<3x2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %c: f32, %s: f32, %out: f32):
    %u = arith.mulf %p, %c : f32
    %v = arith.mulf %q, %s : f32
    %t = arith.subf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<3x2x2xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, h, t) -> (i, t)>, affine_map<(i, h, t) -> (i, t)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%even, %odd, %cos, %sin : tensor<3x2x2xf32>, tensor<3x2x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) outs(%e : tensor<3x2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %c: f32, %s: f32, %out: f32):
    %u = arith.mulf %q, %c : f32
    %v = arith.mulf %p, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<3x2x2xf32>
  %a4 = tensor.expand_shape %a [[0], [1], [2, 3]] output_shape [3, 2, 2, 1] : tensor<3x2x2xf32> into tensor<3x2x2x1xf32>
  %b4 = tensor.expand_shape %b [[0], [1], [2, 3]] output_shape [3, 2, 2, 1] : tensor<3x2x2xf32> into tensor<3x2x2x1xf32>
  %both = tensor.concat dim(3) %a4, %b4 : (tensor<3x2x2x1xf32>, tensor<3x2x2x1xf32>) -> tensor<3x2x2x2xf32>
  %y = tensor.collapse_shape %both [[0], [1], [2, 3]] : tensor<3x2x2x2xf32> into tensor<3x2x4xf32>
  return %y : tensor<3x2x4xf32>
}

// Sizes are dynamic, and angles a batched product of frequencies and positions,
// as PyTorch exports them.
// CHECK-LABEL: @dynamic_positions(
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<?x3x?x4xf32>) positions(%arg1 : tensor<?x?xi64>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @dynamic_positions(%x: tensor<?x3x?x4xf32>, %p: tensor<?x?xi64>) -> tensor<?x3x?x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %B = tensor.dim %p, %c0 : tensor<?x?xi64>
  %S = tensor.dim %p, %c1 : tensor<?x?xi64>
  %ep = tensor.empty(%B, %S) : tensor<?x?xf32>
  %pf = linalg.generic {indexing_maps = [affine_map<(b,i)->(b,i)>,affine_map<(b,i)->(b,i)>], iterator_types=["parallel","parallel"]} ins(%p : tensor<?x?xi64>) outs(%ep : tensor<?x?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %f = arith.sitofp %i : i64 to f32
    linalg.yield %f : f32
  } -> tensor<?x?xf32>
  %p3 = tensor.expand_shape %pf [[0, 1], [2]] output_shape [%B, 1, %S] : tensor<?x?xf32> into tensor<?x1x?xf32>
  %ef = tensor.empty(%B) : tensor<?x2x1xf32>
  %f3 = linalg.generic {indexing_maps = [affine_map<(b,i,k)->(i)>,affine_map<(b,i,k)->(b,i,k)>], iterator_types=["parallel","parallel","parallel"]} ins(%frequencies : tensor<2xf32>) outs(%ef : tensor<?x2x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<?x2x1xf32>
  %ea = tensor.empty(%B, %S) : tensor<?x2x?xf32>
  %za = linalg.fill ins(%zero : f32) outs(%ea : tensor<?x2x?xf32>) -> tensor<?x2x?xf32>
  %ang = linalg.batch_matmul ins(%f3, %p3 : tensor<?x2x1xf32>, tensor<?x1x?xf32>) outs(%za : tensor<?x2x?xf32>) -> tensor<?x2x?xf32>
  %et = tensor.empty(%B, %S) : tensor<?x?x2xf32>
  %t = linalg.transpose ins(%ang : tensor<?x2x?xf32>) outs(%et : tensor<?x?x2xf32>) permutation = [0, 2, 1]
  %emb = tensor.concat dim(2) %t, %t : (tensor<?x?x2xf32>, tensor<?x?x2xf32>) -> tensor<?x?x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [%B, 3, %S, 2] [1, 1, 1, 1] : tensor<?x3x?x4xf32> to tensor<?x3x?x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 2] [%B, 3, %S, 2] [1, 1, 1, 1] : tensor<?x3x?x4xf32> to tensor<?x3x?x2xf32>
  %eh = tensor.empty(%B, %S) : tensor<?x3x?x2xf32>
  %neg = linalg.negf ins(%hi : tensor<?x3x?x2xf32>) outs(%eh : tensor<?x3x?x2xf32>) -> tensor<?x3x?x2xf32>
  %turned = tensor.concat dim(3) %neg, %lo : (tensor<?x3x?x2xf32>, tensor<?x3x?x2xf32>) -> tensor<?x3x?x4xf32>
  %e = tensor.empty(%B, %S) : tensor<?x3x?x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b,h,i,j)->(b,h,i,j)>,affine_map<(b,h,i,j)->(b,h,i,j)>,affine_map<(b,h,i,j)->(b,i,j)>,affine_map<(b,h,i,j)->(b,h,i,j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %turned, %emb : tensor<?x3x?x4xf32>, tensor<?x3x?x4xf32>, tensor<?x?x4xf32>) outs(%e : tensor<?x3x?x4xf32>) {
  ^bb0(%a: f32, %r: f32, %w: f32, %out: f32):
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %q = arith.addf %u, %v : f32
    linalg.yield %q : f32
  } -> tensor<?x3x?x4xf32>
  return %y : tensor<?x3x?x4xf32>
}

// A later chunk: rows begin at position 4096, where a sine tells little.
// CHECK-LABEL: @chunk(
// CHECK: %[[O:.*]] = arith.constant 4096 : index
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x6x4xf32>) offset(%[[O]] : index) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @chunk(%x: tensor<2x6x4xf32>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %start = arith.constant 4096 : i64
    %k = arith.addi %i, %start : i64
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// Positions that start at -5, as floats.
// CHECK-LABEL: @offset(
// CHECK: %[[O:.*]] = arith.constant -5 : index
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<6x4xf32>) offset(%[[O]] : index) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @offset(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0] [6, 2] [1, 1] : tensor<6x4xf32> to tensor<6x2xf32>
  %hi = tensor.extract_slice %x[0, 2] [6, 2] [1, 1] : tensor<6x4xf32> to tensor<6x2xf32>
  %eh = tensor.empty() : tensor<6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<6x2xf32>) outs(%eh : tensor<6x2xf32>) -> tensor<6x2xf32>
  %turned = tensor.concat dim(1) %neg, %lo : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x4xf32>
  %e = tensor.empty() : tensor<6x4xf32>
  %y = linalg.generic {indexing_maps = [#ij, #ij, affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<6x4xf32>, tensor<6x4xf32>, tensor<4xf32>) outs(%e : tensor<6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i64
    %i0 = arith.sitofp %i : i64 to f32
    %five = arith.constant -5.0 : f32
    %q = arith.addf %i0, %five : f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// Twenty is added to given positions.
// CHECK-LABEL: @offset_of_positions(
// CHECK: %[[O:.*]] = arith.constant 20 : index
// CHECK: offset(%[[O]] : index) positions(%arg1 : tensor<6xi64>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @offset_of_positions(%x: tensor<2x6x4xf32>, %p: tensor<6xi64>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %p : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>, tensor<6xi64>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %p0: i64, %out: f32):
    %twenty = arith.constant 20 : i64
    %k = arith.addi %p0, %twenty : i64
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// The length of a cache is added to the rows, as an index.
// CHECK-LABEL: @past(
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x?x4xf32>) offset(%arg1 : index) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @past(%x: tensor<2x?x4xf32>, %past: index) -> tensor<2x?x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %x, %c1 : tensor<2x?x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, %n1, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, %n1, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %eh = tensor.empty(%n1) : tensor<2x?x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x?x2xf32>) outs(%eh : tensor<2x?x2xf32>) -> tensor<2x?x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x?x2xf32>, tensor<2x?x2xf32>) -> tensor<2x?x4xf32>
  %e = tensor.empty(%n1) : tensor<2x?x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<4xf32>) outs(%e : tensor<2x?x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %k = arith.addi %row, %past : index
    %i = arith.index_cast %k : index to i64
    %q = arith.sitofp %i : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x?x4xf32>
  return %y : tensor<2x?x4xf32>
}

// The same from a tensor of one, in 32 bits, which become 64 before the sum.
// CHECK-LABEL: @past_tensor(
// CHECK: %[[O:.*]] = tensor.collapse_shape %arg1 [] : tensor<1xi32> into tensor<i32>
// CHECK: offset(%[[O]] : tensor<i32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @past_tensor(%x: tensor<2x6x4xf32>, %past: tensor<1xi32>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (0)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %past : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>, tensor<1xi32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %p0: i32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %p = arith.extsi %p0 : i32 to i64
    %k = arith.addi %i, %p : i64
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// A sum in 32 bits that is said not to wrap.
// CHECK-LABEL: @nsw(
// CHECK: offset(%arg1 : i32)
// CHECK-NOT: linalg.
// CHECK: return
func.func @nsw(%x: tensor<2x6x4xf32>, %past: i32) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i32
    %k = arith.addi %i, %past overflow<nsw> : i32
    %q = arith.sitofp %k : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// A length of each batch, as that of a cache of keys, is added to the rows.
// CHECK-LABEL: @offset_of_batches(
// CHECK: offset(%arg1 : tensor<?xi64>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @offset_of_batches(%x: tensor<?x?x4xf32>, %p: tensor<?xi64>) -> tensor<?x?x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [%n0, %n1, 2] [1, 1, 1] : tensor<?x?x4xf32> to tensor<?x?x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [%n0, %n1, 2] [1, 1, 1] : tensor<?x?x4xf32> to tensor<?x?x2xf32>
  %eh = tensor.empty(%n0, %n1) : tensor<?x?x2xf32>
  %neg = linalg.negf ins(%hi : tensor<?x?x2xf32>) outs(%eh : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<?x?x2xf32>, tensor<?x?x2xf32>) -> tensor<?x?x4xf32>
  %e = tensor.empty(%n0, %n1) : tensor<?x?x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (b)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %p : tensor<?x?x4xf32>, tensor<?x?x4xf32>, tensor<4xf32>, tensor<?xi64>) outs(%e : tensor<?x?x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %length: i64, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %k = arith.addi %i, %length : i64
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}

// A step of a decoder: the single row turns by the length of the cache.
// CHECK-LABEL: @step(
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x1x4xf32>) offset(%arg1 : tensor<i64>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @step(%x: tensor<2x1x4xf32>, %past: tensor<i64>) -> tensor<2x1x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %eh = tensor.empty() : tensor<2x1x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x1x2xf32>) outs(%eh : tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x4xf32>
  %e = tensor.empty() : tensor<2x1x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<4xf32>) outs(%e : tensor<2x1x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %k = tensor.extract %past[] : tensor<i64>
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// JAX adds the number of the single row, 0, in 32 bits, and that does not wrap.
// CHECK-LABEL: @step_of_rows(
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x1x4xf32>) offset(%arg1 : tensor<i32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @step_of_rows(%x: tensor<2x1x4xf32>, %past: tensor<i32>) -> tensor<2x1x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %eh = tensor.empty() : tensor<2x1x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x1x2xf32>) outs(%eh : tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x4xf32>
  %e = tensor.empty() : tensor<2x1x4xf32>
  %en = tensor.empty() : tensor<1xi32>
  %iota = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%en : tensor<1xi32>) {
  ^bb0(%out: i32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    linalg.yield %i : i32
  } -> tensor<1xi32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%iota, %past : tensor<1xi32>, tensor<i32>) outs(%en : tensor<1xi32>) {
  ^bb0(%i: i32, %p: i32, %out: i32):
    %k = arith.addi %i, %p : i32
    linalg.yield %k : i32
  } -> tensor<1xi32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %rows : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<4xf32>, tensor<1xi32>) outs(%e : tensor<2x1x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %k: i32, %out: f32):
    %q = arith.sitofp %k : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// Lengths of 16 bits do not leave 32 with the row's number.
// CHECK-LABEL: @short_length(
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x6x4xf32>) offset(%arg1 : i16)
// CHECK-NOT: linalg.
// CHECK: return
func.func @short_length(%x: tensor<2x6x4xf32>, %past: i16) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i32
    %p = arith.extsi %past : i16 to i32
    %k = arith.addi %i, %p : i32
    %q = arith.sitofp %k : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// Six rows of tables of cosines and sines, from a position on that is clamped to them.
// CHECK-LABEL: @sliced_tables(
// CHECK: %[[AT:.*]] = arith.minsi
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x6x4xf32>) offset(%[[AT]] : index)
// CHECK-NOT: linalg.
// CHECK: return
func.func @sliced_tables(%x: tensor<2x6x4xf32>, %past: tensor<i32>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %et = tensor.empty() : tensor<64x4xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %sin = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.sin %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %zero = arith.constant 0 : index
  %top = arith.constant 58 : index
  %p32 = tensor.extract %past[] : tensor<i32>
  %p = arith.index_cast %p32 : i32 to index
  %least = arith.maxsi %p, %zero : index
  %at = arith.minsi %least, %top : index
  %c = tensor.extract_slice %cos[%at, 0] [6, 4] [1, 1] : tensor<64x4xf32> to tensor<6x4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [6, 4] [1, 1] : tensor<64x4xf32> to tensor<6x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// A step of a decoder takes one row of them.
// CHECK-LABEL: @row_of_tables(
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x1x4xf32>) offset(%arg1 : index)
// CHECK-NOT: linalg.
// CHECK: return
func.func @row_of_tables(%x: tensor<2x1x4xf32>, %at: index) -> tensor<2x1x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %eh = tensor.empty() : tensor<2x1x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x1x2xf32>) outs(%eh : tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x4xf32>
  %e = tensor.empty() : tensor<2x1x4xf32>
  %et = tensor.empty() : tensor<64x4xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %sin = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.sin %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [1, 4] [1, 1] : tensor<64x4xf32> to tensor<4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [1, 4] [1, 1] : tensor<64x4xf32> to tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x1x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// The positions of one of four sequences.
// CHECK-LABEL: @sliced_positions(
// CHECK: %[[P:.*]] = tensor.extract_slice %arg1[2, 0] [1, 6] [1, 1]
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x6x4xf32>) positions(%[[P]] : tensor<6xi64>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @sliced_positions(%x: tensor<2x6x4xf32>, %p: tensor<4x6xi64>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %rows = tensor.extract_slice %p[2, 0] [1, 6] [1, 1] : tensor<4x6xi64> to tensor<6xi64>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %rows : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>, tensor<6xi64>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %k: i64, %out: f32):
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// Tables that are constants: all slices of them are tried. The base follows from them.
// CHECK-LABEL: @constant_tables(
// CHECK: attn.rope pairs(half_split) base(1.000000e+02) ins(%arg0 : tensor<2x2x4xf32>) offset(%arg1 : index)
// CHECK-NOT: linalg.
// CHECK: return
func.func @constant_tables(%x: tensor<2x2x4xf32>, %at: index) -> tensor<2x2x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 2, 2] [1, 1, 1] : tensor<2x2x4xf32> to tensor<2x2x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 2, 2] [1, 1, 1] : tensor<2x2x4xf32> to tensor<2x2x2xf32>
  %eh = tensor.empty() : tensor<2x2x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x2x2xf32>) outs(%eh : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x4xf32>
  %e = tensor.empty() : tensor<2x2x4xf32>
  %cos = arith.constant dense<[[1.00000000e+00, 1.00000000e+00, 1.00000000e+00, 1.00000000e+00],
    [5.40302306e-01, 9.95004165e-01, 5.40302306e-01, 9.95004165e-01],
    [-4.16146837e-01, 9.80066578e-01, -4.16146837e-01, 9.80066578e-01],
    [-9.89992497e-01, 9.55336489e-01, -9.89992497e-01, 9.55336489e-01],
    [-6.53643621e-01, 9.21060994e-01, -6.53643621e-01, 9.21060994e-01],
    [2.83662185e-01, 8.77582562e-01, 2.83662185e-01, 8.77582562e-01],
    [9.60170287e-01, 8.25335615e-01, 9.60170287e-01, 8.25335615e-01],
    [7.53902254e-01, 7.64842187e-01, 7.53902254e-01, 7.64842187e-01]]> : tensor<8x4xf32>
  %sin = arith.constant dense<[[0.00000000e+00, 0.00000000e+00, 0.00000000e+00, 0.00000000e+00],
    [8.41470985e-01, 9.98334166e-02, 8.41470985e-01, 9.98334166e-02],
    [9.09297427e-01, 1.98669331e-01, 9.09297427e-01, 1.98669331e-01],
    [1.41120008e-01, 2.95520207e-01, 1.41120008e-01, 2.95520207e-01],
    [-7.56802495e-01, 3.89418342e-01, -7.56802495e-01, 3.89418342e-01],
    [-9.58924275e-01, 4.79425539e-01, -9.58924275e-01, 4.79425539e-01],
    [-2.79415498e-01, 5.64642473e-01, -2.79415498e-01, 5.64642473e-01],
    [6.56986599e-01, 6.44217687e-01, 6.56986599e-01, 6.44217687e-01]]> : tensor<8x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x2x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}

// A step takes one row of them.
// CHECK-LABEL: @row_of_constants(
// CHECK: attn.rope pairs(half_split) base(1.000000e+02) ins(%arg0 : tensor<2x1x4xf32>) offset(%arg1 : index)
// CHECK-NOT: linalg.
// CHECK: return
func.func @row_of_constants(%x: tensor<2x1x4xf32>, %at: index) -> tensor<2x1x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %eh = tensor.empty() : tensor<2x1x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x1x2xf32>) outs(%eh : tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x4xf32>
  %e = tensor.empty() : tensor<2x1x4xf32>
  %cos = arith.constant dense<[[1.00000000e+00, 1.00000000e+00, 1.00000000e+00, 1.00000000e+00],
    [5.40302306e-01, 9.95004165e-01, 5.40302306e-01, 9.95004165e-01],
    [-4.16146837e-01, 9.80066578e-01, -4.16146837e-01, 9.80066578e-01],
    [-9.89992497e-01, 9.55336489e-01, -9.89992497e-01, 9.55336489e-01],
    [-6.53643621e-01, 9.21060994e-01, -6.53643621e-01, 9.21060994e-01],
    [2.83662185e-01, 8.77582562e-01, 2.83662185e-01, 8.77582562e-01],
    [9.60170287e-01, 8.25335615e-01, 9.60170287e-01, 8.25335615e-01],
    [7.53902254e-01, 7.64842187e-01, 7.53902254e-01, 7.64842187e-01]]> : tensor<8x4xf32>
  %sin = arith.constant dense<[[0.00000000e+00, 0.00000000e+00, 0.00000000e+00, 0.00000000e+00],
    [8.41470985e-01, 9.98334166e-02, 8.41470985e-01, 9.98334166e-02],
    [9.09297427e-01, 1.98669331e-01, 9.09297427e-01, 1.98669331e-01],
    [1.41120008e-01, 2.95520207e-01, 1.41120008e-01, 2.95520207e-01],
    [-7.56802495e-01, 3.89418342e-01, -7.56802495e-01, 3.89418342e-01],
    [-9.58924275e-01, 4.79425539e-01, -9.58924275e-01, 4.79425539e-01],
    [-2.79415498e-01, 5.64642473e-01, -2.79415498e-01, 5.64642473e-01],
    [6.56986599e-01, 6.44217687e-01, 6.56986599e-01, 6.44217687e-01]]> : tensor<8x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x1x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// One tensor may be both, read by batches and by rows.
// CHECK-LABEL: @shared_tensor
// CHECK: attn.rope {{.*}} offset(%[[P:.*]] : tensor<2xi64>) positions(%[[P]] : tensor<2xi64>)
func.func @shared_tensor(%x: tensor<2x2x4xf32>, %p: tensor<2xi64>) -> tensor<2x2x4xf32> {
  %e = tensor.empty() : tensor<2x2x4xf32>
  %y = attn.rope pairs(half_split) base(100.0) ins(%x : tensor<2x2x4xf32>) offset(%p : tensor<2xi64>) positions(%p : tensor<2xi64>) outs(%e : tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}
