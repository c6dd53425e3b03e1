//===- AttentionRoles.h - Attention on tensor cores of four warps  -*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has some query rows of one head, 64 each group of four warps. One
// thread of another group does nothing but start copies: the query, and tiles
// of keys and values, as soon as there is room. The others wait for what they
// need, multiply, and give it back.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONROLES_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONROLES_H

#include "../Fragment/GroupContraction.h"
#include "AttentionRows.h"
#include "RoleTiles.h"
#include "attn/Dialect/Attn/IR/RoleRegisters.h"

namespace attn {

/// What the host has made for the kernel.
struct RoleOperands {
  RoleOperand query, key, value, output;
};

class AttentionRoles : AttentionRows {
public:
  /// `emitPlaceAgain` computes the place once more where it is asked.
  AttentionRoles(KernelBuilder &, AttentionOp op, const AttentionShape &shape,
                 llvm::ArrayRef<mlir::Value> sizes, const BlockPlace &place,
                 llvm::function_ref<BlockPlace()> emitPlaceAgain,
                 const RoleOperands &operands);
  void emit();

  /// Threads of a block.
  static int64_t getThreads(const AttentionShape &shape);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// Beside the warp that copies, those of its group that measure keys.
  static constexpr int64_t kFactorWarps = kGroupWarps - 1;
  /// What loops over tiles carry.
  struct Progress {
    State state;
    StageRing::Position at;
  };
  Values flatten(const Progress &progress);
  Progress restore(mlir::ValueRange values);
  mlir::Value getStage(int64_t offset, mlir::Value stage, int64_t bytes);

  /// Tiles are numbered in the order in which they are worked on: first the
  /// edges, those on the left and then those on the right, so that a block does
  /// not end with one; then those that all rows see.
  struct Order {
    /// How many there are on the left (null for none), on both edges, in all.
    mlir::Value left, edges, tiles;
  };
  Order getOrder();
  std::optional<int64_t> getKeysAhead();
  std::optional<int64_t> getMostEdges();
  mlir::Value getEdge(mlir::Value number);
  mlir::Value getTile(mlir::Value number);

  void emitProducer();
  void emitConsumer();
  void awaitGroup();
  void storeOutput(State &state);
  void negateQueries();
  Progress emitLoop(mlir::Value lower, mlir::Value upper, bool edge,
                    const Progress &progress);
  Progress emitTile(const Tile &tile, const Progress &progress);
  bool hasEdgeLoop();
  PanelOperand getQueries();
  PanelOperand getKeys(mlir::Value stage);
  PanelOperand getValues(mlir::Value stage);
  Values emitScores(const PanelOperand &queries, const PanelOperand &keys);
  Values finishScores(mlir::ValueRange similarities,
                      const StageRing::Position &at, int64_t pending);
  mlir::Value getFactors(mlir::Value stage);
  void emitKeyFactors();

  /// A loop over tiles whose products of weights and values, in flight,
  /// are those of the tile before.
  struct Overlap {
    Progress progress;
    StageRing::Position before;
    /// The weights of the tile before, as a lhs.
    llvm::SmallVector<Values> lhs;
  };
  Values flatten(const Overlap &overlap);
  Overlap restoreOverlap(mlir::ValueRange values);
  Progress emitOverlapped(const Progress &progress);
  Overlap emitFirst(const Tile &tile, const Progress &progress);
  Overlap emitSteps(mlir::Value lower, mlir::Value upper, bool edge,
                    const Overlap &overlap);
  Overlap emitNext(const Tile &tile, Overlap overlap);
  Values emitSoftmax(
      const Tile &tile, Values similarities, State &state,
      llvm::function_ref<void(unsigned row, mlir::Value factor)> rescale);
  Values emitSoftmaxBeside(const Tile &tile, const Values &similarities,
                           mlir::ValueRange sums, Overlap &overlap);
  Progress emitLast(Overlap overlap);
  void emitOutput(State &state, llvm::ArrayRef<mlir::Value> weights,
                  mlir::Value stage);
  mlir::Value foldValues(
      mlir::Value stage, mlir::Value start,
      llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, mlir::Value)>
          fold);
  void zeroValues(mlir::Value firstKey, mlir::Value stage, mlir::Value limit);
  mlir::Value emitHasOdd(mlir::Value stage);
  void narrow(Values &weights);
  void accumulateOdd(const Tile &tile, mlir::Value stage, State &state,
                     llvm::ArrayRef<mlir::Value> weights);
  void settleValues(const Tile &tile, const StageRing::Position &at,
                    State &state, llvm::ArrayRef<mlir::Value> weights);
  llvm::SmallVector<SharedTile> getPanels(const PanelTile &tile);

  llvm::function_ref<BlockPlace()> emitPlaceAgain;
  const RoleOperands &operands;
  RoleMemory memory;
  GroupContraction scoreProduct, outputProduct;
  StageRing queryRing, keyRing, valueRing, factorRing;
  RoleRegisters registers;
  KeyRanges ranges;
  Order order;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONROLES_H
