// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v3 --attn-emit-entry | FileCheck %s

// The texts name the argument and what was expected; what is checked of each
// tensor of a type stands behind the name.
// CHECK-DAG: "f: input 0\00"
// CHECK-DAG: ": ndim must be 2\00"
// CHECK-DAG: ": dimension 1 must be 4\00"
// CHECK-DAG: ": the element type must be f32\00"
// CHECK-DAG: ": stride 1 must be 1\00"
// CHECK-DAG: "f: input 1: dimension 0 must be 4\00"
// CHECK-DAG: "f: input 1: dimension 1 must equal dimension 0 of input 0\00"
// CHECK-DAG: "f: output 0: dimension 0 is not what the inputs imply (see f__shapes)\00"
// CHECK-DAG: "f: output 0 overlaps input 0\00"
// CHECK-DAG: "f: output 0 overlaps input 1\00"

// CHECK-LABEL: func.func private @f__kernel(
// CHECK-SAME: llvm.linkage = #llvm.linkage<internal>
// CHECK-SAME: passthrough = ["noinline"]
func.func @f(%ctx: !llvm.ptr,
    %a: memref<?x4xf32, strided<[?, 1], offset: ?>> {attn.dim_classes = array<i64: 0, 1>, attn.dim_sizes = array<i64: -1, 4>},
    %b: memref<?x?xf32, strided<[?, ?], offset: ?>> {attn.dim_classes = array<i64: 1, 0>, attn.dim_sizes = array<i64: 4, -1>},
    %out: memref<?x4xf32, strided<[?, 1], offset: ?>>) -> i32 attributes {attn.entry = 2 : i64} {
  %ok = arith.constant 0 : i32
  return %ok : i32
}
func.func private @f__dims(%ctx: !llvm.ptr, %a0: index, %a1: index, %b0: index, %b1: index) -> (index, index, i32) {
  %ok = arith.constant 0 : i32
  return %a0, %a1, %ok : index, index, i32
}

// Tensors of one type are checked by one function: the output has the type of
// the first input. What the function of the sizes finds wrong is returned. The
// sizes of outputs are checked before the data is looked at; denormals are
// flushed around the call only.
// CHECK-LABEL: llvm.func @f(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.icmp "eq" %[[CTX]], %[[NULL]]
// CHECK: llvm.call @attn.check_sizes0(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.call @attn.check_sizes1(%[[CTX]],
// CHECK: llvm.call @attn.check_sizes0(%[[CTX]],
// CHECK: %[[SIZES:.*]]:3 = {{.*}}call @f__dims(%[[CTX]],
// CHECK: llvm.icmp "eq" %[[SIZES]]#2,
// CHECK-COUNT-3: llvm.call @attn.check_data
// CHECK: llvm.call_intrinsic "llvm.x86.sse.stmxcsr"
// CHECK: llvm.or %{{.*}}, %{{.*}} : i32
// CHECK: llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"
// CHECK-NEXT: %[[STATUS:.*]] = {{.*}}call @f__kernel(%[[CTX]],
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"
// CHECK-NEXT: llvm.return %[[STATUS]]

// The shapes function reads no data.
// CHECK-LABEL: llvm.func @f__shapes(
// CHECK-SAME: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[DIMS:.*]]: !llvm.ptr) -> i32
// CHECK-NOT: @attn.check_data
// CHECK: %[[SIZES:.*]]:3 = {{.*}}call @f__dims(
// CHECK: llvm.getelementptr %[[DIMS]][0]
// CHECK: llvm.store
// CHECK: llvm.getelementptr %[[DIMS]][1]
// CHECK: llvm.store
