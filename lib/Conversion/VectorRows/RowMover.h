//===- RowMover.h - Rows of known length in vectors -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_VECTORROWS_ROWMOVER_H
#define ATTN_LIB_CONVERSION_VECTORROWS_ROWMOVER_H

#include "attn/Dialect/Attn/IR/LaneBuilder.h"

namespace attn {

/// Loads and stores elements of rows, as vectors of one float type, or one by
/// one where they do not lie side by side.
class RowMover {
public:
  /// One element at a time if `lanes` is 0.
  RowMover(mlir::Location loc, mlir::FloatType type, int64_t lanes)
      : loc(loc), type(type), lanes(lanes) {}

  bool isVector() const { return lanes != 0; }
  int64_t getStep() const { return isVector() ? lanes : 1; }
  LaneBuilder getLanes(mlir::OpBuilder &builder) const {
    return LaneBuilder(builder, loc, type, lanes);
  }
  /// Stores go past the caches from here on, but for masked ones; only where
  /// emitIsStream allows it.
  void writePastCaches(bool isPast) { pastCaches = isPast; }

  /// Goes over `size` elements. The mask of the last vector is null where it is
  /// full.
  using Visit = llvm::function_ref<void(mlir::OpBuilder &, mlir::Value column,
                                        mlir::Value mask)>;
  void emitColumns(mlir::OpBuilder &builder, int64_t size, Visit visit) const;

  /// The elements at `row` and `column`, which counts from `first` on.
  mlir::Value load(mlir::OpBuilder &builder, mlir::Value memref,
                   llvm::ArrayRef<mlir::Value> row, mlir::Value column,
                   int64_t first, mlir::Value mask) const;
  void store(mlir::OpBuilder &builder, mlir::Value value, mlir::Value memref,
             llvm::ArrayRef<mlir::Value> row, mlir::Value column, int64_t first,
             mlir::Value mask) const;

  /// Whether `memref` has at least `bytes` and all its rows start where a whole
  /// vector may be written past the caches; null if it certainly is not so.
  mlir::Value emitIsStream(mlir::OpBuilder &builder, mlir::Value memref,
                           int64_t bytes) const;

private:
  mlir::Location loc;
  mlir::FloatType type;
  int64_t lanes;
  bool pastCaches = false;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_VECTORROWS_ROWMOVER_H
