// RUN: attn-opt %s --split-input-file --attn-place-scratch | FileCheck %s
// RUN: attn-opt %s --split-input-file --attn-place-scratch 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// Small static buffers go to the stack, in the entry block even when they were
// allocated in a loop. Nothing is freed.
// CHECK-LABEL: func.func @small(
// REMARK: [attn-r303] scratch of small: 12288 bytes on the stack, 0 from the context, 0 buffers of dynamic size
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<64x48xf32>
// CHECK-NOT: memref.alloc{{[ (]}}
// CHECK-NOT: memref.dealloc
// CHECK-NOT: llvm.call
func.func @small(%ctx: !llvm.ptr, %c: i1) -> i32 {
  %ok = arith.constant 0 : i32
  cf.br ^loop
^loop:
  %0 = memref.alloc() : memref<64x48xf32>
  memref.dealloc %0 : memref<64x48xf32>
  cf.cond_br %c, ^loop, ^exit
^exit:
  return %ok : i32
}

// -----

// 64 KiB is the budget of a function: the first fits, the second does not.
// CHECK-LABEL: func.func @budget(
// REMARK: [attn-r303] scratch of budget: 65536 bytes on the stack, 64 from the context, 0 buffers of dynamic size
// CHECK: memref.alloca() {{.*}} : memref<16384xf32>
// CHECK: llvm.call @attn.allocate_scratch
// CHECK-NOT: memref.alloca()
func.func @budget(%ctx: !llvm.ptr) -> i32 {
  %0 = memref.alloc() : memref<16384xf32>
  %1 = memref.alloc() : memref<16xf32>
  memref.dealloc %1 : memref<16xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// Dynamic buffers come from the context. On failure the function leaves with
// code 7 and frees what it holds; so it does at its end.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[N:.*]]: index) -> i32
// CHECK: %[[LIST:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: llvm.store %{{.*}}, %[[LIST]]
// CHECK: %[[P:.*]] = llvm.call @attn.allocate_scratch(%[[CTX]], %[[LIST]], %{{.*}})
// CHECK: %[[GOOD:.*]] = llvm.icmp "ne" %[[P]],
// CHECK: %[[CODE:.*]] = arith.constant 7 : i32
// CHECK: cf.cond_br %[[GOOD]], ^[[NEXT:.*]], ^[[EXIT:.*]](%[[CODE]] : i32)
// CHECK: ^[[NEXT]]:
// CHECK: %[[OK:.*]] = arith.constant 0 : i32
// CHECK: cf.br ^[[EXIT]](%[[OK]] : i32)
// CHECK: ^[[EXIT]](%[[STATUS:.*]]: i32):
// CHECK: llvm.call @attn.free_all_scratch(%[[CTX]], %[[LIST]])
// CHECK: return %[[STATUS]]
func.func @dynamic(%ctx: !llvm.ptr, %n: index) -> i32 {
  %0 = memref.alloc(%n) : memref<?x4xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// The helper refuses when one of the callbacks is missing.
// CHECK-LABEL: llvm.func internal @attn.allocate_scratch(
// CHECK: llvm.or
// CHECK: llvm.call @attn.report_error
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr,
// CHECK: llvm.call @attn.report_error

// -----

// What is freed early leaves the list.
// CHECK-LABEL: func.func @freed_early(
// CHECK: llvm.call @attn.allocate_scratch
// CHECK: llvm.call @attn.free_scratch
// CHECK: llvm.call @attn.free_all_scratch
// CHECK-LABEL: llvm.func internal @attn.free_scratch(
// CHECK: %[[HEADER:.*]] = llvm.getelementptr %{{.*}}[-64]
// CHECK: %[[NEXT:.*]] = llvm.load
// CHECK: %[[LINK:.*]] = llvm.load
// CHECK: llvm.store %[[NEXT]],
// CHECK: llvm.store %[[LINK]],
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[HEADER]])
func.func @freed_early(%ctx: !llvm.ptr, %n: index) -> i32 {
  %0 = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %0 : memref<?xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// A buffer that becomes a block argument may not share one place on the stack
// with its successors.
// CHECK-LABEL: func.func @passed_to_a_block(
// CHECK-NOT: memref.alloca
// CHECK: llvm.call @attn.allocate_scratch
// CHECK: llvm.call @attn.free_scratch
func.func @passed_to_a_block(%ctx: !llvm.ptr) -> i32 {
  %0 = memref.alloc() : memref<4xf32>
  cf.br ^next(%0 : memref<4xf32>)
^next(%1: memref<4xf32>):
  memref.dealloc %1 : memref<4xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// Assertions of the program and failures of parallel bodies leave as well.
// CHECK: llvm.mlir.global internal constant @attn.text.{{[0-9]+}}("sizes differ\00")
// CHECK-LABEL: func.func @leaves(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[C:.*]]: i1, %[[S:.*]]: i32)
// CHECK: cf.cond_br %[[C]], ^[[GOOD:.*]], ^[[BAD:.*]]
// CHECK: ^[[BAD]]:
// CHECK: llvm.call @attn.report_error
// CHECK: %[[NINE:.*]] = arith.constant 9 : i32
// CHECK: cf.br ^[[EXIT:.*]](%[[NINE]] : i32)
// CHECK: ^[[GOOD]]:
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[S]],
// CHECK: cf.cond_br %[[NONE]], ^{{.*}}, ^[[EXIT]](%[[S]] : i32)
// CHECK-NOT: attn.return_if_failed
func.func private @attn.return_if_failed(i32)
func.func @leaves(%ctx: !llvm.ptr, %c: i1, %s: i32) -> i32 {
  cf.assert %c, "sizes differ"
  func.call @attn.return_if_failed(%s) : (i32) -> ()
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// What a failed comparison compared stands behind the text.
// CHECK-LABEL: func.func @compares(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: i32)
// CHECK: %[[LHS:.*]] = arith.index_cast %[[A]] : index to i64
// CHECK: %[[RHS:.*]] = arith.index_cast %[[B]] : index to i64
// CHECK: llvm.call @attn.report_numbers(%[[CTX]], %{{.*}}, %[[LHS]], %[[RHS]])
// CHECK: arith.extsi %[[C]] : i32 to i64
// CHECK-LABEL: llvm.func internal @attn.report_numbers(
func.func @compares(%ctx: !llvm.ptr, %a: index, %b: index, %c: i32) -> i32 {
  %fits = arith.cmpi sle, %a, %b : index
  cf.assert %fits, "too many"
  %ok = arith.constant 0 : i32
  %counts = arith.cmpi sge, %c, %ok : i32
  cf.assert %counts, "too few"
  return %ok : i32
}

// -----

// Products of sizes saturate: what 64 bits cannot count is not there.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[N:.*]]: index, %[[M:.*]]: index) -> i32
// CHECK-DAG: %[[MOST:.*]] = llvm.mlir.constant(9223372036854775807 : i64)
// CHECK-DAG: %[[KNOWN:.*]] = llvm.mlir.constant(12 : i64)
// CHECK: %[[FIRST:.*]] = "llvm.intr.smul.with.overflow"(%[[KNOWN]], %{{.*}})
// CHECK: %[[BYTES:.*]] = llvm.extractvalue %[[FIRST]][0]
// CHECK: %[[WRAPS:.*]] = llvm.extractvalue %[[FIRST]][1]
// CHECK: %[[SOME:.*]] = llvm.select %[[WRAPS]], %[[MOST]], %[[BYTES]]
// CHECK: %[[SECOND:.*]] = "llvm.intr.smul.with.overflow"(%[[SOME]], %{{.*}})
// CHECK: %[[ALL:.*]] = llvm.select
// CHECK: llvm.call @attn.allocate_scratch(%{{.*}}, %{{.*}}, %[[ALL]])
func.func @product(%ctx: !llvm.ptr, %n: index, %m: index) -> i32 {
  %0 = memref.alloc(%n, %m) : memref<?x3x?xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// What was on the stack already stays there within the budget.
// CHECK-LABEL: func.func @large_alloca(
// REMARK: [attn-r303] scratch of large_alloca: 64 bytes on the stack, 4000000 from the context, 0 buffers of dynamic size
// CHECK: llvm.call @attn.allocate_scratch
func.func @large_alloca(%ctx: !llvm.ptr) -> i32 {
  %0 = memref.alloca() : memref<16xf32>
  %1 = memref.alloca() : memref<1000000xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
