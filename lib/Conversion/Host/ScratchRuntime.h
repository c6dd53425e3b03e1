//===- ScratchRuntime.h - Calls of the host's allocator ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_HOST_SCRATCHRUNTIME_H
#define ATTN_LIB_CONVERSION_HOST_SCRATCHRUNTIME_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// Scratch starts at a cache line, on the stack and from the context.
constexpr int64_t kScratchAlignment = 64;

/// A pointer to `bytes` bytes from the context's allocator, entered in the list
/// whose head is at `list`. Null after the context's error text was set, if
/// there is no allocator or it has no memory.
mlir::Value createAllocateScratch(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::ModuleOp module, mlir::Value context,
                                  mlir::Value list, mlir::Value bytes);

/// Frees `pointer` unless it is null, and takes it off its list.
void createFreeScratch(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::ModuleOp module, mlir::Value context,
                       mlir::Value pointer);

/// Frees what is on the list.
void createFreeAllScratch(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::ModuleOp module, mlir::Value context,
                          mlir::Value list);

/// Memory that a context allocates: who needs it and what it is, for errors,
/// what is added to its bytes, and how it is aligned.
struct AllocationKind {
  llvm::StringRef user, memory;
  int64_t headerBytes, alignment;
};

/// Ends the helper with null after an error, and what `giveUp` emits, where the
/// context gives no memory; else goes on with its address.
mlir::Value emitAllocation(struct HelperBuilder &h, mlir::ModuleOp module,
                           mlir::Value context, mlir::Value bytes,
                           const AllocationKind &kind,
                           llvm::function_ref<void()> giveUp);
/// Gives it back.
void emitRelease(struct HelperBuilder &h, mlir::Value context,
                 mlir::Value pointer);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_HOST_SCRATCHRUNTIME_H
