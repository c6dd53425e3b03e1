// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v3 --attn-outline-parallel | FileCheck %s
// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:aarch64 --attn-outline-parallel | FileCheck %s --check-prefix=ARM

// The loop becomes a body with plain arguments and a task that unpacks them
// from a struct; the constant is cloned, the memref and the bounds travel.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[M:.*]]: memref<?xf32>, %[[N:.*]]: index) -> i32
// CHECK: llvm.alloca %{{.*}} x !llvm.struct<(ptr, i32, i64, i64, i64, struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>)>
// CHECK: %[[TASK:.*]] = constant @f__task0
// CHECK: llvm.call @attn.run_parallel(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[STATUS:.*]] = llvm.load %{{.*}} -> i32
// CHECK: call @attn.return_if_failed(%[[STATUS]])
// CHECK-NOT: scf.forall
func.func @f(%ctx: !llvm.ptr, %m: memref<?xf32>, %n: index) -> i32 {
  %c = arith.constant 1.0 : f32
  scf.forall (%i) in (%n) {
    memref.store %c, %m[%i] : memref<?xf32>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// The mode of the thread is restored even if the body fails.
// CHECK-LABEL: func.func private @f__task0(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: i64)
// CHECK: llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"
// CHECK-NEXT: %[[RESULT:.*]] = call @f__body0(
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"
// ARM-LABEL: func.func private @f__task0(
// ARM: %[[MODE:.*]] = llvm.call_intrinsic "llvm.aarch64.get.fpcr"() : () -> i64
// ARM-NEXT: %[[FZ:.*]] = llvm.mlir.constant(16777216 : i64)
// ARM-NEXT: %[[FLUSH:.*]] = llvm.or %[[MODE]], %[[FZ]]
// ARM-NEXT: llvm.call_intrinsic "llvm.aarch64.set.fpcr"(%[[FLUSH]])
// ARM-NEXT: call @f__body0(
// ARM-NEXT: llvm.call_intrinsic "llvm.aarch64.set.fpcr"(%[[MODE]])
// CHECK: scf.if
// CHECK: llvm.store %[[RESULT]], %{{.*}} atomic monotonic

// CHECK-LABEL: func.func private @f__body0(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[I:.*]]: index, %[[LOW:.*]]: index, %[[STEP:.*]]: index, %{{.*}}: index, %[[M:.*]]: memref<?xf32>) -> i32
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: %[[SCALED:.*]] = arith.muli %[[I]], %[[STEP]]
// CHECK: %[[IV:.*]] = arith.addi %[[SCALED]], %[[LOW]]
// CHECK: %[[C:.*]] = arith.constant 1.0
// CHECK: memref.store %[[C]], %[[M]][%[[IV]]]
// CHECK: return

// A null parallel_for means a loop.
// CHECK-LABEL: llvm.func internal @attn.run_parallel(
// CHECK: llvm.cond_br %{{.*}}, ^[[LOOP:.*]](%{{.*}} : i64), ^[[PARALLEL:.*]]
// CHECK: ^[[PARALLEL]]:
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr,
// CHECK: ^[[LOOP]](%{{.*}}: i64):
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}) : !llvm.ptr,

// -----

// Two dimensions count through one index, the last fastest; the nested loop is
// serial; a value used in a nested region only is captured as well.
// CHECK-LABEL: func.func private @g__body0(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %[[I:[^:]*]]: index,
// CHECK: %{{.*}} = arith.remui %[[I]], %[[COLUMNS:.*]] : index
// CHECK: arith.divui %[[I]], %[[COLUMNS]]
// CHECK: scf.for
// CHECK-NOT: scf.forall
func.func @g(%ctx: !llvm.ptr, %m: memref<?x?x?xf32>, %a: index, %b: index, %x: f32) -> i32 {
  scf.forall (%i, %j) = (0, 2) to (%a, %b) step (1, 2) {
    scf.forall (%k) in (%a) {
      memref.store %x, %m[%i, %j, %k] : memref<?x?x?xf32>
    }
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
