//===- TileShape.h - What the memref tile ops have in common ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_TILESHAPE_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_TILESHAPE_H

#include "../ConvertFloat.h"

#include "attn/Conversion/TileToVector/ContractionEmitter.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Target/TargetDescription.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// The schedule of a tile op on memrefs, checked against its operands.
struct TileShape {
  RegisterTile tile;
  int64_t rows;
  int64_t keys;
  /// The schedule's element type of keys and values in products; null where
  /// they are read as they lie.
  mlir::Type operands;

  /// Small tiles, as windows have them: the next one begins soon after, so its
  /// rows can be on their way.
  bool isOneGroup() const { return rows == tile.getColumns(); }
};

/// Fails with a reason when the op is not on memrefs, has no schedule, or its
/// sizes do not fit the schedule.
mlir::FailureOr<TileShape> getTileShape(AttentionOpInterface op,
                                        mlir::PatternRewriter &rewriter);

/// Whether a map's results are exactly these two iteration dimensions, in this
/// or (`anyOrder`) in either order.
bool isTileMap(mlir::AffineMap map, unsigned rowDim, unsigned columnDim,
               bool anyOrder);

/// A memref whose map is a tile map in either order, as [row, column].
mlir::Value getOriented(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value memref, mlir::AffineMap map,
                        unsigned rowDim);

/// Whether elements of a row lie side by side, as vector loads need it.
bool hasUnitInnerStride(mlir::Value memref);

/// Whether the last dimension of a memref is the schedule's rows, side by side,
/// of the compute type.
bool isStateTile(mlir::Value memref, const TileShape &shape);

/// Memory that a lowered op uses only while it runs. It is allocated once at
/// the start of the closest function or parallel body, so that no loop grows
/// the stack, and the tile ops of one body use it in turn.
class ScratchPool {
public:
  /// Aligned to a cache line. What one op uses at the same time needs different
  /// slots.
  mlir::Value get(mlir::OpBuilder &builder, mlir::Operation *user,
                  llvm::ArrayRef<int64_t> shape, mlir::Type element,
                  unsigned slot = 0);

private:
  using Key = std::tuple<mlir::Block *, mlir::Type, unsigned>;
  llvm::DenseMap<Key, mlir::Value> allocated;
};

/// A vector of `type` from memory that holds floats of any width, and back.
/// Where a mask is given and off, nothing is read and the lanes are 0.
mlir::Value loadFloats(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::VectorType type, mlir::Value memref,
                       mlir::ValueRange position, mlir::Value mask = {});
void storeFloats(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value vector, mlir::Value memref,
                 mlir::ValueRange position);

/// Asks for what `memref` holds at `column` of `count` rows from `firstRow` on.
/// Rows past the end are of no use, and no harm.
void emitPrefetch(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value memref, mlir::Value firstRow, int64_t count,
                  mlir::Value column, bool isWrite);

/// A loop of step `step` without carried values.
void emitLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value begin,
              mlir::Value end, int64_t step,
              llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> body);

/// Every chunk of `lanes` columns out of `size >= lanes`; the last one is moved
/// back to end at `size`, so that some columns may come twice.
void emitChunks(mlir::OpBuilder &builder, mlir::Location loc, int64_t size,
                int64_t lanes,
                llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> body);

mlir::Value createIndex(mlir::OpBuilder &builder, mlir::Location loc,
                        int64_t value);
/// a + b, without an op for b = 0.
mlir::Value addIndex(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value a, int64_t b);

void populatePackQueryPattern(mlir::RewritePatternSet &patterns,
                              ScratchPool &scratch);
void populateOnlineAttentionPattern(mlir::RewritePatternSet &patterns,
                                    ScratchPool &scratch,
                                    const TargetDescription &target);
void populateFinalizePattern(mlir::RewritePatternSet &patterns,
                             ScratchPool &scratch);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_TILESHAPE_H
