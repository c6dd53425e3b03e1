// RUN: attn-opt %s --attn-expand-upstream --split-input-file | FileCheck %s
// RUN: attn-run %s --entry=narrow_sizes --shape=0:4x3 --check | FileCheck %s --check-prefix=MATCH
// RUN: not attn-run %s --entry=narrow_sizes --shape=0:4x4 2>&1 | FileCheck %s --check-prefix=REFUSED
// MATCH: match
// REFUSED: 'tensor.reshape': the number of elements must equal that of the new shape (16 against 12)

// A softmax is that of the dialect, which has a fast path.
// CHECK-LABEL: @softmax
// CHECK: attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(1)
// CHECK-NOT: linalg.softmax
func.func @softmax(%x: tensor<4x?x8xbf16>, %o: tensor<4x?x8xbf16>) -> tensor<4x?x8xbf16> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x?x8xbf16>) outs(%o : tensor<4x?x8xbf16>) -> tensor<4x?x8xbf16>
  return %r : tensor<4x?x8xbf16>
}

// -----

// A row for each index: what is gathered is read at the index, the rest at the
// result's own place.
// CHECK-LABEL: @gather
// CHECK-SAME: (%[[X:.*]]: tensor<9x?xf32>, %[[I:.*]]: tensor<?x1xi32>)
// CHECK: %[[N:.*]] = tensor.dim %[[I]], %c0
// CHECK: %[[W:.*]] = tensor.dim %[[X]], %c1
// CHECK: tensor.empty(%[[N]], %[[W]])
// CHECK: linalg.generic
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[INDEX:.*]] = tensor.extract %[[I]][%[[ROW]], %{{.*}}]
// CHECK: %[[FROM:.*]] = arith.index_cast %[[INDEX]] : i32 to index
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK: tensor.extract %[[X]][%[[FROM]], %[[COLUMN]]]
// CHECK-NOT: tensor.gather
func.func @gather(%x: tensor<9x?xf32>, %i: tensor<?x1xi32>) -> tensor<?x?xf32> {
  %r = tensor.gather %x[%i] gather_dims([0]) : (tensor<9x?xf32>, tensor<?x1xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @bitcast
// CHECK: linalg.generic
// CHECK: arith.bitcast {{.*}} : f32 to i32
func.func @bitcast(%x: tensor<9xf32>) -> tensor<9xi32> {
  %r = tensor.bitcast %x : tensor<9xf32> to tensor<9xi32>
  return %r : tensor<9xi32>
}

// -----

// CHECK-LABEL: @pack
// CHECK: tensor.pad
// CHECK: tensor.expand_shape
// CHECK: linalg.transpose
// CHECK-NOT: linalg.pack
func.func @pack(%x: tensor<5x7xf32>, %z: f32, %o: tensor<3x2x2x4xf32>) -> tensor<3x2x2x4xf32> {
  %r = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %o
      : tensor<5x7xf32> -> tensor<3x2x2x4xf32>
  return %r : tensor<3x2x2x4xf32>
}

// -----

// CHECK-LABEL: @unpack
// CHECK: linalg.transpose
// CHECK: tensor.collapse_shape
// CHECK: tensor.extract_slice
// CHECK-NOT: linalg.unpack
func.func @unpack(%x: tensor<3x2x2x4xf32>, %o: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %r = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %o
      : tensor<3x2x2x4xf32> -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// -----

// Integers with a sign have no arithmetic: attn-check-upstream names the op.
// CHECK-LABEL: @unsigned
// CHECK: tensor.bitcast
func.func @unsigned(%x: tensor<9xi32>) -> tensor<9xui32> {
  %r = tensor.bitcast %x : tensor<9xi32> to tensor<9xui32>
  return %r : tensor<9xui32>
}

// -----

// One dimension becomes two of unknown sizes; with one of them it stays.
// CHECK-LABEL: @expand_unknown
// CHECK: %[[SHAPE:.*]] = tensor.from_elements %arg1, %arg2, %c64{{.*}} : tensor<3xindex>
// CHECK: tensor.reshape %arg0(%[[SHAPE]]) : (tensor<?x64xf32>, tensor<3xindex>) -> tensor<?x?x64xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
func.func @expand_unknown(%x: tensor<?x64xf32>, %n: index, %m: index) -> tensor<?x?x2x32xf32> {
  %t = tensor.expand_shape %x [[0, 1], [2]] output_shape [%n, %m, 64] : tensor<?x64xf32> into tensor<?x?x64xf32>
  %r = tensor.expand_shape %t [[0], [1], [2, 3]] output_shape [%n, %m, 2, 32] : tensor<?x?x64xf32> into tensor<?x?x2x32xf32>
  return %r : tensor<?x?x2x32xf32>
}

// -----

// Sizes of 32 bits are no indices for a view of memory; those of 64 are.
// CHECK-LABEL: @narrow_sizes
// CHECK: %[[SIZES:.*]] = arith.index_cast %{{.*}} : tensor<2xi32> to tensor<2xindex>
// CHECK: tensor.reshape %{{.*}}(%[[SIZES]]) : (tensor<?x?xf32>, tensor<2xindex>)
func.func @narrow_sizes(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = arith.constant dense<[3, 4]> : tensor<2xi32>
  %r = tensor.reshape %x(%s) : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @wide_sizes
// CHECK-NOT: arith.index_cast
// CHECK: tensor.reshape
func.func @wide_sizes(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = arith.constant dense<[3, 4]> : tensor<2xi64>
  %r = tensor.reshape %x(%s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Rows that data name may be the same: the last thread's stays. What the body
// reads of the result was there before.
// CHECK-LABEL: @scatter
// CHECK-SAME: (%[[C:.*]]: tensor<?x8xf32>, %[[K:.*]]: tensor<?x8xf32>, %[[P:.*]]: tensor<?xi32>)
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %c0{{.*}} to %{{.*}} step %c1{{.*}} iter_args(%[[BEFORE:.*]] = %[[C]])
// CHECK: %[[DATA:.*]] = tensor.extract %[[P]][%[[I]]]
// CHECK: %[[AT:.*]] = arith.index_cast %[[DATA]]
// CHECK: %[[OLD:.*]] = tensor.extract_slice %[[C]][%[[AT]], 0] [1, 8] [1, 1]
// CHECK: %[[NEW:.*]] = tensor.extract_slice %[[K]][%[[I]], 0] [1, 8] [1, 1]
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK: %[[AFTER:.*]] = tensor.insert_slice %[[SUM]] into %[[BEFORE]][%[[AT]], 0] [1, 8] [1, 1]
// CHECK: scf.yield %[[AFTER]]
// CHECK: return %[[R]]
// RUN: attn-run %s --entry=scatter --shape=0:5x8 --shape=1:7x8 --shape=2:7 --remarks --threads=3 --check 2>&1 | FileCheck %s --check-prefix=SCATTER
// SCATTER: match
// SCATTER: [attn-r306] the threads of this scf.forall run one after the other
func.func @scatter(%c: tensor<?x8xf32>, %k: tensor<?x8xf32>, %p: tensor<?xi32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %c) -> tensor<?x8xf32> {
    %data = tensor.extract %p[%i] : tensor<?xi32>
    %at = arith.index_cast %data : i32 to index
    %old = tensor.extract_slice %o[%at, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
    %new = tensor.extract_slice %k[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
    %sum = arith.addf %old, %new : tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %o[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
    }
  }
  return %r : tensor<?x8xf32>
}

// -----

// Tiles of up to four rows that begin four apart, in groups of two columns, are
// different places; tiles of five rows are not, nor rows that turn back.
// CHECK-LABEL: @tiles
// CHECK: scf.forall.in_parallel
// CHECK-NOT: scf.forall
// CHECK: return
func.func @tiles(%x: tensor<?x?xf32>, %y: tensor<64x64xf32>, %z: tensor<64x64xf32>) -> (tensor<?x?xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (4, 2) shared_outs(%o = %x) -> tensor<?x?xf32> {
    %size = affine.min affine_map<(i)[s] -> (4, s - i)>(%i)[%m]
    %width = affine.min affine_map<(i)[s] -> (2, s - i)>(%j)[%n]
    %s = tensor.extract_slice %x[%i, %j] [%size, %width] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    %e = math.exp %s : tensor<?x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i, %j] [%size, %width] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
    }
  }
  %t = scf.forall (%i) in (15) shared_outs(%o = %y) -> tensor<64x64xf32> {
    %at = affine.apply affine_map<(i) -> (4 * i)>(%i)
    %s = tensor.extract_slice %y[%at, 0] [5, 64] [1, 1] : tensor<64x64xf32> to tensor<5x64xf32>
    %e = math.exp %s : tensor<5x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%at, 0] [5, 64] [1, 1] : tensor<5x64xf32> into tensor<64x64xf32>
    }
  }
  %u = scf.forall (%i, %j) in (8, 8) shared_outs(%o = %z) -> tensor<64x64xf32> {
    %at = affine.apply affine_map<(i, j) -> (4 * i + j)>(%i, %j)
    %s = tensor.extract_slice %z[%at, 0] [1, 64] [1, 1] : tensor<64x64xf32> to tensor<1x64xf32>
    %e = math.exp %s : tensor<1x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%at, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<64x64xf32>
    }
  }
  return %r, %t, %u : tensor<?x?xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
