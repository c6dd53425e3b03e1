//===- OnlineGroup.h - attn.online_attention, one group of rows -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_ONLINEGROUP_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_ONLINEGROUP_H

#include "ScoreLanes.h"
#include "TileShape.h"
#include "attn/Dialect/Attn/Score/SoftmaxState.h"

namespace attn {

/// The operands of one op, keys and values oriented as [key, dim].
struct OnlineOperands {
  mlir::Value query;
  mlir::Value key;
  mlir::Value value;
  mlir::Value acc;
  mlir::Value max;
  mlir::Value sum;
  RowStatistics statistics;
  mlir::Value scratch;
  /// 1 / norm of the keys for cosine similarity, else null.
  mlir::Value inverseNorms;
};

/// Emits the op for the `lanes * nr` rows from `column` on. Its parts lie in
/// OnlineGroup.cpp (products) and OnlineSoftmax.cpp (weights and statistics).
class OnlineGroupEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  OnlineGroupEmitter(mlir::OpBuilder &builder, OnlineAttentionOp op,
                     const RegisterTile &tile, const OnlineOperands &operands,
                     mlir::Value column, ScratchPool &pool,
                     const TargetDescription &target)
      : builder(builder), loc(op.getLoc()), tile(tile), operands(operands),
        column(column), pool(pool), target(target),
        zero(createIndex(builder, loc, 0)),
        scores(builder, op, tile, operands.inverseNorms) {}

  void emit();

private:
  Values loadRows(mlir::Value memref);
  void storeRows(mlir::Value memref, llvm::ArrayRef<mlir::Value> rows);
  mlir::Value constant(double value);
  void prepareRows();
  /// Writes the scores to the scratch; returns the new running maximum.
  Values emitScores(llvm::ArrayRef<mlir::Value> oldMax);
  /// Multiplies kept scores by their factors, which are 1 then, if the maximum
  /// of some row is huge.
  void emitRoundedScores(llvm::ArrayRef<mlir::Value> max);
  /// Replaces the scores s by 2^(s - max) and adds them to sum and statistics.
  void emitExponentials(llvm::ArrayRef<mlir::Value> max);
  /// Scales the statistics that are relative to the reference.
  void emitRescaledStatistics(llvm::ArrayRef<Rescale> changes,
                              llvm::ArrayRef<mlir::Value> oldSum);
  void emitTop(llvm::ArrayRef<mlir::Value> highest);
  /// Moves the reference to `highest` and scales sum and acc to it, if some
  /// row's maximum has outgrown the reference.
  void emitRescale(llvm::ArrayRef<mlir::Value> reference,
                   llvm::ArrayRef<mlir::Value> highest);
  mlir::Value loadAcc(mlir::OpBuilder &b, mlir::Value row,
                      mlir::Value position);
  void storeAcc(mlir::OpBuilder &b, mlir::Value row, mlir::Value position,
                mlir::Value vector);
  /// acc <- acc + P V.
  void emitOutput();
  llvm::SmallVector<mlir::Value> getColumns(mlir::OpBuilder &b,
                                            mlir::Value first);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const RegisterTile &tile;
  const OnlineOperands &operands;
  mlir::Value column;
  ScratchPool &pool;
  const TargetDescription &target;
  mlir::Value zero;
  ScoreLanes scores;
  llvm::SmallVector<ScoreLanes::Row, 0> rows;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_ONLINEGROUP_H
