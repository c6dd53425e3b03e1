//===- VectorRows.h - The rows of a CPU -------------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of rows are the work items. A row is gone over in vectors, the next
// one is asked for while this one is computed, and results that no cache would
// hold are written past the caches. A sum that is too large for the caches
// reads and writes two streams: there one pass writes a row and reads the next
// one.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_VECTORROWS_VECTORROWS_H
#define ATTN_LIB_CONVERSION_VECTORROWS_VECTORROWS_H

#include "../Lanes/RowMemory.h"
#include "../Rows/RowMachine.h"
#include "RowLoop.h"
#include "attn/Target/TargetDescription.h"

namespace attn {

/// What an op's schedule says of its rows.
struct VectorRowsOptions {
  mlir::FloatType type;
  int64_t lanes, unroll;
  /// Rows that a work item takes.
  int64_t rows;
  /// Outputs of so many bytes are written past the caches.
  int64_t stream;
  /// What does not fill a vector is gone over in one with a mask, instead of
  /// element by element.
  bool masksRest;
};

class VectorRows : public RowMachine {
public:
  VectorRows(mlir::Location loc, VectorRowsOptions options,
             const TargetDescription &target)
      : loc(loc), options(options), target(target) {}

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
  bool areVectors() const override { return inVectors; }
  mlir::Value load(const RowPiece &piece, mlir::Value memref,
                   mlir::ValueRange indices) override;
  void store(const RowPiece &piece, mlir::Value value, mlir::Value memref,
             mlir::ValueRange indices) override;
  void storeOnce(LaneBuilder &scalars, mlir::Value value, mlir::Value memref,
                 mlir::ValueRange indices) override;
  void keep(const RowPiece &piece, mlir::Value value) override;
  mlir::Value getKept(const RowPiece &piece) override;
  void askAhead(const RowPiece &piece, const RowPlace &row) override;
  void askForNext(const RowPiece &piece, const RowPlace &row,
                  mlir::ValueRange position) override;
  mlir::Value emitWeight(LaneBuilder &lanes, mlir::Value x) override;

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Memory for what a row keeps: whole vectors, where the last one has a mask.
  mlir::Value allocateKept(mlir::OpBuilder &b);
  /// Work items whose dimensions are not all of the rows'.
  void emitItems(mlir::OpBuilder &builder);
  /// Writes the item's rows from dimension `number.size()` on.
  void emitItemRows(mlir::OpBuilder &b, const RowBlock &block, Values number);
  RowPlace locate(mlir::OpBuilder &b, mlir::ValueRange number);
  void emitRow(mlir::OpBuilder &b, const RowPlace &row);
  void emitWrite(mlir::OpBuilder &b, const RowPlace &row,
                 mlir::ValueRange numbers);
  /// Writes each row while the next one is read.
  void emitInTurn(mlir::OpBuilder &b, const RowBlock &block);
  /// Returns the numbers of the row that was read.
  Values emitTurn(mlir::OpBuilder &b, const RowPlace &written,
                  mlir::ValueRange numbers, const RowPlace &read);
  /// Whether the row's outputs are written past the caches; may be null.
  mlir::Value emitPastCaches(mlir::OpBuilder &b, const RowPlace &row);
  /// Asks for what an input has `distance` elements behind the piece.
  void askBehind(const RowPiece &piece, const RowPlace &row, mlir::Value input,
                 int64_t distance, bool isNear);
  /// Whether a row is measured while the one before it is written.
  bool canTakeTurns() const;
  RowShape getShape(llvm::ArrayRef<mlir::Value> sizes) const;

  mlir::Location loc;
  VectorRowsOptions options;
  const TargetDescription &target;

  /// Of the op at hand.
  const RowSpace *space = nullptr;
  RowAlgorithm *algorithm = nullptr;
  bool inVectors = true;
  /// Whether its outputs are too large for the caches; null if certainly not.
  mlir::Value streams;
  mlir::Value kept;
  /// Whether the code at hand stores past the caches.
  bool pastCaches = false;
  /// What a pass does first with each piece, and how many passes come before
  /// it.
  RowVisit along;
  int64_t passesBefore = 0;
  /// What it stores there, which waits for the loads of the piece.
  struct Store {
    mlir::Value value, memref;
    Values indices;
  };
  std::optional<llvm::SmallVector<Store>> waiting;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_VECTORROWS_VECTORROWS_H
