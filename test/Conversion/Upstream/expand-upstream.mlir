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

// What has no bytes to speak of is not left in the file.
// CHECK-LABEL: @resources
// CHECK-DAG: arith.constant dense<1.500000e+00> : tensor<f32>
// CHECK-DAG: arith.constant dense<> : tensor<0xf32>
// CHECK-DAG: arith.constant dense_resource<two> : tensor<2xf32>
// RUN: attn-run %s --entry=resources --check | FileCheck %s --check-prefix=MATCH
func.func @resources() -> (tensor<f32>, tensor<0xf32>, tensor<2xf32>) {
  %a = arith.constant dense_resource<one> : tensor<f32>
  %b = arith.constant dense_resource<none> : tensor<0xf32>
  %c = arith.constant dense_resource<two> : tensor<2xf32>
  return %a, %b, %c : tensor<f32>, tensor<0xf32>, tensor<2xf32>
}
{-# dialect_resources: { builtin: { one: "0x040000000000c03f", none: "0x04000000", two: "0x040000000000803f00000040" } } #-}
