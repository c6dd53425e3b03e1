//===- NormTiles.h - attn.norm over columns and batches --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_VECTORROWS_NORMTILES_H
#define ATTN_LIB_CONVERSION_VECTORROWS_NORMTILES_H

#include "../Lanes/LaneMemory.h"
#include "../Lanes/RegisterTile.h"
#include "../Lanes/RowMemory.h"
#include "../Shared/NormFactor.h"
#include "NormPanel.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Target/TargetDescription.h"
#include "mlir/IR/PatternMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace attn {

/// Emits one norm.
class NormTilesEmitter {
public:
  NormTilesEmitter(mlir::OpBuilder &builder, NormOp op);
  void emit();

private:
  NormTile createTile(mlir::OpBuilder &b, mlir::Value number, bool isChunk,
                      mlir::Value *chunk = nullptr);
  mlir::Value countTiles(mlir::OpBuilder &b, bool areChunks);
  void
  emitForall(mlir::Value count,
             llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> body);
  NormNumbers allocate(mlir::OpBuilder &b, bool isLocal, bool isMeasured,
                       mlir::Value parts = {});
  void release(mlir::OpBuilder &b, const NormNumbers &numbers);

  void emitWholeGroups();
  void emitChunks();

  void measure(mlir::OpBuilder &b, const NormTile &tile,
               const NormNumbers &numbers);
  /// Mean and factor of the tile's groups, from statistics or from `parts`.
  void finish(mlir::OpBuilder &b, const NormTile &tile,
              const NormNumbers &numbers, const NormNumbers *parts);
  mlir::Value emitVariance(LaneBuilder &lanes, llvm::ArrayRef<mlir::Value> at,
                           mlir::Value mask, const NormNumbers &numbers,
                           const NormNumbers *parts, mlir::Value &mean);
  void mergeParts(LaneBuilder &lanes, llvm::ArrayRef<mlir::Value> at,
                  mlir::Value mask, const NormNumbers &parts, mlir::Value &sum,
                  mlir::Value &spread);
  void output(mlir::OpBuilder &b, const NormTile &tile,
              const NormNumbers &numbers, const NormTile *next);
  void outputLine(mlir::OpBuilder &b, const NormTile &tile,
                  const NormNumbers &numbers, const NormTile *next,
                  llvm::SmallVector<mlir::Value> &at, int64_t rows,
                  bool pastCaches);
  /// What a line's elements share; gammas and betas by row.
  struct LineNumbers {
    llvm::SmallVector<mlir::Value> gammas, betas;
    mlir::Value mean, factor;
  };
  LineNumbers loadLine(mlir::OpBuilder &b, const NormNumbers &numbers,
                       llvm::ArrayRef<mlir::Value> at, int64_t rows);
  void outputLanes(LaneBuilder &lanes, const NormTile &tile,
                   const NormNumbers &numbers, const LineNumbers &line,
                   const NormTile *next, llvm::ArrayRef<mlir::Value> at,
                   mlir::Value mask, bool pastCaches);
  void prefetch(mlir::OpBuilder &b, const NormTile &tile, const NormTile &next,
                llvm::ArrayRef<mlir::Value> at);

  /// x: the input, or its sum with the residual, as it is rounded.
  mlir::Value emitInput(LaneBuilder &lanes, llvm::ArrayRef<mlir::Value> at,
                        mlir::Value mask, bool storesSum);
  /// Whether the output is large, and all its lines begin where a whole vector
  /// may be written past the caches; null if it is certainly small.
  mlir::Value emitStreams();
  mlir::Value index(mlir::OpBuilder &b, int64_t value) {
    return createIndex(b, loc, value);
  }
  mlir::Value ceilDiv(mlir::OpBuilder &b, mlir::Value a, int64_t by) {
    return b.createOrFold<mlir::arith::CeilDivUIOp>(loc, a, index(b, by));
  }

  mlir::OpBuilder &builder;
  NormOp op;
  mlir::Location loc;
  NormScheduleAttr schedule;
  NormPanel panel;
  llvm::SmallVector<mlir::Value> sizes;
  /// Kept dimensions before the first normalised one, each index of which is in
  /// tiles of its own; the dimension of panels; and that of chunks.
  llvm::SmallVector<int64_t> outer;
  int64_t panelDim, chunkDim;
  /// The number of elements of a group, as a number and as a float.
  mlir::Value groupSize, count;
  /// Whether the output is written past the caches; null where it is not.
  mlir::Value streams;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_VECTORROWS_NORMTILES_H
