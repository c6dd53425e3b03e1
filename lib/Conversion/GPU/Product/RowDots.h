//===- RowDots.h - A matrix product of few rows -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With few rows, a product takes as long as its right operand is read. So each
// element of it is read once, for all rows, straight into registers: lanes
// share the terms of a sum, and add up what they have in the end.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_PRODUCT_ROWDOTS_H
#define ATTN_LIB_CONVERSION_GPU_PRODUCT_ROWDOTS_H

#include "ProductEnd.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

namespace attn {

/// How lanes and warps share columns and terms.
struct DotsShape {
  /// Nothing where the schedule's columns are not those of a power of two of
  /// lanes.
  static std::optional<DotsShape> get(const DeviceProduct &product,
                                      GPUDotsAttr schedule);

  GPUDotsAttr schedule;
  /// Whether terms are neighbours in the right operand: then each warp has
  /// columns of its own, which all lanes share. Else a lane has columns that
  /// are neighbours, and the warps of a block share their terms.
  bool areTermsNeighbours;

  int64_t getWidth() const { return schedule.getWidth(); }
  /// Columns of a lane, and lanes of a warp that have different ones.
  int64_t getLaneColumns() const {
    return areTermsNeighbours ? schedule.getColumns() : getWidth();
  }
  int64_t getLanesAcross() const {
    return schedule.getColumns() / getLaneColumns();
  }
  /// Parts of a sum that meet in shared memory.
  int64_t getSlices() const {
    return areTermsNeighbours ? 1 : schedule.getBlockWarps();
  }
  ProductBlock getBlock(mlir::FloatType compute) const;
};

class RowDots {
public:
  /// With `aligned` operands are known to lie at multiples of 16 bytes, and to
  /// have whole pieces of the schedule's width.
  RowDots(KernelBuilder &, const DeviceProduct &product, const DotsShape &shape,
          const ProductPlace &place, bool aligned);
  void emit();

private:
  using Values = llvm::SmallVector<mlir::Value>;
  Values emitLoop();
  /// Adds the products of a piece of terms from `term` on.
  Values emitPiece(mlir::Value term, mlir::ValueRange sums);
  /// Neighbours of a row, widened. Those at `limit` and after it are 0 where
  /// `terms` says that they are terms, and else anything.
  Values load(const GlobalRows &from, mlir::Value row, mlir::Value column,
              mlir::Value limit, bool terms);
  mlir::Value addLanes(mlir::Value sums);
  mlir::Value getAddress(mlir::Value row, mlir::Value sumColumn);
  void storeParts(mlir::ValueRange sums);
  void storeResults();
  mlir::Value getSum(mlir::Value row, mlir::Value column);

  KernelBuilder &kernel;
  const DeviceProduct &product;
  DotsShape shape;
  ProductPlace place;
  bool aligned;
  GlobalRows lhs, rhs;
  ProductEnd end;
  /// The lane's first column, in the block and in the product.
  mlir::Value laneColumn, column;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_PRODUCT_ROWDOTS_H
