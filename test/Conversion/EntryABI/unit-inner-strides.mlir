// RUN: attn-opt %s --attn-unit-inner-strides | FileCheck %s

// Contiguous rows are passed on as they are, others through scratch. The output
// is copied back only where it went through scratch.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[A:.*]]: memref<?x4xf32, strided<[?, ?], offset: ?>> {attn.dim_classes = array<i64: 0, 1>},
// CHECK-SAME: %[[S:.*]]: memref<f32, strided<[], offset: ?>>, %[[OUT:.*]]: memref<?x4xf32, strided<[?, ?], offset: ?>>) -> i32
// CHECK-SAME: attn.entry = 2 : i64
// CHECK: memref.extract_strided_metadata %[[A]]
// CHECK: %[[A1:.*]] = scf.if %[[UNIT_A:.*]] -> (memref<?x4xf32, strided<[?, 1], offset: ?>>) {
// CHECK:   memref.reinterpret_cast
// CHECK: } else {
// CHECK:   %[[COPY:.*]] = memref.alloc
// CHECK:   memref.copy %[[A]], %[[COPY]]
// CHECK: %[[OUT1:.*]] = scf.if %[[UNIT_OUT:.*]] -> (memref<?x4xf32, strided<[?, 1], offset: ?>>) {
// CHECK: } else {
// CHECK:   memref.alloc
// CHECK-NOT: memref.copy
// CHECK: }
// CHECK: %[[STATUS:.*]] = call @f__unit(%[[CTX]], %[[A1]], %[[S]], %[[OUT1]])
// CHECK: call @attn.return_if_failed(%[[STATUS]])
// CHECK: scf.if %[[UNIT_OUT]] {
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.copy %[[OUT1]], %[[OUT]]
// CHECK: return %[[STATUS]]
// CHECK-LABEL: func.func private @f__unit(
// CHECK-SAME: memref<?x4xf32, strided<[?, 1], offset: ?>>
// CHECK-NOT: attn.entry
func.func @f(%ctx: !llvm.ptr,
             %a: memref<?x4xf32, strided<[?, 1], offset: ?>> {attn.dim_classes = array<i64: 0, 1>},
             %s: memref<f32, strided<[], offset: ?>>,
             %out: memref<?x4xf32, strided<[?, 1], offset: ?>>) -> i32 attributes {attn.entry = 2 : i64} {
  memref.copy %a, %out : memref<?x4xf32, strided<[?, 1], offset: ?>> to memref<?x4xf32, strided<[?, 1], offset: ?>>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// Without rows there is nothing to adapt.
// CHECK-LABEL: func.func @scalars(
// CHECK-NOT: call
// CHECK-NOT: @scalars__unit
func.func @scalars(%ctx: !llvm.ptr, %a: memref<f32, strided<[], offset: ?>>) -> i32 attributes {attn.entry = 0 : i64} {
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// Of a kernel that takes a compact tensor, all strides that it states are compared; that of a dimension of one element means nothing.
// CHECK-LABEL: func.func @compact(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[A:.*]]: memref<?x1x3x4xf32, strided<[?, ?, ?, ?], offset: ?>>
// CHECK: %{{.*}}, %[[S:.*]]:4 = memref.extract_strided_metadata %[[A]]
// CHECK: arith.cmpi eq, %[[S]]#2, %c4
// CHECK: arith.cmpi eq, %[[S]]#3, %c1
// CHECK-NOT: arith.cmpi
// CHECK: scf.if {{.*}} -> (memref<?x1x3x4xf32, strided<[?, 12, 4, 1], offset: ?>>) {
// CHECK: memref.reinterpret_cast {{.*}} to offset: [%{{.*}}], sizes: [%{{.*}}, 1, 3, 4], strides: [%{{.*}}, 12, 4, 1]
func.func @compact(%ctx: !llvm.ptr, %a: memref<?x1x3x4xf32, strided<[?, 12, 4, 1], offset: ?>>) -> i32 attributes {attn.entry = 1 : i64} {
  %ok = arith.constant 0 : i32
  return %ok : i32
}
