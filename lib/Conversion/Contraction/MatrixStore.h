//===- MatrixStore.h - What becomes of a block's sums -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_MATRIXSTORE_H
#define ATTN_LIB_CONVERSION_CONTRACTION_MATRIXSTORE_H

#include "ContractionEmitter.h"
#include "MatrixBlock.h"

namespace attn {

/// The place of a block in the output.
struct MatrixBlock {
  mlir::Value row, column;
  /// Bounds of its size, and how many of its columns exist.
  int64_t rowBound, columnBound;
  mlir::Value columnCount;
  /// Whether columnCount may end within a panel.
  bool hasTail;
};

/// A register tile within a block.
struct TilePlace {
  mlir::Value row, column;
  /// How many rows of the tile exist; null for all.
  mlir::Value rowLimit;
  /// Whether this is the first step over k; null where it is.
  mlir::Value isFirst;
  bool isLast;
  /// Where sums without vectors stand, and which of the rows are meant; null
  /// for all of them.
  mlir::Value sums = {}, firstRow = {}, endRow = {};
};

/// Writes finished register tiles. Sums of one step of several wait in the
/// output where it has their type, and otherwise in scratch.
class MatrixStore {
public:
  MatrixStore(mlir::Location loc, const MatrixProduct &product,
              const RegisterTile &tile, const MatrixBlock &block)
      : loc(loc), product(product), tile(tile), block(block) {}

  /// Creates what all tiles need, for the matrix at these batch indices.
  void open(mlir::OpBuilder &builder, mlir::ValueRange batch,
            bool severalSteps);

  /// Sums without vectors stand in `place.sums`, and `place` has a limit of
  /// rows.
  void emit(mlir::OpBuilder &builder, const AccumulatorTile &sums,
            const TilePlace &place);

  /// Whether the last step over k stores something other than sums, or
  /// elsewhere than the steps before it.
  bool isLastStepDifferent() const {
    return product.factor || product.bias || product.epilogue || partial;
  }

  /// How many matrices emit() reads or writes rows of.
  int64_t countMatrices(bool isLast) const;
  /// Asks for what emit() reads and writes of a tile: a row of a matrix at a
  /// time, as what is asked for at once takes the buffers between the caches.
  /// `part` counts to the product of the tile's rows and countMatrices().
  void prefetch(mlir::OpBuilder &builder, const TilePlace &tilePlace,
                mlir::Value part);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// The factor and the bias of a tile's columns, null where there is none.
  struct Columns {
    mlir::Value factor;
    Values bias;
  };
  /// Rows of vectors: `nr` for each row.
  struct Part {
    Values rows;
    Values sums;
  };

  void prefetchRow(mlir::OpBuilder &builder, const TilePlace &tilePlace,
                   mlir::Value memref, mlir::Value row, bool isWrite);
  void emitRowLoop(
      mlir::OpBuilder &builder, const AccumulatorTile &sums,
      llvm::function_ref<void(mlir::OpBuilder &, mlir::Value row, const Part &)>
          body);
  Values addPrevious(mlir::OpBuilder &builder, const Part &part);
  void storeFinal(mlir::OpBuilder &builder, const Part &part);
  void storePartial(mlir::OpBuilder &builder, const Part &part);
  void storeEpilogue(mlir::OpBuilder &builder, const AccumulatorTile &sums);
  Columns loadColumns(mlir::OpBuilder &builder);
  mlir::Value addBias(mlir::OpBuilder &builder, mlir::Value sum, int64_t c,
                      const Columns &columns);
  Values finish(mlir::OpBuilder &builder, mlir::ValueRange sums,
                mlir::Value row, const Columns &columns);
  mlir::Value join(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Value> parts);
  mlir::Value load(mlir::OpBuilder &builder, mlir::Value memref,
                   mlir::ValueRange position, int64_t c);
  void store(mlir::OpBuilder &builder, mlir::Value vector, mlir::Value memref,
             mlir::ValueRange position, int64_t c);
  /// The place of a vector in the output, and among the waiting sums.
  Values getPosition(mlir::OpBuilder &builder, mlir::Value row, int64_t c);
  Values getPartialPosition(mlir::OpBuilder &builder, mlir::Value row,
                            int64_t c);
  mlir::Value add(mlir::OpBuilder &builder, mlir::Value a, mlir::Value b);

  mlir::Location loc;
  const MatrixProduct &product;
  const RegisterTile &tile;
  MatrixBlock block;

  mlir::Value output;
  /// Null for numbers.
  Values extras;
  /// The sums that wait; null where they do so in the output.
  mlir::Value partial;
  /// One register tile, where its rows are finished in a loop.
  mlir::Value tileScratch;

  // Of the current tile.
  TilePlace place;
  Values masks;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_MATRIXSTORE_H
