// Complex numbers become their parts.
// RUN: attn-opt %s --attn-split-complex | FileCheck %s
// RUN: attn-run %s --entry=complex --output=%t.complex.npz
// RUN: attn-run %s --entry=parts --output=%t.parts.npz
// RUN: cmp %t.complex.npz %t.parts.npz
// RUN: attn-run %s --entry=moved --shape=0:3x4x2 --output=%t.moved.npz
// RUN: attn-run %s --entry=moved_parts --shape=0:3x4x2 --output=%t.moved_parts.npz
// RUN: cmp %t.moved.npz %t.moved_parts.npz
// RUN: attn-run %s --entry=complex --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=own --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=moved --shape=0:3x4x2 --check | FileCheck %s --check-prefix=MATCH
// RUN: %python -c "import numpy as np; [np.savez(rf'%t.{n}.npz', arg0=np.zeros(4, np.float32), arg1=np.array(n, np.int64)) for n in (0, 1, 2)]"
// RUN: attn-run %s --entry=loop --inputs=%t.0.npz --output=%t.out0.npz
// RUN: attn-run %s --entry=loop --inputs=%t.1.npz --output=%t.out1.npz
// RUN: attn-run %s --entry=loop --inputs=%t.2.npz --output=%t.out2.npz
// RUN: %python -c "import numpy as np; assert [np.load(rf'%t.out{n}.npz')['out0'].tolist() for n in (0, 1, 2)] == [[0] * 4, [-1] * 4, [1] * 4]"
// MATCH: match

#matrix = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#pairs = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// The numbers x times a constant plus i, as PyTorch's view_as_complex and
// view_as_real have them.
// CHECK-LABEL: func.func @complex(
// CHECK-NOT: complex<
// CHECK-DAG: arith.constant dense<[1.000000e+00, 0.000000e+00, -2.000000e+00, 5.000000e-01]> : tensor<4xf32>
// CHECK-DAG: arith.constant dense<[0.000000e+00, 1.000000e+00, 3.000000e+00, -2.500000e-01]> : tensor<4xf32>
// CHECK: return
func.func @complex(%x: tensor<5x4x2xf32>) -> tensor<5x4x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = arith.constant dense<[(1.0, 0.0), (0.0, 1.0), (-2.0, 3.0), (0.5, -0.25)]> : tensor<4xcomplex<f32>>
  %i = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
  %empty = tensor.empty() : tensor<5x4xcomplex<f32>>
  %z = linalg.generic {indexing_maps = [#matrix], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<5x4xcomplex<f32>>) {
  ^bb0(%o: complex<f32>):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %re = tensor.extract %x[%row, %column, %c0] : tensor<5x4x2xf32>
    %im = tensor.extract %x[%row, %column, %c1] : tensor<5x4x2xf32>
    %number = complex.create %re, %im : complex<f32>
    linalg.yield %number : complex<f32>
  } -> tensor<5x4xcomplex<f32>>
  %filled = linalg.fill ins(%i : complex<f32>) outs(%empty : tensor<5x4xcomplex<f32>>) -> tensor<5x4xcomplex<f32>>
  %y = linalg.generic {indexing_maps = [#matrix, #columns, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%z, %w : tensor<5x4xcomplex<f32>>, tensor<4xcomplex<f32>>) outs(%filled : tensor<5x4xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %o: complex<f32>):
    %p = complex.mul %a, %b : complex<f32>
    %s = complex.add %p, %o : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<5x4xcomplex<f32>>
  %real = tensor.empty() : tensor<5x4x2xf32>
  %r = linalg.generic {indexing_maps = [#pairs, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<5x4xcomplex<f32>>) outs(%real : tensor<5x4x2xf32>) {
  ^bb0(%a: complex<f32>, %o: f32):
    %re = complex.re %a : complex<f32>
    %im = complex.im %a : complex<f32>
    %part = linalg.index 2 : index
    %isReal = arith.cmpi eq, %part, %c0 : index
    %q = arith.select %isReal, %re, %im : f32
    linalg.yield %q : f32
  } -> tensor<5x4x2xf32>
  return %r : tensor<5x4x2xf32>
}

func.func @parts(%x: tensor<5x4x2xf32>) -> tensor<5x4x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c = arith.constant dense<[1.0, 0.0, -2.0, 0.5]> : tensor<4xf32>
  %d = arith.constant dense<[0.0, 1.0, 3.0, -0.25]> : tensor<4xf32>
  %real = tensor.empty() : tensor<5x4x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d1)>, #all],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %d : tensor<4xf32>, tensor<4xf32>) outs(%real : tensor<5x4x2xf32>) {
  ^bb0(%cr: f32, %ci: f32, %o: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %part = linalg.index 2 : index
    %a = tensor.extract %x[%row, %column, %c0] : tensor<5x4x2xf32>
    %b = tensor.extract %x[%row, %column, %c1] : tensor<5x4x2xf32>
    %ac = arith.mulf %a, %cr : f32
    %bd = arith.mulf %b, %ci : f32
    %ad = arith.mulf %a, %ci : f32
    %bc = arith.mulf %b, %cr : f32
    %re = arith.subf %ac, %bd : f32
    %im = arith.addf %bc, %ad : f32
    %re0 = arith.addf %re, %zero : f32
    %im1 = arith.addf %im, %one : f32
    %isReal = arith.cmpi eq, %part, %c0 : index
    %q = arith.select %isReal, %re0, %im1 : f32
    linalg.yield %q : f32
  } -> tensor<5x4x2xf32>
  return %r : tensor<5x4x2xf32>
}

// Slices, views and transpositions of unknown sizes; the imaginary parts.
// CHECK-LABEL: func.func @moved(
// CHECK-NOT: complex<
// CHECK: return
func.func @moved(%x: tensor<?x4x2xf32>) -> tensor<2x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x2xf32>
  %empty = tensor.empty(%n) : tensor<?x4xcomplex<f32>>
  %z = linalg.generic {indexing_maps = [#matrix], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<?x4xcomplex<f32>>) {
  ^bb0(%o: complex<f32>):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %re = tensor.extract %x[%row, %column, %c0] : tensor<?x4x2xf32>
    %im = tensor.extract %x[%row, %column, %c1] : tensor<?x4x2xf32>
    %number = complex.create %re, %im : complex<f32>
    linalg.yield %number : complex<f32>
  } -> tensor<?x4xcomplex<f32>>
  %rows = tensor.dim %z, %c0 : tensor<?x4xcomplex<f32>>
  %slice = tensor.extract_slice %z[0, 1] [%rows, 2] [1, 1] : tensor<?x4xcomplex<f32>> to tensor<?x2xcomplex<f32>>
  %turned = tensor.empty(%rows) : tensor<2x?xcomplex<f32>>
  %t = linalg.transpose ins(%slice : tensor<?x2xcomplex<f32>>) outs(%turned : tensor<2x?xcomplex<f32>>) permutation = [1, 0]
  %out = tensor.empty(%rows) : tensor<2x?xf32>
  %r = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<2x?xcomplex<f32>>) outs(%out : tensor<2x?xf32>) {
  ^bb0(%a: complex<f32>, %o: f32):
    %im = complex.im %a : complex<f32>
    linalg.yield %im : f32
  } -> tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}

func.func @moved_parts(%x: tensor<?x4x2xf32>) -> tensor<2x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x2xf32>
  %slice = tensor.extract_slice %x[0, 1, 1] [%n, 2, 1] [1, 1, 1] : tensor<?x4x2xf32> to tensor<?x2xf32>
  %out = tensor.empty(%n) : tensor<2x?xf32>
  %r = linalg.transpose ins(%slice : tensor<?x2xf32>) outs(%out : tensor<2x?xf32>) permutation = [1, 0]
  return %r : tensor<2x?xf32>
}

// i squared n times: -1, then 1.
// CHECK-LABEL: func.func @loop(
// CHECK-NOT: complex<
// CHECK: scf.for
// CHECK-SAME: -> (tensor<4xf32>, tensor<4xf32>)
func.func @loop(%x: tensor<4xf32>, %m: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %m : i64 to index
  %i = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
  %empty = tensor.empty() : tensor<4xcomplex<f32>>
  %z = linalg.fill ins(%i : complex<f32>) outs(%empty : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %y = scf.for %j = %c0 to %n step %c1 iter_args(%a = %z) -> tensor<4xcomplex<f32>> {
    %b = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%a : tensor<4xcomplex<f32>>) outs(%empty : tensor<4xcomplex<f32>>) {
    ^bb0(%p: complex<f32>, %q: complex<f32>):
      %s = complex.mul %p, %p : complex<f32>
      linalg.yield %s : complex<f32>
    } -> tensor<4xcomplex<f32>>
    scf.yield %b : tensor<4xcomplex<f32>>
  }
  %r = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%y : tensor<4xcomplex<f32>>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: complex<f32>, %b: f32):
    %re = complex.re %a : complex<f32>
    linalg.yield %re : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Called by nobody else, and all of one number.
func.func private @own(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = arith.constant dense<(2.0, -3.0)> : tensor<4xcomplex<f32>>
  %empty = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
      ins(%w, %x : tensor<4xcomplex<f32>>, tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: complex<f32>, %b: f32, %o: f32):
    %im = complex.im %a : complex<f32>
    %p = arith.mulf %im, %b : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A buffer of a model: 1.5 - 2 i and 3 + i / 4.
// CHECK-LABEL: func.func @resource(
// CHECK-DAG: arith.constant dense<[1.500000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<[-2.000000e+00, 2.500000e-01]> : tensor<2xf32>
// CHECK: return
func.func @resource(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = arith.constant dense_resource<weights> : tensor<2xcomplex<f32>>
  %empty = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
      ins(%w, %x : tensor<2xcomplex<f32>>, tensor<2xf32>) outs(%empty : tensor<2xf32>) {
  ^bb0(%a: complex<f32>, %b: f32, %o: f32):
    %re = complex.re %a : complex<f32>
    %im = complex.im %a : complex<f32>
    %p = arith.mulf %re, %b : f32
    %s = arith.addf %p, %im : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x080000000000C03F000000C0000040400000803E"
    }
  }
#-}
