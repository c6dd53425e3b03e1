//===- ContractionEmitter.h - Register-tiled contractions -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits C[i, j] = sum_k A[i, k] B[k, j] on memrefs straight as loops over 1-D
// vectors. A register tile is `mr` rows of A, read element by element and
// broadcast, by `nr` vectors of a row of B. Its accumulators are carried by the
// loop over k, so that they stay in registers; the caller decides what happens
// with a finished tile. Nothing here knows about attention.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_CONTRACTIONEMITTER_H
#define ATTN_LIB_CONVERSION_CONTRACTION_CONTRACTIONEMITTER_H

#include "../Lanes/RegisterTile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>

namespace attn {

class LhsPointers;

/// The operands of one contraction. Sizes may be constants or values.
struct ContractionOperands {
  /// A, a rank-2 memref with any strides: [row, k], or [k, row] if transposed.
  /// Its elements may be narrower than the accumulators. Where a step takes
  /// several terms, either k is its inner dimension, with unit stride, or its
  /// elements are as wide as the accumulators, and k counts steps.
  mlir::Value lhs;
  bool lhsTransposed = false;
  /// B, a rank-2 memref [step of k, column] with unit inner stride. Where its
  /// elements are narrower than the accumulators, and so are A's, it is
  /// [k, column].
  mlir::Value rhs;
  /// The first column of B to use; `nr * lanes` of them are used.
  mlir::Value column;
  mlir::OpFoldResult rows;
  /// The number of terms of a sum. In B, and in A where its k counts steps,
  /// terms that fill up the last step are 0.
  mlir::OpFoldResult depth;
  /// For a transposed A: prefetch the element this many rows ahead at each step
  /// of k, 0 for none. Hides the latency of rows that come from the L2 cache.
  int64_t prefetchAhead = 0;
  /// Prefetch the row of B this many steps ahead, 0 for none: for a B that
  /// streams, into the L1 cache, or into L2 (`prefetchLocality` 2) where rows
  /// may be a power of two apart and would take each other's places in L1.
  int64_t prefetchRhs = 0;
  int64_t prefetchLocality = 3;
  /// If set: what is read after B, a rank-1 memref. Each step of k asks for
  /// `nextVectors` vectors of it, one after the other from `nextBegin` on, into
  /// L2.
  mlir::Value next = {}, nextBegin = {};
  int64_t nextVectors = 0;
  /// Terms of B that are 0 take no part whatever A holds, so that 0 x NaN does
  /// no harm.
  bool skipsZeros = false;
};

/// A finished register tile: rows [row, row + height) of C.
struct AccumulatorTile {
  mlir::Value row;
  int64_t height;
  /// `height * nr` vectors, row by row.
  llvm::SmallVector<mlir::Value> vectors;
};

/// What the caller adds around the loop over k.
struct ContractionHooks {
  using Values = llvm::SmallVector<mlir::Value>;
  /// Consumes a tile. `carried` are the values carried from tile to tile; the
  /// result is their next version.
  std::function<Values(mlir::OpBuilder &, mlir::Location,
                       const AccumulatorTile &, mlir::ValueRange carried)>
      epilogue;
  /// If set: the accumulators a tile starts from, `height * nr` vectors for
  /// the rows from `row` on. Without it they start from zero.
  std::function<Values(mlir::OpBuilder &, mlir::Location, mlir::Value row,
                       int64_t height)>
      initial;
  /// If set: the loop over k is cut into `parts`, and this is called before
  /// part `part` of the tile at `row`, which starts at `k`. For prefetches of
  /// what comes after the tile: all of them at once would hold up its loads.
  std::function<void(mlir::OpBuilder &, mlir::Location, mlir::Value row,
                     mlir::Value part, mlir::Value k)>
      beforePart;
  int64_t parts = 1;
};

class ContractionEmitter {
public:
  ContractionEmitter(const RegisterTile &tile,
                     const ContractionOperands &operands,
                     const ContractionHooks &hooks)
      : tile(tile), operands(operands), hooks(hooks) {}

  /// Emits the loops over all rows and returns the last version of `carried`.
  /// Rows that do not fill a register tile use one of their height when their
  /// number is static and tiles of one row otherwise.
  llvm::SmallVector<mlir::Value> emit(mlir::OpBuilder &builder,
                                      mlir::Location loc,
                                      mlir::ValueRange carried) const;

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Tiles of `height` rows; `skipping` the terms of B that are 0, or adding
  /// them like others.
  Values emitRowLoop(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value begin, mlir::Value end, int64_t height,
                     bool skipping, mlir::ValueRange carried) const;
  Values emitTile(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value row,
                  int64_t height, bool skipping,
                  mlir::ValueRange carried) const;
  /// The loop over k of one tile.
  Values emitDepthLoop(mlir::OpBuilder &builder, mlir::Location loc,
                       const LhsPointers &lhs, mlir::Value row, int64_t height,
                       bool skipping) const;
  /// Hands on `tried`, or what a second pass makes that skips terms.
  Values emitWithoutNaN(mlir::OpBuilder &builder, mlir::Location loc,
                        const AccumulatorTile &tried,
                        mlir::ValueRange carried) const;
  /// Steps `begin` to `end` of that loop.
  Values emitSteps(mlir::OpBuilder &builder, mlir::Location loc,
                   const LhsPointers &lhs, int64_t height, mlir::Value begin,
                   mlir::Value end, mlir::Value prefetchRow, bool skipping,
                   mlir::ValueRange accumulators) const;
  /// The step at `k`, which counts steps; `isTail` if A's row has fewer terms
  /// left than a step takes.
  Values emitStep(mlir::OpBuilder &builder, mlir::Location loc,
                  const LhsPointers &lhs, int64_t height, mlir::Value k,
                  mlir::Value prefetchRow, bool skipping, bool isTail,
                  mlir::ValueRange accumulators) const;
  /// The step behind the last full one, if there is one.
  Values emitTail(mlir::OpBuilder &builder, mlir::Location loc,
                  const LhsPointers &lhs, int64_t height, mlir::Value k,
                  bool skipping, mlir::ValueRange accumulators) const;
  mlir::Value getStepCount(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// Whether A's terms lie one by one although a step takes several.
  bool takesTerms() const;
  Values loadRhs(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value k,
                 bool isTail) const;
  Values getInitial(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value row, int64_t height) const;
  mlir::Value getPrefetchRow(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value row) const;

  const RegisterTile &tile;
  const ContractionOperands &operands;
  const ContractionHooks &hooks;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_CONTRACTIONEMITTER_H
