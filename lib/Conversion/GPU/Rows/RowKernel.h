//===- RowKernel.h - A GPU as a row machine ---------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some lanes, a warp or a block have a row, and a thread every 32nd (or so)
// piece of it, so that neighbours are read together. Where rows are columns in
// memory, the lanes of a warp have rows side by side, and warps share their
// elements. Short rows stay in registers between their passes: the loop over a
// thread's pieces is unrolled. Longer ones are read again, and what they keep
// lies in scratch memory. Sums of threads meet in shuffles, those of warps in
// shared memory, in an order that the schedule fixes.
//
// A kernel has two forms where pieces are vectors, and the host chooses: rows
// that are not aligned to them are read element by element.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ROWS_ROWKERNEL_H
#define ATTN_LIB_CONVERSION_GPU_ROWS_ROWKERNEL_H

#include "../../Rows/RowMachine.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "llvm/ADT/DenseMap.h"

namespace attn {

/// Of the lanes of rows, whose positions are indices. A NaN loses in their
/// maxima: what needs it, as norms do, makes lanes of its own.
inline constexpr LaneOptions kRowLaneOptions = {/*narrowInts=*/false,
                                                /*numericExtrema=*/true};

class RowKernel : public RowMachine {
public:
  RowKernel(mlir::Location loc, mlir::FloatType type, GPURowsAttr schedule)
      : loc(loc), type(type), schedule(schedule) {}

  void emitRows(mlir::OpBuilder &builder, const RowSpace &space,
                RowAlgorithm &algorithm) override;
  void emitEach(mlir::OpBuilder &builder, mlir::ValueRange counts,
                llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange)>
                    body) override;
  llvm::SmallVector<mlir::Value> reduce(mlir::OpBuilder &builder,
                                        const RowPlace &row,
                                        llvm::ArrayRef<double> neutrals,
                                        RowStep step,
                                        RowCombine combine) override;
  void visit(mlir::OpBuilder &builder, mlir::Value count,
             RowVisit step) override;
  bool areVectors() const override { return width != 1; }
  mlir::Value load(const RowPiece &piece, mlir::Value memref,
                   mlir::ValueRange indices) override;
  mlir::Value loadAgain(const RowPiece &piece, mlir::Value memref,
                        mlir::ValueRange indices) override;
  mlir::Value loadSame(const RowPiece &piece, mlir::Value memref,
                       mlir::ValueRange indices) override;
  void store(const RowPiece &piece, mlir::Value value, mlir::Value memref,
             mlir::ValueRange indices) override;
  void storeOnce(LaneBuilder &scalars, mlir::Value value, mlir::Value memref,
                 mlir::ValueRange indices) override;
  void updateOnce(LaneBuilder &scalars, mlir::Value memref,
                  mlir::ValueRange indices, RowUpdate update) override;
  void keep(const RowPiece &piece, mlir::Value value) override;
  mlir::Value getKept(const RowPiece &piece) override;
  mlir::Value emitWeight(LaneBuilder &lanes, mlir::Value x) override;

  /// Which of a thread's pieces code is emitted for, where they are unrolled.
  int64_t getPiece() const { return current; }

private:
  using Values = llvm::SmallVector<mlir::Value>;

  //===--------------------------------------------------------------------===//
  // Who has which row (RowKernel.cpp)
  //===--------------------------------------------------------------------===//

  /// Whether pieces of `schedule.getWidth()` elements are aligned, as a number
  /// of the host; null where they never are.
  mlir::Value emitAlignment(mlir::OpBuilder &b);
  /// Emits the form with pieces of so many elements.
  void emitForm(mlir::OpBuilder &b, int64_t elements);
  void emitBlock(mlir::OpBuilder &b, mlir::Value block, mlir::Value tid,
                 mlir::Value rows);
  /// Finds the thread's number in its row, and returns that of the row in its
  /// block.
  mlir::Value emitPlace(mlir::OpBuilder &b, mlir::Value threadInBlock);
  void emitRow(mlir::OpBuilder &b, mlir::Value linear);
  /// Some of the rows at one index of the item dimensions.
  void emitItem(mlir::OpBuilder &b, mlir::Value linear);
  void emitItemRow(mlir::OpBuilder &b, mlir::Value other,
                   mlir::ValueRange item);
  /// The dimensions that are no item dimensions.
  llvm::SmallVector<unsigned> getOtherDims() const;
  Values getOtherCounts() const;
  /// The row's elements where they are known to be few, or kDynamic.
  int64_t getKnownLength() const;
  /// How many rows or items there are, by dimension, the fastest one last.
  Values getExtents(mlir::OpBuilder &b);
  int64_t getBlockThreads() const {
    return schedule.getBlockWarps() * kWarpLanes;
  }
  int64_t getBlockRows() const { return getBlockThreads() / rowThreads; }
  /// Whether all threads of a block are needed to the end: for shuffles of
  /// lanes that have other rows, or at barriers that others come to.
  bool needsAllThreads() const {
    return schedule.getStrided() ? schedule.getRowWarps() != 1
                                 : rowThreads < kWarpLanes && rowThreads != 1;
  }

  //===--------------------------------------------------------------------===//
  // Passes over a row (RowPasses.cpp)
  //===--------------------------------------------------------------------===//

  /// Goes over the elements of this thread, with carried values.
  Values emitPieces(mlir::OpBuilder &b, mlir::ValueRange sizes, Values carried,
                    RowStep step);
  Values emitUnrolled(mlir::OpBuilder &b, mlir::ValueRange sizes,
                      mlir::Value count, Values carried, RowStep step);
  /// The piece from element `first` of the row on.
  void emitPiece(mlir::OpBuilder &b, mlir::ValueRange sizes, mlir::Value first,
                 mlir::Value mask, llvm::MutableArrayRef<mlir::Value> carried,
                 RowStep step);
  /// What `combine` makes of the lanes of a vector.
  mlir::Value combineLanes(mlir::OpBuilder &b, mlir::Value value,
                           RowCombine combine);
  /// What it makes of the values of the row's threads, in each of them.
  Values combineThreads(mlir::OpBuilder &b, Values values, RowCombine combine);
  Values combineWarps(mlir::OpBuilder &b, Values values, RowCombine combine);

  //===--------------------------------------------------------------------===//
  // Memory (RowElements.cpp)
  //===--------------------------------------------------------------------===//

  /// Scratch for what rows keep that no registers hold.
  void allocateKept(mlir::OpBuilder &b);
  Values getKeptIndices(const RowPiece &piece);
  /// Where one thread of a row that there is stores its numbers.
  void emitOnce(LaneBuilder &scalars, llvm::function_ref<void()> body);

  mlir::Location loc;
  mlir::FloatType type;
  GPURowsAttr schedule;

  /// Of the op at hand.
  const RowSpace *space = nullptr;
  RowAlgorithm *algorithm = nullptr;
  /// Of the form at hand: elements of a piece, and threads of a row.
  int64_t width = 1, rowThreads = 1;
  /// The number of this thread's row; whether there is such a row (null: yes);
  /// the number of the thread in the row, and in its block.
  Values number;
  mlir::Value exists, thread, threadInBlock;
  /// Shared memory, and how much of it the launch needs.
  mlir::Value shared;
  int64_t sharedBytes = 0;
  /// In scratch, or by number of piece.
  mlir::Value keptMemory;
  Values keptPieces;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> loaded;
  int64_t current = 0;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ROWS_ROWKERNEL_H
