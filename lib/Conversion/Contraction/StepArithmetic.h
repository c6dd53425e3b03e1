//===- StepArithmetic.h - What one step of a tile computes ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows a target's instructions for products. A new one is
// an `Instruction` and its functions here.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_STEPARITHMETIC_H
#define ATTN_LIB_CONVERSION_CONTRACTION_STEPARITHMETIC_H

#include "../Lanes/RegisterTile.h"

#include "mlir/IR/Builders.h"

namespace attn {

class StepArithmetic {
public:
  StepArithmetic(mlir::OpBuilder &builder, mlir::Location loc,
                 const RegisterTile &tile)
      : builder(builder), loc(loc), tile(tile) {}

  /// What a step takes of B: one vector of terms of the accumulators' type for
  /// each of its terms, rounded to what the instruction multiplies.
  mlir::Value merge(llvm::ArrayRef<mlir::Value> terms);
  /// The same of terms without lower bits, which emitCut() has cut off.
  mlir::Value mergeCut(llvm::ArrayRef<mlir::Value> terms);
  /// A vector of terms without the bits that the narrow type does not have, or
  /// the nearest ones without them. Some NaN become numbers of the latter.
  mlir::Value emitCut(mlir::Value terms);
  mlir::Value emitNearest(mlir::Value terms);
  /// The same of terms that are sums of the tile's parts, part by part: of two
  /// each is what is nearest to what those before it leave. Three are cut off:
  /// they hold all bits of f32. Of two that are to hold halves the first one is
  /// cut off, and the second one has its sign.
  llvm::SmallVector<mlir::Value> mergeParts(llvm::ArrayRef<mlir::Value> terms);
  /// Terms that lie one after the other, as the steps that take them: two
  /// vectors of the accumulators' type become one.
  mlir::Value roundNeighbours(mlir::Value first, mlir::Value second);
  /// Vectors that hold the terms of two rows of memory, 2 * lanes of them each,
  /// as those of a step that takes both rows: `half` 0 or 1 of the columns.
  mlir::Value interleave(mlir::Value first, mlir::Value second, int64_t half);
  /// The terms of a step in `count` vectors of neighbouring columns, from rows
  /// of memory that have one each: row `row` and those after it, of which
  /// `taken` exist.
  llvm::SmallVector<mlir::Value> loadRows(mlir::Value memref, mlir::Value row,
                                          mlir::Value column, int64_t count,
                                          int64_t taken);
  /// `sum` and the terms, as they were rounded: `merged` is the step of them.
  mlir::Value addRounded(mlir::ValueRange terms, mlir::Value merged,
                         mlir::Value sum);
  /// A step's terms of one row of A in all lanes. `element` is one element of
  /// A, or the bits of all the terms that the step takes.
  mlir::Value spread(mlir::Value element);
  /// The same of vectors with one term of each lane, as many as there are;
  /// those that are missing are 0.
  mlir::Value join(mlir::ValueRange terms);
  /// `sum` and the products of the step's terms.
  mlir::Value multiplyAdd(mlir::Value lhs, mlir::Value rhs, mlir::Value sum);
  /// The same without the products of terms of `rhs` that are 0, even by NaN.
  mlir::Value multiplyAddNonZero(mlir::Value lhs, mlir::Value rhs,
                                 mlir::Value sum);

private:
  llvm::SmallVector<mlir::Value> mergeCutParts(llvm::ArrayRef<mlir::Value>);
  llvm::SmallVector<mlir::Value> mergeHalves(llvm::ArrayRef<mlir::Value>);
  /// i32 in all lanes, and vectors as such and back.
  mlir::Value splat(int32_t bits);
  mlir::Value toBits(mlir::Value terms);
  mlir::Value fromBits(mlir::Value bits);
  std::array<mlir::Value, 2> widen(mlir::Value step);
  /// A vector of terms as numbers of the narrow type.
  mlir::Value round(mlir::Value terms);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const RegisterTile &tile;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_STEPARITHMETIC_H
