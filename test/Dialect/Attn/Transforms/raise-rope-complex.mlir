// Rotations by products of complex numbers, as Llama's own code has them: rows are
// viewed as heads and these as complex numbers, which are one view here.
// RUN: attn-opt %s --split-input-file --attn-raise-pipeline 2>/dev/null | FileCheck %s
// RUN: split-file %s %t
// RUN: attn-run %t/heads.mlir --shape=0:2x5x24 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %t/heads.mlir --shape=0:2x5x24 --output=%t.heads.npz
// RUN: attn-run %t/heads.mlir --shape=0:2x5x24 --portable --output=%t.portable.npz
// RUN: attn-run %t/op.mlir --shape=0:2x5x24 --output=%t.op.npz
// RUN: %python -c "import numpy as np; a, b, c = (np.load(r'%t.' + n + '.npz')['out0'] for n in ['heads', 'portable', 'op']); assert np.abs(a - c).max() < 1e-5 and np.abs(b - c).max() < 1e-5 and np.abs(c).max() > 1"
// RUN: attn-run %t/sum.mlir --shape=0:2x5x24 --check | FileCheck %s --check-prefix=MATCH
// MATCH: match

//--- heads.mlir
// CHECK-LABEL: @heads
// CHECK: %[[X:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
// CHECK: attn.rope row_dim(1) ins(%[[X]] : tensor<?x?x3x8xf32>)
// CHECK-NOT: linalg
#table = affine_map<(d0, d1) -> (d0, d1)>
#numbers = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#rows = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#parts = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#all = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
func.func @heads(%x: tensor<?x?x24xf32>) -> tensor<?x?x3x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %base = arith.constant 1.000000e+04 : f32
  %step = arith.constant -2.500000e-01 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x24xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x24xf32>
  %angles = tensor.empty(%n) : tensor<?x4xcomplex<f32>>
  %w = linalg.generic {indexing_maps = [#table], iterator_types = ["parallel", "parallel"]} outs(%angles : tensor<?x4xcomplex<f32>>) {
  ^bb0(%o: complex<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %position = arith.sitofp %i64 : i64 to f32
    %pair = arith.sitofp %j64 : i64 to f32
    %power = arith.mulf %pair, %step : f32
    %frequency = math.powf %base, %power : f32
    %angle = arith.mulf %position, %frequency : f32
    %cos = math.cos %angle : f32
    %sin = math.sin %angle : f32
    %z = complex.create %cos, %sin : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<?x4xcomplex<f32>>
  %view = tensor.expand_shape %x [[0], [1], [2, 3, 4]] output_shape [%b, %n, 3, 4, 2] : tensor<?x?x24xf32> into tensor<?x?x3x4x2xf32>
  %empty = tensor.empty(%b, %n) : tensor<?x?x3x4xcomplex<f32>>
  %u = linalg.generic {indexing_maps = [#numbers], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%empty : tensor<?x?x3x4xcomplex<f32>>) {
  ^bb0(%o: complex<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %re = tensor.extract %view[%i, %j, %k, %l, %c0] : tensor<?x?x3x4x2xf32>
    %im = tensor.extract %view[%i, %j, %k, %l, %c1] : tensor<?x?x3x4x2xf32>
    %z = complex.create %re, %im : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<?x?x3x4xcomplex<f32>>
  %v = linalg.generic {indexing_maps = [#numbers, #rows, #numbers], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%u, %w : tensor<?x?x3x4xcomplex<f32>>, tensor<?x4xcomplex<f32>>) outs(%empty : tensor<?x?x3x4xcomplex<f32>>) {
  ^bb0(%p: complex<f32>, %q: complex<f32>, %o: complex<f32>):
    %z = complex.mul %p, %q : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<?x?x3x4xcomplex<f32>>
  %real = tensor.empty(%b, %n) : tensor<?x?x3x4x2xf32>
  %r = linalg.generic {indexing_maps = [#parts, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<?x?x3x4xcomplex<f32>>) outs(%real : tensor<?x?x3x4x2xf32>) {
  ^bb0(%p: complex<f32>, %o: f32):
    %re = complex.re %p : complex<f32>
    %im = complex.im %p : complex<f32>
    %part = linalg.index 4 : index
    %isReal = arith.cmpi eq, %part, %c0 : index
    %z = arith.select %isReal, %re, %im : f32
    linalg.yield %z : f32
  } -> tensor<?x?x3x4x2xf32>
  %rows = tensor.collapse_shape %r [[0], [1], [2], [3, 4]] : tensor<?x?x3x4x2xf32> into tensor<?x?x3x8xf32>
  return %rows : tensor<?x?x3x8xf32>
}

// -----

//--- op.mlir
// CHECK-LABEL: @op
func.func @op(%x: tensor<?x?x24xf32>) -> tensor<?x?x3x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x24xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x24xf32>
  %heads = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, %n, 3, 8] : tensor<?x?x24xf32> into tensor<?x?x3x8xf32>
  %o = tensor.empty(%b, %n) : tensor<?x?x3x8xf32>
  %r = attn.rope row_dim(1) ins(%heads : tensor<?x?x3x8xf32>) outs(%o : tensor<?x?x3x8xf32>) -> tensor<?x?x3x8xf32>
  return %r : tensor<?x?x3x8xf32>
}

// -----

//--- sum.mlir
// A sum of complex numbers turns nothing; it runs all the same.
// CHECK-LABEL: @sum
// CHECK-NOT: attn.rope
// CHECK: return
#table = affine_map<(d0, d1) -> (d0, d1)>
#numbers = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#rows = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#parts = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#all = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
func.func @sum(%x: tensor<?x?x24xf32>) -> tensor<?x?x3x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %base = arith.constant 1.000000e+04 : f32
  %step = arith.constant -2.500000e-01 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x24xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x24xf32>
  %angles = tensor.empty(%n) : tensor<?x4xcomplex<f32>>
  %w = linalg.generic {indexing_maps = [#table], iterator_types = ["parallel", "parallel"]} outs(%angles : tensor<?x4xcomplex<f32>>) {
  ^bb0(%o: complex<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %position = arith.sitofp %i64 : i64 to f32
    %pair = arith.sitofp %j64 : i64 to f32
    %power = arith.mulf %pair, %step : f32
    %frequency = math.powf %base, %power : f32
    %angle = arith.mulf %position, %frequency : f32
    %cos = math.cos %angle : f32
    %sin = math.sin %angle : f32
    %z = complex.create %cos, %sin : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<?x4xcomplex<f32>>
  %view = tensor.expand_shape %x [[0], [1], [2, 3, 4]] output_shape [%b, %n, 3, 4, 2] : tensor<?x?x24xf32> into tensor<?x?x3x4x2xf32>
  %empty = tensor.empty(%b, %n) : tensor<?x?x3x4xcomplex<f32>>
  %u = linalg.generic {indexing_maps = [#numbers], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%empty : tensor<?x?x3x4xcomplex<f32>>) {
  ^bb0(%o: complex<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %re = tensor.extract %view[%i, %j, %k, %l, %c0] : tensor<?x?x3x4x2xf32>
    %im = tensor.extract %view[%i, %j, %k, %l, %c1] : tensor<?x?x3x4x2xf32>
    %z = complex.create %re, %im : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<?x?x3x4xcomplex<f32>>
  %v = linalg.generic {indexing_maps = [#numbers, #rows, #numbers], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%u, %w : tensor<?x?x3x4xcomplex<f32>>, tensor<?x4xcomplex<f32>>) outs(%empty : tensor<?x?x3x4xcomplex<f32>>) {
  ^bb0(%p: complex<f32>, %q: complex<f32>, %o: complex<f32>):
    %z = complex.add %p, %q : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<?x?x3x4xcomplex<f32>>
  %real = tensor.empty(%b, %n) : tensor<?x?x3x4x2xf32>
  %r = linalg.generic {indexing_maps = [#parts, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<?x?x3x4xcomplex<f32>>) outs(%real : tensor<?x?x3x4x2xf32>) {
  ^bb0(%p: complex<f32>, %o: f32):
    %re = complex.re %p : complex<f32>
    %im = complex.im %p : complex<f32>
    %part = linalg.index 4 : index
    %isReal = arith.cmpi eq, %part, %c0 : index
    %z = arith.select %isReal, %re, %im : f32
    linalg.yield %z : f32
  } -> tensor<?x?x3x4x2xf32>
  %rows = tensor.collapse_shape %r [[0], [1], [2], [3, 4]] : tensor<?x?x3x4x2xf32> into tensor<?x?x3x8xf32>
  return %rows : tensor<?x?x3x8xf32>
}
