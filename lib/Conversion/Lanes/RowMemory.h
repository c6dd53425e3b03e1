//===- RowMemory.h - Rows as work items, and their memory -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ops that go over a tensor row by row have in common: blocks of rows are
// the work items, the next row is asked for while this one is computed, and
// results that no cache would hold are written past the caches.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_LANES_ROWMEMORY_H
#define ATTN_LIB_CONVERSION_LANES_ROWMEMORY_H

#include "attn/Dialect/Attn/IR/LaneBuilder.h"

namespace attn {

/// The rows of one work item.
struct RowBlock {
  /// The indices before the last one.
  llvm::SmallVector<mlir::Value> outer;
  /// Of the last index, and the last value that it has in any item.
  mlir::Value begin, end, last;
  /// There is one row, and it has no index.
  bool isWhole = false;

  /// Goes over the rows; the body gets the indices of a row, and of the one
  /// after it or, where there is none, of the row itself.
  void emitRows(mlir::OpBuilder &builder, mlir::Location loc,
                llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange row,
                                        mlir::ValueRange next)>
                    body) const;
};

/// One work item for each `rows` rows along the last of the dimensions with
/// these sizes, and each index of the ones before it.
void emitRowBlocks(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange sizes,
    int64_t rows,
    llvm::function_ref<void(mlir::OpBuilder &, const RowBlock &)> body);
/// The same with a number of rows that is known when it runs.
void emitRowBlocks(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange sizes,
    mlir::Value rows,
    llvm::function_ref<void(mlir::OpBuilder &, const RowBlock &)> body);

/// Whether these memrefs, of one shape and element type, have at least `limit`
/// bytes together; null if they certainly have not.
mlir::Value emitIsLarge(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::ValueRange memrefs, int64_t limit);

/// Whether vectors of `bytes` bytes, side by side from the start of the row at
/// `row` on, may be written past the caches. Dimensions between those of `row`
/// and the last one belong to the row.
mlir::Value emitIsAligned(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value memref, mlir::ValueRange row,
                          int64_t bytes);

/// Whether `isLarge`, and vectors of `lanes` elements of that row are aligned;
/// null where `isLarge` is.
mlir::Value emitIsStream(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value isLarge, mlir::Value memref,
                         mlir::ValueRange row, int64_t lanes);

/// Whether `address` is a multiple of `bytes`, a power of two.
mlir::Value emitIsMultiple(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value address, int64_t bytes);

/// Emits what `write` does twice, once with stores past the caches, and lets
/// `streams` choose at run time; only without where that is null.
void emitWrites(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Value streams,
    llvm::function_ref<void(mlir::OpBuilder &, bool pastCaches)> write);
/// The same where `write` returns values.
llvm::SmallVector<mlir::Value> emitWritesOfValues(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Value streams,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &,
                                                      bool pastCaches)>
        write);

/// What was written past the caches must be seen before a work item is done:
/// its end, where `streams` is not null.
void emitEndOfWrites(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value streams);

/// An element, or a vector of them, as the builder's floats. Lanes that are off
/// in a mask are not read, and 0.
mlir::Value loadLanes(LaneBuilder &lanes, mlir::Value memref,
                      mlir::ValueRange position, mlir::Value mask = {});
/// Rounds the builder's floats to the type of the memref and stores them; a
/// whole vector past the caches if so asked. Lanes that are off in a mask are
/// not written.
void storeLanes(LaneBuilder &lanes, mlir::Value value, mlir::Value memref,
                mlir::ValueRange position, bool pastCaches,
                mlir::Value mask = {});

/// The bytes of a vector of `lanes` elements.
int64_t getVectorBytes(mlir::Value memref, int64_t lanes);

/// Asks for what is at `position`: near what is at hand, or else of a row that
/// comes next, in the second-level cache. The first one has the row at hand,
/// which a long one would push out.
void emitPrefetch(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value memref, mlir::ValueRange position,
                  bool isNear = false);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_LANES_ROWMEMORY_H
