//===- TileShape.h - What the memref tile ops have in common ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_TILESHAPE_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_TILESHAPE_H

#include "../Lanes/LaneMemory.h"
#include "../Lanes/RegisterTile.h"
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
  /// Whether rows' sums are taken from what weights were rounded to.
  bool sumRounded = false;

  /// Small tiles, as windows have them: the next one begins soon after, so its
  /// rows can be on their way.
  bool isOneGroup() const { return rows == tile.getColumns(); }
};

/// Fails with a reason when the op is not on memrefs, has no schedule, or its
/// sizes do not fit the schedule.
mlir::FailureOr<TileShape> getTileShape(AttentionOpInterface op,
                                        mlir::PatternRewriter &rewriter);

/// Fails with a reason when the target lacks the schedule's instruction.
mlir::LogicalResult checkInstruction(AttentionOpInterface op,
                                     const TargetDescription &target,
                                     mlir::PatternRewriter &rewriter);

/// Fails with a reason when the schedule is of the tile unit, and `state`,
/// which is [head or value dimension, rows], has fewer rows than a tile.
mlir::LogicalResult checkTileDims(AttentionOpInterface op,
                                  const TileShape &shape, mlir::Value state,
                                  mlir::PatternRewriter &rewriter);

/// Whether the last dimension of a memref is the schedule's rows, side by side,
/// of the compute type.
bool isStateTile(mlir::Value memref, const TileShape &shape);

void populatePackQueryPattern(mlir::RewritePatternSet &patterns,
                              ScratchPool &scratch);
void populateOnlineAttentionPattern(mlir::RewritePatternSet &patterns,
                                    ScratchPool &scratch,
                                    const TargetDescription &target);
void populateFinalizePattern(mlir::RewritePatternSet &patterns,
                             ScratchPool &scratch);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_TILESHAPE_H
