// Packed tensors that are too small, and a softmax into other sizes: refused in
// the words of the op that was written, by the kernel and by the reference.

// DEFINE: %{run} = not attn-run %s
// RUN: %{run} --entry=pack --shape=0:15x7 --shape=1:3x2x4x4 2>&1 | FileCheck %s --check-prefix=PACK
// RUN: %{run} --entry=pack --shape=0:15x7 --shape=1:4x1x4x4 --check 2>&1 | FileCheck %s --check-prefix=PACKREF
// RUN: attn-run %s --entry=pack --shape=0:15x7 --shape=1:4x2x4x4 --check | FileCheck %s --check-prefix=FITS
// RUN: attn-run %s --entry=pack --shape=0:15x7 --shape=1:5x3x4x4 --check | FileCheck %s --check-prefix=FITS
// PACK: (code 5): pack: tile-sizes.mlir:[[#@LINE+5]]: 'linalg.pack': dimension 0 of input 0 must be at least 0 and at most dimension 0 of input 1 times its tile (15 against 12)
// PACKREF: the reference cannot run 'pack': {{.*}}: dimension 1 of size 7 does not fit 1 tiles of 4
// FITS: out0 against f64 reference: match
func.func @pack(%x: tensor<?x?xf32>, %e: tensor<?x?x4x4xf32>) -> tensor<?x?x4x4xf32> {
  %c = arith.constant 1.0 : f32
  %r = linalg.pack %x padding_value(%c : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<?x?xf32> -> tensor<?x?x4x4xf32>
  return %r : tensor<?x?x4x4xf32>
}

// Outer dimensions in another order, and one that has no tiles.
// RUN: %{run} --entry=unpack --shape=0:3x2x4 --shape=1:9x3 2>&1 | FileCheck %s --check-prefix=UNPACK
// RUN: %{run} --entry=unpack --shape=0:3x2x4 --shape=1:8x2 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: %{run} --entry=unpack --shape=0:3x2x4 --shape=1:8x2 --check 2>&1 | FileCheck %s --check-prefix=PLAINREF
// RUN: attn-run %s --entry=unpack --shape=0:3x2x4 --shape=1:7x3 --check | FileCheck %s --check-prefix=FITS
// UNPACK: (code 5): unpack: {{.*}} 'linalg.unpack': dimension 0 of input 1 must be at least 0 and at most dimension 1 of input 0 times its tile (9 against 8)
// PLAIN: (code 5): unpack: input 1: dimension 1 must equal dimension 0 of input 0 (2 against 3)
// PLAINREF: the reference cannot run 'unpack': {{.*}}: dimension 1 of size 2 does not fit 3 tiles of 1
func.func @unpack(%x: tensor<?x?x4xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.unpack %x outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<?x?x4xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// RUN: %{run} --entry=softmax --shape=0:3x4 --shape=1:3x5 2>&1 | FileCheck %s --check-prefix=SOFTMAX
// RUN: %{run} --entry=softmax --shape=0:3x4 --shape=1:3x5 --check 2>&1 | FileCheck %s --check-prefix=SOFTMAXREF
// SOFTMAX: (code 5): softmax: input 1: dimension 1 must equal dimension 1 of input 0 (5 against 4)
// SOFTMAXREF: 'linalg.softmax' op dimension 1 of operand 1 has size 5, that of operand 0 is 4
func.func @softmax(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
