//===- OperandRows.h - Rows of operands in global memory --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_OPERANDROWS_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_OPERANDROWS_H

#include "../Fragment/TileCopy.h"
#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// An operand that has rows (queries or keys) and columns along a dimension of
/// the head.
struct OperandRows {
  mlir::Value memref;
  mlir::AffineMap map;
  unsigned rowDim, columnDim;
};

/// Query, key, value and output.
llvm::SmallVector<OperandRows> getOperandRows(AttentionOp op);

/// The rows of a block with these indices of batch dimensions. With `headRows`
/// (i32) the rows of further heads follow those of the first, so many of each.
GlobalRows emitGlobalRows(KernelBuilder &, const OperandRows &operand,
                          llvm::ArrayRef<mlir::Value> batch, int64_t columns,
                          mlir::Value headRows = {});

/// Param `index` as rows of keys, where its elements of neighbouring keys are
/// neighbours in memory; or none.
std::optional<OperandRows> getPairedParam(AttentionOpInterface op,
                                          unsigned index);

/// Whether each row begins at a multiple of `bytes` bytes and is contiguous, an
/// i1 for the host; null where the type says that it does not.
mlir::Value emitIsAligned(KernelBuilder &, const OperandRows &operand,
                          int64_t bytes);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_OPERANDROWS_H
