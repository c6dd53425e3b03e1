//===- PositionAngles.h - The angles of positions ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_SHARED_POSITIONANGLES_H
#define ATTN_LIB_CONVERSION_SHARED_POSITIONANGLES_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// What rope and sinusoidal positions take sines and cosines of, in f64: the
/// angle of pair t at position p is p times the position scale, times the
/// frequency of t.
class PositionAngles {
public:
  /// `op` is a RopeOp or a SinusoidalPositionsOp on memrefs, with so many
  /// pairs.
  template <typename OpTy>
  PositionAngles(OpTy op, int64_t pairs)
      : loc(op.getLoc()), op(op), offset(op.getOffset()),
        positions(op.getPositions()), base(op.getBase().convertToDouble()),
        scale(op.getPositionScale().convertToDouble()), pairs(pairs) {}

  /// Whether positions are given one by one.
  bool areGiven() const { return bool(positions); }
  /// The largest angle between two positions.
  double getLargestStep() const;
  /// The frequencies in memory, and zeros up to `width`.
  mlir::Value emitFrequencies(mlir::OpBuilder &builder, int64_t width) const;
  /// The position (i64) of a row; `first` is its index along the first
  /// dimension.
  mlir::Value emitPosition(mlir::OpBuilder &builder, mlir::Value first,
                           mlir::Value row) const;
  /// A position times the scale; without one, the scale.
  mlir::Value emitScaled(mlir::OpBuilder &builder, mlir::Value position) const;

private:
  llvm::SmallVector<double> getFrequencies() const;

  mlir::Location loc;
  mlir::Operation *op;
  mlir::Value offset, positions;
  double base, scale;
  int64_t pairs;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SHARED_POSITIONANGLES_H
