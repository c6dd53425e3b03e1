// RUN: attn-opt %s --split-input-file --attn-results-to-destinations | FileCheck %s
// RUN: attn-opt %s --split-input-file --attn-set-target=target=nvptx:sm_80 --attn-results-to-destinations | FileCheck %s --check-prefix=GPU

// The result goes to a trailing argument; its sizes are a function of the
// arguments' sizes.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr,
// CHECK-SAME: %[[A:.*]]: memref<?x8xf32, strided<[?, 1], offset: ?>>, %[[B:.*]]: memref<8x?xf32, strided<[?, 1], offset: ?>>,
// CHECK-SAME: %[[OUT:.*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>) -> i32
// CHECK-SAME: attn.entry = 2 : i64
// CHECK-DAG: bufferization.to_tensor %[[A]] restrict :
// CHECK-DAG: bufferization.to_tensor %[[B]] restrict :
// CHECK: %[[R:.*]] = linalg.matmul
// CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[OUT]]
// CHECK: %[[OK:.*]] = arith.constant 0 : i32
// CHECK: return %[[OK]] : i32
// CHECK-LABEL: func.func private @matmul__dims(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[M:.*]]: index, %{{.*}}: index, %{{.*}}: index, %[[N:.*]]: index) -> (index, index, i32)
// CHECK-NOT: tensor
// CHECK: return %[[M]], %[[N]], %{{.*}} : index, index, i32
func.func @matmul(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %n = tensor.dim %b, %c1 : tensor<8x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Numbers become memrefs of rank 0; they have no dimensions to compute.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[A:.*]]: memref<f32, strided<[], offset: ?>>, %[[OUT:.*]]: memref<f32, strided<[], offset: ?>>) -> i32
// CHECK: %[[X:.*]] = memref.load %[[A]][]
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: memref.store %[[Y]], %[[OUT]][]
// CHECK: func.func private @scalars__dims(%{{.*}}: !llvm.ptr) -> i32
func.func @scalars(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}

// -----

// Attributes of arguments move with them; those of results go.
// CHECK-LABEL: func.func @attributes(%{{.*}}: !llvm.ptr, %{{.*}}: memref<{{.*}}> {attn.dim_classes = array<i64: 7>}, %{{[^{]*}}) -> i32
func.func @attributes(%a: tensor<?xf32> {attn.dim_classes = array<i64: 7>}) -> (tensor<?xf32> {jax.result_info = "r"}) {
  return %a : tensor<?xf32>
}

// -----

// Private functions are not entries.
// CHECK-LABEL: func.func private @helper(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// What an assertion reads is no concern of the sizes.
// CHECK-LABEL: func.func @asserts(
// CHECK: cf.assert
// CHECK-LABEL: func.func private @asserts__dims(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: index, %[[N:.*]]: index) -> (index, i32)
// CHECK-NOT: cf.assert
// CHECK: return %[[N]], %{{.*}} : index, i32
func.func @asserts(%length: tensor<1xi32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %length[%c0] : tensor<1xi32>
  %zero = arith.constant 0 : i32
  %ok = arith.cmpi sgt, %n, %zero : i32
  cf.assert %ok, "the length must be positive"
  return %x : tensor<?xf32>
}

// Dimensions that a reshape joins are compact on a CPU, so that it copies nothing. What is outside of them has any stride. A GPU's entry
// could not copy a tensor that is not compact.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: memref<8x3x4xf32, strided<[?, 4, 1], offset: ?>>
// GPU-LABEL: func.func @joined(
// GPU-SAME: memref<8x3x4xf32, strided<[?, ?, 1], offset: ?>>
func.func @joined(%w: tensor<8x3x4xf32>) -> tensor<8x12xf32> {
  %c = tensor.collapse_shape %w [[0], [1, 2]] : tensor<8x3x4xf32> into tensor<8x12xf32>
  return %c : tensor<8x12xf32>
}

// Sizes of 1 join nothing.
// CHECK-LABEL: func.func @units(
// CHECK-SAME: memref<1x3x4xf32, strided<[?, ?, 1], offset: ?>>
func.func @units(%w: tensor<1x3x4xf32>) -> tensor<3x4xf32> {
  %c = tensor.collapse_shape %w [[0, 1], [2]] : tensor<1x3x4xf32> into tensor<3x4xf32>
  return %c : tensor<3x4xf32>
}

// Both ways of a branch on data give a tensor of the same size, which a tensor in front of it has.
// CHECK-LABEL: func.func private @one_size__dims(
// CHECK-NOT: scf.if
// CHECK: return
func.func @one_size(%x: tensor<?xf32>, %b: tensor<i1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %c = tensor.extract %b[] : tensor<i1>
  %r = scf.if %c -> tensor<?xf32> {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  } else {
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
