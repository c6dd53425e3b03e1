//===- BlockEmitter.h - One block of a matrix product -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_BLOCKEMITTER_H
#define ATTN_LIB_CONVERSION_CONTRACTION_BLOCKEMITTER_H

#include "MatrixBlock.h"
#include "MatrixStore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace attn {

/// Terms of rows that stay in L1 beside as many of a panel, on the tile unit;
/// the second number is that of terms in parts.
constexpr int64_t kTilePartTerms = 256, kCutPartTerms = 128;

/// Emits a block. Its parts lie in MatrixBlock.cpp (steps, rows and register
/// tiles), MatrixTiles.cpp (the same on the tile unit), MatrixStreams.cpp and
/// MatrixTurned.cpp (few rows there) and MatrixAhead.cpp (what is asked for
/// ahead).
class BlockEmitter {
public:
  BlockEmitter(mlir::OpBuilder &builder, mlir::Location loc,
               const MatrixProduct &product, mlir::Value packed,
               ContractionScheduleAttr schedule, mlir::FloatType compute)
      : builder(builder), loc(loc), product(product), schedule(schedule),
        tile(getRegisterTile(schedule, compute, product.lhs.memref,
                             product.rhs.memref)),
        rowType(tile.getTerms() == 1 ? compute : tile.getNarrow()),
        partTerms(tile.parts == 1 ? kTilePartTerms : kCutPartTerms),
        panelBound(schedule.getPanels()), packed(packed) {}

  void emit(mlir::Value batch, mlir::Value rowBlock, mlir::Value columnGroup);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// One step over k.
  struct Step {
    mlir::Value begin;
    mlir::OpFoldResult depth;
    /// Null where it is the only one.
    mlir::Value isFirst, isLast;
  };

  Values getBatchIndices(mlir::Value batch);
  mlir::OpFoldResult getCount(mlir::Value first, int64_t step,
                              mlir::OpFoldResult size);
  /// One row times columns that are contiguous: nothing of it is copied.
  void emitDots();
  void emitSteps();
  void emitStep(mlir::OpBuilder &b, const Step &step);
  /// The tile of `height` rows at `row` for all panels; `limit` of the rows
  /// exist, all if it is null.
  void emitRows(mlir::OpBuilder &b, const Step &step, mlir::Value row,
                int64_t height, mlir::Value limit);
  mlir::Value getPanel(mlir::OpBuilder &b, const Step &step, mlir::Value panel);
  /// The panel of all that were packed ahead, of a step and of its number.
  mlir::Value getPackedPanel(mlir::OpBuilder &b, mlir::Value step,
                             mlir::Value number);
  /// What is read after a panel, as one row; where a tile of rows begins to ask
  /// for it, and for how many vectors at each step.
  struct NextPanel {
    mlir::Value panel, begin;
    int64_t vectors = 0;
  };
  std::optional<NextPanel> findNextPanel(mlir::OpBuilder &b, const Step &step,
                                         mlir::Value panel, mlir::Value row);
  void emitTile(mlir::OpBuilder &b, const Step &step, mlir::Value rows,
                mlir::Value panel, const TilePlace &place, int64_t height);
  void emitTileUnit(mlir::OpBuilder &b, const Step &step, mlir::Value rows,
                    const TilePlace &place);
  mlir::Value getTileSums(mlir::OpBuilder &b, mlir::Value panel);
  void allocateTurned();
  void emitTurnedStep(mlir::OpBuilder &b, const Step &step);
  void emitRowSteps(mlir::OpBuilder &b, const Step &step);
  void emitTurnedPanel(mlir::OpBuilder &b, const Step &step, mlir::Value first);
  void storeTurned(mlir::OpBuilder &b, const Step &step, mlir::Value first,
                   mlir::Value from);
  void allocateStreams();
  void copyStreamRows(mlir::OpBuilder &b, const Step &step);
  void emitStreamedStep(mlir::OpBuilder &b, const Step &step);
  mlir::Value getStreamSums(mlir::OpBuilder &b, mlir::Value panel,
                            mlir::Value row);
  void storeStreams();
  void prefetchTerms(mlir::OpBuilder &b, mlir::Value panel, mlir::Value first,
                     mlir::Value term);
  void prefetchRows(mlir::OpBuilder &b, const Step &step, mlir::Value panel,
                    mlir::Value row, mlir::Value k, int64_t parts);
  void findNextPanels(mlir::OpBuilder &b, const Step &step);
  bool findNextColumns(mlir::OpBuilder &b, const Step &step, mlir::Value panel);
  void prefetchPanels(mlir::OpBuilder &b, mlir::Value panel, mlir::Value row,
                      mlir::Value part, int64_t parts);
  mlir::Value multiply(mlir::OpBuilder &b, mlir::Value a, int64_t c) {
    return mlir::arith::MulIOp::create(b, loc, a, createIndex(b, loc, c));
  }
  mlir::Value allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
    return mlir::memref::AllocOp::create(builder, loc,
                                         mlir::MemRefType::get(shape, element),
                                         builder.getI64IntegerAttr(64));
  }
  mlir::Value index(mlir::OpBuilder &b, mlir::OpFoldResult value) {
    return mlir::getValueOrCreateConstantIndexOp(b, loc, value);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const MatrixProduct &product;
  ContractionScheduleAttr schedule;
  RegisterTile tile;
  /// What copied rows of A consist of: terms are widened where a step takes one
  /// of them.
  mlir::Type rowType;
  int64_t partTerms;
  int64_t panelBound;
  /// All panels of the product, where they were packed ahead, else null.
  mlir::Value packed;
  /// Whether columns of B are read where they lie.
  bool areDots = false;
  mlir::Value dotScratch;
  /// Whether the tile unit does so, with columns of B as its left operand.
  bool areTurned = false;
  /// Then: rows of A, steps by rows; the sums of a panel, columns by rows;
  /// columns that cannot be read where they lie.
  mlir::Value rowSteps, turnedSums, columnCopies;
  /// Whether the unit's sums of all rows and panels wait between steps.
  bool areStreamed = false;

  mlir::Value lhs, rhs;
  mlir::Value row, column;
  mlir::OpFoldResult rowCount, columnCount;
  /// The packed panels of a step, or the few of them at a time; null where B is
  /// read where it lies, or all of it was packed ahead: then the block's first
  /// panel there.
  mlir::Value panels;
  mlir::Value firstPanel;
  /// Where in B the panels of the next step come from; null where nobody asks
  /// for them ahead.
  mlir::Value nextRow, nextColumn;
  mlir::Value panelCount, tileRows;
  /// On the tile unit: a register tile for each panel, and where sums of few
  /// rows wait, for each tile of rows of each panel.
  mlir::Value tileSums;
  std::optional<MatrixStore> store;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_BLOCKEMITTER_H
