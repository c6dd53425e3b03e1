// Sizes that disagree are refused before anything is read or written, whatever op
// needs them to agree: the code, the dimensions and both numbers are named.

// DEFINE: %{run} = not attn-run %s
// RUN: %{run} --entry=sum --shape=0:5 --shape=1:3 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: %{run} --entry=sum --shape=0:5 --shape=1:3 --portable 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: (code 5): sum: input 1: dimension 0 must equal dimension 0 of input 0 (3 against 5)
func.func @sum(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// RUN: %{run} --entry=statistics --shape=0:100000x17 --shape=1:3 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: (code 5): statistics: input 1: dimension 0 must equal dimension 0 of input 0 (3 against 100000)
func.func @statistics(%x: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %r = attn.statistics kurtosis axes [1] ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// RUN: %{run} --entry=rows --shape=0:1x2x300x16 --shape=1:1x2x4x16 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: (code 5): rows: input 1: dimension 2 must equal dimension 2 of input 0 (4 against 300)
func.func @rows(%q: tensor<1x2x?x16xf32>, %k: tensor<1x2x?x16xf32>) -> tensor<1x2x?x16xf32> {
  %c2 = arith.constant 2 : index
  %m = tensor.dim %k, %c2 : tensor<1x2x?x16xf32>
  %o = tensor.empty(%m) : tensor<1x2x?x16xf32>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>) outs(%o : tensor<1x2x?x16xf32>) -> tensor<1x2x?x16xf32>
  return %r : tensor<1x2x?x16xf32>
}

// RUN: %{run} --entry=heads --shape=0:1x8x8x16 --shape=1:1x2x8x16 --shape=2:1x8x8x16 2>&1 | FileCheck %s --check-prefix=HEADS
// HEADS: (code 5): heads: wrong-sizes.mlir:[[#@LINE+6]]: 'attn.attention': 2 times dimension 1 of input 1 must equal dimension 1 of input 0 (4 against 8)
#q = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, m, n, d, e) -> (b, h floordiv 2, n, d)>
#v = affine_map<(b, h, m, n, d, e) -> (b, h floordiv 2, n, e)>
#o = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>
func.func @heads(%q: tensor<1x?x8x16xf32>, %k: tensor<1x?x8x16xf32>, %o: tensor<1x?x8x16xf32>) -> tensor<1x?x8x16xf32> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [#q, #k, #v, #o]
      ins(%q, %k, %k : tensor<1x?x8x16xf32>, tensor<1x?x8x16xf32>, tensor<1x?x8x16xf32>) outs(%o : tensor<1x?x8x16xf32>) -> tensor<1x?x8x16xf32>
  return %r : tensor<1x?x8x16xf32>
}

// RUN: %{run} --entry=feed_forward --shape=1:64x2000 --shape=2:3x64 2>&1 | FileCheck %s --check-prefix=FEED
// FEED: (code 5): feed_forward: input 2: dimension 0 must equal dimension 1 of input 1 (3 against 2000)
func.func @feed_forward(%x: tensor<8x64xf32>, %up: tensor<?x?xf32>, %down: tensor<?x?xf32>) -> tensor<8x64xf32> {
  %r = attn.feed_forward gelu ins(%x : tensor<8x64xf32>) up(%up : tensor<?x?xf32>) down(%down : tensor<?x?xf32>) -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// RUN: %{run} --entry=window --shape=0:3 --shape=1:1 --shape=2:1000 2>&1 | FileCheck %s --check-prefix=WINDOW
// WINDOW: (code 5): window: {{.*}}: 'linalg.conv_1d': the index into dimension 0 of input 0 must be at least 0 and below dimension 0 of input 0 (999 against 3)
func.func @window(%x: tensor<?xf32>, %w: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Caches that a loop appends to keep their sizes.
// RUN: %{run} --entry=caches --shape=1:1x1x200x16 --shape=2:1x1x5x16 2>&1 | FileCheck %s --check-prefix=CACHES
// CACHES: (code 5): caches: input 2: dimension 2 must equal dimension 2 of input 1 (5 against 200)
func.func @caches(%q: tensor<1x1x1x16xf32>, %k: tensor<1x1x?x16xf32>, %v: tensor<1x1x?x16xf32>) -> tensor<1x1x1x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %kv:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %k, %b = %v) -> (tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>) {
    %x = tensor.insert_slice %q into %a[0, 0, %i, 0] [1, 1, 1, 16] [1, 1, 1, 1] : tensor<1x1x1x16xf32> into tensor<1x1x?x16xf32>
    %y = tensor.insert_slice %q into %b[0, 0, %i, 0] [1, 1, 1, 16] [1, 1, 1, 1] : tensor<1x1x1x16xf32> into tensor<1x1x?x16xf32>
    scf.yield %x, %y : tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>
  }
  %o = tensor.empty() : tensor<1x1x1x16xf32>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %kv#0, %kv#1 : tensor<1x1x1x16xf32>, tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>) outs(%o : tensor<1x1x1x16xf32>) -> tensor<1x1x1x16xf32>
  return %r : tensor<1x1x1x16xf32>
}

// Indices from data: a full cache, a row number past the table, a divisor of 0.
// RUN: %python -c "import numpy as np; [np.save(f'%t{p}.npy', np.array([p], np.int32)) for p in (-1, 0, 39, 40, 2**31 - 1)]; np.save('%t.x.npy', np.zeros((40, 64), np.float32)); np.save('%t.row.npy', np.zeros((1, 64), np.float32)); np.save('%t.one.npy', np.array([1], np.int32))"
// DEFINE: %{at} =
// DEFINE: %{insert} = attn-run %s --entry=insert --inputs=%t.x.npy,%t.row.npy,%t%{at}.npy
// REDEFINE: %{at} = 39
// RUN: %{insert}
// REDEFINE: %{at} = 40
// RUN: not %{insert} 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: (code 9): insert: {{.*}}: 'tensor.insert_slice': the offset of the slice in dimension 0 must be at least 0 and at most dimension 0 of input 0 less the size (40 against 39)
// REDEFINE: %{at} = -1
// RUN: not %{insert} 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: (code 9): insert: {{.*}} less the size (-1 against 39)
// REDEFINE: %{at} = 2147483647
// RUN: not %{insert} 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: (code 9): insert: {{.*}} less the size (2147483647 against 39)
func.func @insert(%x: tensor<?x64xf32>, %row: tensor<1x64xf32>, %at: tensor<1xi32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.extract %at[%c0] : tensor<1xi32>
  %i = arith.index_cast %a : i32 to index
  %r = tensor.insert_slice %row into %x[%i, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// RUN: attn-run %s --entry=look_up --inputs=%t.x.npy,%t39.npy --check
// RUN: not attn-run %s --entry=look_up --inputs=%t.x.npy,%t40.npy 2>&1 | FileCheck %s --check-prefix=LOOK
// LOOK: (code 9): look_up: {{.*}}: 'tensor.extract': the index into dimension 0 of input 0 must be at least 0 and below dimension 0 of input 0 (40 against 40)
func.func @look_up(%t: tensor<?x64xf32>, %i: tensor<?xi32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %i, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?xi32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%k: i32, %o: f32):
    %x = arith.index_cast %k : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%x, %j] : tensor<?x64xf32>
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// RUN: attn-run %s --entry=divide --inputs=%t39.npy,%t.one.npy --check
// RUN: not attn-run %s --entry=divide --inputs=%t39.npy,%t0.npy 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: (code 9): divide: {{.*}}: 'arith.divsi': the divisor must not be 0 (0 against 0)
func.func @divide(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %r = arith.divsi %a, %b : tensor<?xi32>
  return %r : tensor<?xi32>
}

// Simplification makes the size that a cast states part of the product's type, and
// then nothing says it any more; it is noted before.
// RUN: %{run} --entry=stated --shape=0:3x5 --shape=1:5x49 2>&1 | FileCheck %s --check-prefix=STATED
// STATED: (code 5): stated: input 1: dimension 1 must be 48 (49 against 48)
func.func @stated(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x48xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<?x?xf32>) {
  ^bb0(%old: f32):
    linalg.yield %zero : f32
  } -> tensor<?x?xf32>
  %s = tensor.cast %r : tensor<?x?xf32> to tensor<?x48xf32>
  return %s : tensor<?x48xf32>
}
