//===- DecodeShape.h - Tiles with the head dimension in lanes ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile ops of decoding keep rows as they lie: a tile is a few rows of the
// query heads that share a key head, and vectors run along d or dv. The last
// vector of a row is masked.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_DECODESHAPE_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_DECODESHAPE_H

#include "KeyLanes.h"
#include "TileShape.h"

namespace attn {

/// The rows of a tile op with a splitting schedule: `heads` times `rows`, both
/// static. Row r is head r / rows, row r % rows.
struct DecodeShape {
  mlir::FloatType element;
  int64_t lanes;
  int64_t heads;
  int64_t rows;
  bool hasHead;
  ScheduleAttr schedule;

  int64_t getCount() const { return heads * rows; }
  mlir::VectorType getVectorType() const {
    return mlir::VectorType::get({lanes}, element);
  }
  /// A vector's worth of pairs of numbers.
  mlir::VectorType getPairType() const {
    return mlir::VectorType::get(
        {2 * lanes},
        getNarrowType(element.getContext(), schedule.getInstruction()));
  }
  TileRow getRow(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value number) const;
};

/// Fails without a word when the schedule does not split keys, and with a
/// reason when the op does not fit it. `rowsOperand` has heads and rows as
/// dimensions.
mlir::FailureOr<DecodeShape> getDecodeShape(AttentionOpInterface op,
                                            mlir::Value rowsOperand,
                                            mlir::AffineMap map,
                                            mlir::PatternRewriter &rewriter);

/// A row's elements as vectors; what lies past the row's end is 0.
class RowVectors {
public:
  RowVectors(mlir::Location loc, mlir::VectorType type, int64_t size)
      : loc(loc), type(type), size(size) {}

  int64_t getCount() const {
    int64_t lanes = type.getNumElements();
    return (size + lanes - 1) / lanes;
  }
  /// Vector `chunk` of the row of `memref` whose first element is at
  /// `position`; elements of other float types are converted.
  mlir::Value load(mlir::OpBuilder &builder, mlir::Value memref,
                   llvm::ArrayRef<mlir::Value> position, unsigned innerDim,
                   int64_t chunk) const;
  void store(mlir::OpBuilder &builder, mlir::Value vector, mlir::Value memref,
             llvm::ArrayRef<mlir::Value> position, unsigned innerDim,
             int64_t chunk) const;

private:
  int64_t getLength(int64_t chunk) const;
  mlir::Value getMask(mlir::OpBuilder &builder, int64_t length) const;

  mlir::Location loc;
  mlir::VectorType type;
  int64_t size;
};

/// Where a row of an operand starts: the row's indices for heads and rows, 0
/// for every other dimension.
struct RowStart {
  llvm::SmallVector<mlir::Value> position;
  /// The dimension that the row runs along.
  unsigned innerDim;
};
RowStart getRowStart(mlir::OpBuilder &builder, AttentionOpInterface op,
                     mlir::AffineMap map, unsigned innerDim,
                     const TileRow &row);

void populateMergePattern(mlir::RewritePatternSet &patterns,
                          const TargetDescription &target);
void populateDecodePatterns(mlir::RewritePatternSet &patterns,
                            ScratchPool &scratch,
                            const TargetDescription &target);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_DECODESHAPE_H
