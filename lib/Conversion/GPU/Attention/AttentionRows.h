//===- AttentionRows.h - The rows of an attention kernel ------ -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels of attention have in common, whoever multiplies: a lane has two
// rows of each fragment of its warp, and some columns of them. Which keys they
// see, what becomes of a tile's similarities, and what is written at the end.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONROWS_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONROWS_H

#include "../Fragment/FragmentLayout.h"
#include "../Fragment/ThreadContraction.h"
#include "../Fragment/TileCopy.h"
#include "AttentionShape.h"
#include "OperandRows.h"
#include "RangeStates.h"
#include "SoftmaxFragment.h"

namespace attn {

/// What the block computes, decided by its number: i32, but for the indices of
/// batch dimensions, which are of type index.
struct BlockPlace {
  llvm::SmallVector<mlir::Value> batch;
  /// Its first row and the last that exists, and how many rows there are. The
  /// rows of all heads of a group are counted through: `headRows` are those of
  /// each, null where a tile has rows of one head only.
  mlir::Value firstRow, lastRow, rowCount, headRows;
  /// Where keys are split, its tile, counted through, and its range of keys.
  mlir::Value tile, range;
  /// Threads: number in the block, warp, and number in the warp.
  mlir::Value thread, warp, lane;
  /// The block's shared memory.
  mlir::Value shared;
};

class AttentionRows {
protected:
  using State = SoftmaxFragment::State;
  using Tiles = llvm::ArrayRef<SharedTile>;
  /// A tile of keys: the i32 at which it begins. In an edge some rows may not
  /// see some of them.
  struct Tile {
    mlir::Value first;
    bool edge;
  };
  /// A row of the op: indices of batch dimensions, and its number (i32).
  struct OpRow {
    llvm::SmallVector<mlir::Value> batch;
    mlir::Value number;
  };

  /// `sizes` are the op's, one index for each iteration dimension. With
  /// `aligned` rows are known to lie at multiples of 16 bytes. `states` is
  /// where the states of ranges go, where keys are split.
  AttentionRows(KernelBuilder &, AttentionOp op, const AttentionShape &shape,
                llvm::ArrayRef<mlir::Value> sizes, const BlockPlace &place,
                const RangeStates &states, bool aligned);

  SharedTile getShared(int64_t offset, int64_t rows, int64_t columns) const;
  int64_t getNumFragments() const { return shape.getRowsPerWarp() / 16; }
  /// The lane's rows: where they are, and what scores make of them.
  void locateRows();
  void addRows();
  OpRow getOpRow(mlir::Value row);
  /// What the block computes of the keys that its rows see; sets the limit.
  KeyRanges getKeyRanges();

  /// Where the sign of a row's factor is not in the query, it changes those of
  /// its similarities.
  void applySigns(llvm::MutableArrayRef<mlir::Value> similarities);
  /// Cosine: norms of query rows go into the rows' factors, those of a tile of
  /// keys into shared memory, from where each lane takes those of its columns.
  /// Tiles lie side by side; `arePanels` says that each has whole rows of 128
  /// bytes.
  mlir::Value emitRowFactor(Tiles tiles, mlir::Value row, bool arePanels);
  void scaleRowsByNorms(Tiles query, bool arePanels);
  /// One of the lanes of a key writes its factor behind `factors`.
  void storeKeyFactor(mlir::Value factors, mlir::Value key, mlir::Value factor,
                      mlir::Value exists);
  void scaleByNorms(llvm::MutableArrayRef<mlir::Value> similarities,
                    mlir::Value factors);

  /// Whether hidden keys may have values that are not zeroed.
  bool hidesValues(const Tile &tile);
  /// Products with weights whose keys may be hidden, one at a time: weights go
  /// through `tile`, and values lie in `values` side by side.
  void accumulateSelected(State &state, const SharedTile &tile, Tiles values,
                          llvm::ArrayRef<mlir::Value> weights,
                          llvm::ArrayRef<mlir::Value> visible);

  /// The block's results. Where rows are aligned, they go through a tile of
  /// shared memory.
  void storeRows(State &state, const SharedTile &through);
  /// Writes what rows have beside the output; gives that.
  llvm::SmallVector<mlir::Value> finishRows(State &state);
  /// The output into tiles of shared memory whose columns lie side by side.
  void stageRows(llvm::ArrayRef<mlir::Value> output, Tiles through);

  KernelBuilder &kernel;
  AttentionOp op;
  AttentionOpInterface self;
  AttentionShape shape;
  llvm::SmallVector<mlir::Value> sizes;
  BlockPlace place;
  RangeStates states;
  bool aligned;

  /// Of accumulators.
  FragmentLayout layout;
  ScoreFragments scores;
  SoftmaxFragment softmax;
  GlobalRows outputRows;
  /// The lane's columns within a tile of keys, and its rows, as numbers in the
  /// block and in all of its head or group, and as rows of the op.
  mlir::Value columns;
  llvm::SmallVector<mlir::Value> rowsInBlock, rows;
  llvm::SmallVector<OpRow> opRows;
  /// By row: whether its similarities change sign; null for never.
  llvm::SmallVector<mlir::Value> negative;
  /// The key after the last one that some row sees.
  mlir::Value limit;

private:
  void storeWeights(const SharedTile &tile, llvm::ArrayRef<mlir::Value> weights,
                    llvm::ArrayRef<mlir::Value> visible);
  llvm::SmallVector<mlir::Value> loadValues(Tiles values, mlir::Value key);
  void storeState(const State &state);
  void storeTile(const SharedTile &tile);
  void storeElements(llvm::ArrayRef<mlir::Value> rows);
  void storeNumber(unsigned output, unsigned row, mlir::Value number);
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONROWS_H
