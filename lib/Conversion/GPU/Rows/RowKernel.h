//===- RowKernel.h - A GPU as a row machine ---------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp or a block has a row, and a thread every 32nd (or so) element of it,
// so that neighbours are read together. Short rows stay in registers between
// their passes: the loop over a thread's elements is unrolled. Longer ones are
// read again, and what they keep lies in scratch memory. Sums of threads meet
// in shuffles, those of warps in shared memory, in an order that the schedule
// fixes.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ROWS_ROWKERNEL_H
#define ATTN_LIB_CONVERSION_GPU_ROWS_ROWKERNEL_H

#include "../../Rows/RowMachine.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace attn {

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
  bool areVectors() const override { return false; }
  mlir::Value load(const RowPiece &piece, mlir::Value memref,
                   mlir::ValueRange indices) override;
  mlir::Value loadAgain(const RowPiece &piece, mlir::Value memref,
                        mlir::ValueRange indices) override;
  void store(const RowPiece &piece, mlir::Value value, mlir::Value memref,
             mlir::ValueRange indices) override;
  void storeOnce(LaneBuilder &scalars, mlir::Value value, mlir::Value memref,
                 mlir::ValueRange indices) override;
  void keep(const RowPiece &piece, mlir::Value value) override;
  mlir::Value getKept(const RowPiece &piece) override;
  mlir::Value emitWeight(LaneBuilder &lanes, mlir::Value x) override;

private:
  using Values = llvm::SmallVector<mlir::Value>;

  int64_t getRowThreads() const { return schedule.getRowWarps() * kWarpLanes; }
  int64_t getBlockRows() const {
    return schedule.getBlockWarps() / schedule.getRowWarps();
  }
  /// Scratch for what rows keep that no registers hold.
  void allocateKept(mlir::OpBuilder &b);
  void emitBlock(mlir::OpBuilder &b, mlir::gpu::LaunchOp launch,
                 mlir::Value rows);
  void emitRow(mlir::OpBuilder &b, mlir::Value number);
  /// Goes over the elements of this thread, with carried values.
  Values emitPieces(mlir::OpBuilder &b, mlir::Value count, Values carried,
                    RowStep step);
  Values emitUnrolled(mlir::OpBuilder &b, mlir::Value count, Values carried,
                      RowStep step);
  /// What `combine` makes of the values of the row's threads, in each of them.
  mlir::Value combineThreads(mlir::OpBuilder &b, mlir::Value value,
                             RowCombine combine);
  mlir::Value combineWarps(mlir::OpBuilder &b, mlir::Value value,
                           RowCombine combine);
  Values getKeptIndices(const RowPiece &piece);

  mlir::Location loc;
  mlir::FloatType type;
  GPURowsAttr schedule;

  /// Of the op at hand.
  const RowSpace *space = nullptr;
  RowAlgorithm *algorithm = nullptr;
  /// The number of this thread's row, and of the thread in it; shared memory.
  Values number;
  mlir::Value thread, shared;
  /// In scratch, or by number of piece.
  mlir::Value keptMemory;
  Values keptPieces;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> loaded;
  /// The piece that code is emitted for, where loops are unrolled.
  int64_t current = 0;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ROWS_ROWKERNEL_H
