//===- AttentionKernel.h - Attention on tensor cores of a warp --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has some query rows of one head, each warp a share of them, which it
// keeps in registers. All warps go over the keys together: while scores of a
// tile are computed its values come into shared memory, and the next keys while
// the values are used.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONKERNEL_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONKERNEL_H

#include "../Fragment/FragmentContraction.h"
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

class AttentionKernel {
public:
  /// `sizes` are the op's, one index for each iteration dimension. With
  /// `aligned` rows are known to lie at multiples of 16 bytes. `states` is
  /// where the states of ranges go, where keys are split.
  AttentionKernel(KernelBuilder &, AttentionOp op, const AttentionShape &shape,
                  llvm::ArrayRef<mlir::Value> sizes, const BlockPlace &place,
                  const RangeStates &states, bool aligned);
  void emit();

private:
  using State = SoftmaxFragment::State;
  /// A tile of keys: the i32 at which it begins. In an edge some rows may not
  /// see some of them.
  struct Tile {
    mlir::Value first;
    bool edge;
  };
  SharedTile getShared(int64_t offset, int64_t rows, int64_t columns) const;
  int64_t getNumFragments() const { return shape.getRowsPerWarp() / 16; }

  /// A row of the op: indices of batch dimensions, and its number (i32).
  struct OpRow {
    llvm::SmallVector<mlir::Value> batch;
    mlir::Value number;
  };
  void createContractions();
  void addRows();
  OpRow getOpRow(mlir::Value row);
  void loadQuery();
  llvm::SmallVector<mlir::Value> getQuery(int64_t fragment, int64_t step);
  /// Cosine: norms of query rows go into the rows' factors, those of a tile of
  /// keys into shared memory, from where each lane takes those of its columns.
  mlir::Value emitRowFactor(const SharedTile &tile, mlir::Value row);
  void scaleRowsByNorms();
  void storeKeyFactors();
  mlir::Value loadKeyFactors();
  KeyRanges getKeyRanges();
  State emitLoops();
  State emitLoop(mlir::Value lower, mlir::Value upper, bool edge, State state);
  State emitTile(const Tile &tile, State state);
  llvm::SmallVector<mlir::Value> emitProducts();
  /// Whether hidden keys may have values that are not zeroed.
  bool hidesValues(const Tile &tile);
  mlir::Value emitHasOdd();
  void accumulate(State &state, llvm::ArrayRef<mlir::Value> weights);
  void accumulateSelected(State &state, llvm::ArrayRef<mlir::Value> weights,
                          llvm::ArrayRef<mlir::Value> visible);
  void storeWeights(const SharedTile &tile, llvm::ArrayRef<mlir::Value> weights,
                    llvm::ArrayRef<mlir::Value> visible);
  llvm::SmallVector<mlir::Value> loadValues(mlir::Value key);

  void storeRows(State &state);
  void storeState(const State &state);
  void storeOutput(llvm::ArrayRef<mlir::Value> rows);
  void storeElements(llvm::ArrayRef<mlir::Value> rows);
  void storeNumber(unsigned output, unsigned row, mlir::Value number);

  KernelBuilder &kernel;
  AttentionOp op;
  AttentionOpInterface self;
  AttentionShape shape;
  llvm::SmallVector<mlir::Value> sizes;
  BlockPlace place;
  RangeStates states;
  bool aligned;

  /// Of accumulators; contractions are null without matrix instructions.
  FragmentLayout layout;
  std::unique_ptr<FragmentContraction> scoreProduct, outputProduct;
  ScoreFragments scores;
  SoftmaxFragment softmax;
  GlobalRows outputRows;
  SharedTile queryTile, keyTile, valueTile;
  std::unique_ptr<TileCopy> queryCopy, keyCopy, valueCopy;
  std::unique_ptr<MatrixLoader> queryLoader, keyLoader, valueLoader;
  /// The lane's columns within a tile of keys, and its rows, as numbers in the
  /// block and in all of its head or group, and as rows of the op.
  mlir::Value columns;
  llvm::SmallVector<mlir::Value> rowsInBlock, rows;
  llvm::SmallVector<OpRow> opRows;
  /// By row: whether its similarities change sign; null for never.
  llvm::SmallVector<mlir::Value> negative;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> query;
  /// The key after the last one that some row sees.
  mlir::Value limit;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONKERNEL_H
