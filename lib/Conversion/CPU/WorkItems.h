//===- WorkItems.h - Outer loops as work items ------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outer loops of a structured op become work items where they are large,
// so that threads share them. Which of them takes an item changes nothing: no
// item adds to what another one writes.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CPU_WORKITEMS_H
#define ATTN_LIB_CONVERSION_CPU_WORKITEMS_H

#include "GenericVectors.h"

namespace attn {

/// The elements of a work item, as far as rows allow it: long beside what a
/// task costs. A multiple of all vectors.
constexpr int64_t kItemElements = 64 * 1024;

/// The elements that a structured op goes over; a size that is not known is
/// taken for a middling one.
int64_t estimateElements(llvm::ArrayRef<int64_t> sizes);

/// Enters the first `outer` loops of an op of these `sizes` and calls `body`
/// in there, for the columns from `begin` to `end`: all of them, unless `outer`
/// is the only loop. Where it pays and `op` may run tasks, the loops before
/// them are work items. `finish` comes after the loops, in each item.
void emitWorkItems(
    mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
    GenericVectors &vectors, llvm::ArrayRef<mlir::Value> sizes, unsigned outer,
    llvm::function_ref<void(mlir::Value begin, mlir::Value end)> body,
    llvm::function_ref<void()> finish);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CPU_WORKITEMS_H
