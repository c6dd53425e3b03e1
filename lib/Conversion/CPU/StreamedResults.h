//===- StreamedResults.h - Results written past the caches ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result that no cache would hold is written past them, as the ops with a
// schedule do it: else each line is read before it is written.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CPU_STREAMEDRESULTS_H
#define ATTN_LIB_CONVERSION_CPU_STREAMEDRESULTS_H

#include "GenericVectors.h"

namespace attn {

/// The results of an elementwise op that it may write past the caches.
class StreamedResults {
public:
  StreamedResults(mlir::linalg::GenericOp op, const GenericVectors &vectors);

  /// Leaves those with at least `limit` bytes, also over all rows of the loops
  /// around the op. Code for what is not known goes to where the memory is.
  void emitIsLarge(mlir::OpBuilder &builder, int64_t limit);
  /// Whether those of the row at hand lie so that its vectors may be written
  /// like that; null if certainly not.
  mlir::Value emitIsStream(mlir::OpBuilder &builder, GenericVectors &vectors);
  /// At the end of a work item, or of the one that the op is in.
  void emitEnd(mlir::OpBuilder &builder);

  bool contains(mlir::OpOperand &result) const {
    return llvm::is_contained(results, &result);
  }

private:
  mlir::linalg::GenericOp op;
  llvm::SmallVector<mlir::OpOperand *> results;
  /// Null where there is no result left.
  mlir::Value isLarge;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CPU_STREAMEDRESULTS_H
