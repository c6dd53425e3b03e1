// RUN: attn-opt %s --inline --symbol-dce --canonicalize --cse --attn-raise-rope --canonicalize --cse 2>/dev/null | FileCheck %s
// RUN: attn-run %s --entry=transposed --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=rounded --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=resource --check | FileCheck %s --check-prefix=MATCH
// MATCH: f64 reference: match

// Rotations as layers have them around their attention.

#id = affine_map<(b, h, i, j) -> (b, h, i, j)>
#tab = affine_map<(b, h, i, j) -> (i, j)>

// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d4)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d4)>

// Heads are moved before rows, which turn: they turn where they lie, and the
// attention reads them there.
// CHECK-LABEL: @transposed
// CHECK: %[[R:.*]] = attn.rope pairs(half_split) row_dim(1) ins(%arg0 : tensor<2x5x3x8xf32>) cosines(%arg1 : tensor<5x8xf32>) sines(%arg2 : tensor<5x8xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: attn.attention {{.*}} indexing_maps [#[[Q]], #[[K]], #{{.*}}, #{{.*}}] ins(%[[R]], %arg3, %arg3
func.func @transposed(%q: tensor<2x5x3x8xf32>, %c: tensor<5x8xf32>, %s: tensor<5x8xf32>, %k: tensor<2x3x7x8xf32>) -> tensor<2x3x5x8xf32> {
  %e = tensor.empty() : tensor<2x3x5x8xf32>
  %t = linalg.transpose ins(%q : tensor<2x5x3x8xf32>) outs(%e : tensor<2x3x5x8xf32>) permutation = [0, 2, 1, 3]
  %r = call @turn(%t, %c, %s) : (tensor<2x3x5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<2x3x5x8xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%r, %k, %k : tensor<2x3x5x8xf32>, tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>) outs(%e : tensor<2x3x5x8xf32>) -> tensor<2x3x5x8xf32>
  return %o : tensor<2x3x5x8xf32>
}

// The first dimension becomes another one: the transpose stays before it.
// CHECK-LABEL: @batch_moves
// CHECK: %[[T:.*]] = linalg.transpose
// CHECK: attn.rope pairs(half_split) ins(%[[T]] :
func.func @batch_moves(%q: tensor<3x2x5x8xf32>, %c: tensor<5x8xf32>, %s: tensor<5x8xf32>) -> tensor<2x3x5x8xf32> {
  %e = tensor.empty() : tensor<2x3x5x8xf32>
  %t = linalg.transpose ins(%q : tensor<3x2x5x8xf32>) outs(%e : tensor<2x3x5x8xf32>) permutation = [1, 0, 2, 3]
  %r = call @turn(%t, %c, %s) : (tensor<2x3x5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<2x3x5x8xf32>
  return %r : tensor<2x3x5x8xf32>
}

// Rows of bf16 that turn in f32.
// CHECK-LABEL: @rounded
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x3x5x8xbf16>) cosines(%arg1 : tensor<5x8xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @rounded(%x: tensor<2x3x5x8xbf16>, %c: tensor<5x8xf32>, %s: tensor<5x8xf32>) -> tensor<2x3x5x8xbf16> {
  %e = tensor.empty() : tensor<2x3x5x8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x3x5x8xbf16>) outs(%e : tensor<2x3x5x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %t = arith.extf %a : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<2x3x5x8xf32>
  %r = call @turn(%w, %c, %s) : (tensor<2x3x5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<2x3x5x8xf32>
  %eb = tensor.empty() : tensor<2x3x5x8xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<2x3x5x8xf32>) outs(%eb : tensor<2x3x5x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x3x5x8xbf16>
  return %y : tensor<2x3x5x8xbf16>
}

// Frequencies 1, 0.1, 0.01 and 0.001 as raw bytes, as torch-mlir writes buffers.
// CHECK-LABEL: @resource
// CHECK: attn.rope pairs(half_split) ins(%arg0 : tensor<2x3x5x8xf32>) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @resource(%x: tensor<2x3x5x8xf32>) -> tensor<2x3x5x8xf32> {
  %f = arith.constant dense_resource<frequencies> : tensor<4xf32>
  %et = tensor.empty() : tensor<5x4xf32>
  %angles = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%f : tensor<4xf32>) outs(%et : tensor<5x4xf32>) {
  ^bb0(%w: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i64
    %p = arith.sitofp %i : i64 to f32
    %a = arith.mulf %p, %w : f32
    linalg.yield %a : f32
  } -> tensor<5x4xf32>
  %both = tensor.concat dim(1) %angles, %angles : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x8xf32>
  %e = tensor.empty() : tensor<5x8xf32>
  %cos, %sin = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%both : tensor<5x8xf32>) outs(%e, %e : tensor<5x8xf32>, tensor<5x8xf32>) {
  ^bb0(%a: f32, %o: f32, %out: f32):
    %c = math.cos %a : f32
    %s = math.sin %a : f32
    linalg.yield %c, %s : f32, f32
  } -> (tensor<5x8xf32>, tensor<5x8xf32>)
  %r = call @turn(%x, %cos, %sin) : (tensor<2x3x5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<2x3x5x8xf32>
  return %r : tensor<2x3x5x8xf32>
}

func.func private @turn(%x: tensor<2x3x5x8xf32>, %c: tensor<5x8xf32>, %s: tensor<5x8xf32>) -> tensor<2x3x5x8xf32> {
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [2, 3, 5, 4] [1, 1, 1, 1] : tensor<2x3x5x8xf32> to tensor<2x3x5x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 4] [2, 3, 5, 4] [1, 1, 1, 1] : tensor<2x3x5x8xf32> to tensor<2x3x5x4xf32>
  %eh = tensor.empty() : tensor<2x3x5x4xf32>
  %neg = linalg.negf ins(%hi : tensor<2x3x5x4xf32>) outs(%eh : tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
  %turned = tensor.concat dim(3) %neg, %lo : (tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x8xf32>
  %e = tensor.empty() : tensor<2x3x5x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>)
      outs(%e : tensor<2x3x5x8xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x3x5x8xf32>
  return %y : tensor<2x3x5x8xf32>
}

{-#
  dialect_resources: {
    builtin: {
      frequencies: "0x040000000000803FCDCCCC3D0AD7233C6F12833A"
    }
  }
#-}
