// RUN: attn-opt %s --attn-results-to-destinations | FileCheck %s
// RUN: attn-opt %s --attn-to-cpu=target=cpu:x86-64-v4 --mlir-print-ir-after=attn-lower-to-vector -o /dev/null 2>&1 | FileCheck %s --check-prefix=INPLACE

// The result that is the argument's new value gets no destination of its own: it
// is written to the argument's memory. Its sizes are not asked for either.
// CHECK-LABEL: func.func @append(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[CACHE:[^:]*]]: memref<8x?x64xf32, strided<[?, ?, 1], offset: ?>> {attn.inout = 1 : index},
// CHECK-SAME: %{{[^:]*}}: memref<8x1x64xf32, strided<[?, ?, 1], offset: ?>>, %{{[^:]*}}: memref<i32, strided<[], offset: ?>>,
// CHECK-SAME: %[[OUT:[^:]*]]: memref<8x1x64xf32, strided<[?, ?, 1], offset: ?>>) -> i32 attributes {attn.entry = 3 : i64}
// CHECK: bufferization.to_tensor %[[CACHE]] restrict writable
// CHECK: %[[NEW:.*]] = tensor.insert_slice
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OUT]]
// CHECK: bufferization.materialize_in_destination %[[NEW]] in restrict writable %[[CACHE]]
// CHECK-LABEL: func.func private @append__dims({{.*}}) -> (index, index, index, i32)

// One row is copied into the cache, and nothing of the cache's size is allocated
// or copied.
// INPLACE-LABEL: func.func @append(
// INPLACE-SAME: %{{.*}}: !llvm.ptr, %[[CACHE:[^:]*]]: memref<8x?x64xf32, strided<[?, ?, 1], offset: ?>>
// INPLACE-SAME: %[[ROW:[^:]*]]: memref<8x1x64xf32, strided<[?, ?, 1], offset: ?>>
// INPLACE-NOT: memref.alloc{{.*}}memref<8x?x64xf32
// INPLACE-NOT: memref.copy %[[CACHE]]
// INPLACE: %[[PLACE:.*]] = memref.subview %[[CACHE]][0, %{{.*}}, 0] [8, 1, 64] [1, 1, 1]
// INPLACE: memref.copy %[[ROW]], %[[PLACE]]
// INPLACE-NOT: memref.copy
// INPLACE-NOT: memref.alloc{{.*}}memref<8x?x64xf32
// INPLACE: return
func.func @append(%cache: tensor<8x?x64xf32> {attn.inout = 1 : index}, %row: tensor<8x1x64xf32>, %at: i32)
    -> (tensor<8x1x64xf32>, tensor<8x?x64xf32>) {
  %place = arith.index_cast %at : i32 to index
  %new = tensor.insert_slice %row into %cache[0, %place, 0] [8, 1, 64] [1, 1, 1] : tensor<8x1x64xf32> into tensor<8x?x64xf32>
  %e = tensor.empty() : tensor<8x1x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%row, %new, %new : tensor<8x1x64xf32>, tensor<8x?x64xf32>, tensor<8x?x64xf32>) outs(%e : tensor<8x1x64xf32>) -> tensor<8x1x64xf32>
  return %o, %new : tensor<8x1x64xf32>, tensor<8x?x64xf32>
}
