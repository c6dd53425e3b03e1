//===- Finalize.cpp - attn.finalize as vector loops -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/Transpose.h"
#include "../Lanes/Weights.h"
#include "../Shared/ConvertFloat.h"
#include "ScoreLanes.h"
#include "TileShape.h"

#include "attn/Dialect/Attn/Score/SoftmaxState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

class FinalizeEmitter {
public:
  FinalizeEmitter(OpBuilder &builder, FinalizeOp op, const TileShape &shape,
                  Value acc, Value output, Value lse, ScratchPool &pool)
      : builder(builder), loc(op.getLoc()), op(op), shape(shape), acc(acc),
        output(output), lse(lse), pool(pool),
        vectorType(shape.tile.getVectorType()),
        valueDim(cast<MemRefType>(acc.getType()).getDimSize(0)) {}

  void emit();

private:
  RowEnd emitRowEnd(OpBuilder &b, Value firstRow);
  void emitProbes(OpBuilder &b, Value firstRow, Value factor);
  /// Stores one number a row.
  void emitRows(OpBuilder &b, Value firstRow, Value values, Value memref);
  void emitBlock(OpBuilder &b, Value firstRow, Value factor);
  void emitElements(OpBuilder &b, Value firstRow, Value factor);
  /// Runs `body` for each lane whose row exists.
  void
  forEachRow(OpBuilder &b, Value firstRow,
             llvm::function_ref<void(OpBuilder &, Value row, Value lane)> body);

  OpBuilder &builder;
  Location loc;
  FinalizeOp op;
  const TileShape &shape;
  Value acc;
  Value output;
  /// Null when lse is not asked for.
  Value lse;
  ScratchPool &pool;
  VectorType vectorType;
  int64_t valueDim;
  /// The number of rows that exist.
  Value rows;
};

} // namespace

void FinalizeEmitter::emit() {
  Value zero = createIndex(builder, loc, 0);
  rows = memref::DimOp::create(builder, loc, output, zero);
  bool vectorStores =
      hasUnitInnerStride(output) && valueDim >= shape.tile.lanes;
  auto finishRows = [&](OpBuilder &b, Value firstRow) {
    RowEnd end = emitRowEnd(b, firstRow);
    if (lse)
      emitRows(b, firstRow, end.lse, lse);
    if (op.getProbes())
      emitProbes(b, firstRow, end.factor);
    if (vectorStores)
      emitBlock(b, firstRow, end.factor);
    else
      emitElements(b, firstRow, end.factor);
  };
  // Blocks of lanes without a row are left out.
  emitLoop(builder, loc, zero, rows, shape.tile.lanes, finishRows);
}

RowEnd FinalizeEmitter::emitRowEnd(OpBuilder &b, Value firstRow) {
  LaneBuilder lanes(b, loc, shape.tile.element, shape.tile.lanes);
  auto load = [&](Value memref) -> Value {
    return vector::LoadOp::create(b, loc, vectorType, memref,
                                  ValueRange(firstRow));
  };
  ScoreLanes scores(b, op, shape.tile);
  return ::attn::emitRowEnd(lanes, Units::Log2, load(op.getMax()),
                            load(op.getSum()), scores.emitLogExtra(firstRow),
                            lse != nullptr, emitOutputWeight);
}

void FinalizeEmitter::forEachRow(
    OpBuilder &b, Value firstRow,
    llvm::function_ref<void(OpBuilder &, Value, Value)> body) {
  Value left = arith::SubIOp::create(b, loc, rows, firstRow);
  Value count = arith::MinUIOp::create(b, loc, left,
                                       createIndex(b, loc, shape.tile.lanes));
  emitLoop(b, loc, createIndex(b, loc, 0), count, 1,
           [&](OpBuilder &nested, Value lane) {
             Value row = arith::AddIOp::create(nested, loc, firstRow, lane);
             body(nested, row, lane);
           });
}

void FinalizeEmitter::emitProbes(OpBuilder &b, Value firstRow, Value factor) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  LaneBuilder lanes(b, loc, shape.tile.element, shape.tile.lanes);
  auto load = [&](Value memref) -> Value {
    return vector::LoadOp::create(b, loc, vectorType, memref,
                                  ValueRange(firstRow));
  };
  RowStatistics statistics;
  for (auto [kind, statistic] :
       llvm::zip_equal(self.getStatisticKinds(), op.getStatistics()))
    statistics.get(kind) = load(statistic);
  ScoreLanes scores(b, op, shape.tile);
  SmallVector<Value> probes = ::attn::emitProbes(
      lanes, self, Units::Log2, load(op.getSum()), factor, statistics, [&] {
        return emitLogitSlope(lanes, self, op.getSizes()[self.getHeadDimDim()],
                              scores.emitScale(firstRow));
      });
  for (auto [probe, memref] :
       llvm::zip_equal(probes, op.getOutputs().take_back(probes.size())))
    emitRows(b, firstRow, probe, memref);
}

void FinalizeEmitter::emitRows(OpBuilder &b, Value firstRow, Value values,
                               Value memref) {
  Value scratch = pool.get(b, op, {shape.tile.lanes}, shape.tile.element);
  vector::StoreOp::create(b, loc, values, scratch,
                          ValueRange(createIndex(b, loc, 0)));
  Type type = cast<MemRefType>(memref.getType()).getElementType();
  forEachRow(b, firstRow, [&](OpBuilder &nested, Value row, Value lane) {
    Value value =
        memref::LoadOp::create(nested, loc, scratch, ValueRange(lane));
    memref::StoreOp::create(nested, loc, convertFloat(nested, loc, value, type),
                            memref, ValueRange(row));
  });
}

void FinalizeEmitter::emitBlock(OpBuilder &b, Value firstRow, Value factor) {
  emitChunks(
      b, loc, valueDim, shape.tile.lanes, [&](OpBuilder &nested, Value column) {
        SmallVector<Value> columns;
        for (int64_t c = 0; c < shape.tile.lanes; ++c) {
          Value lanes = vector::LoadOp::create(
              nested, loc, vectorType, acc,
              ValueRange{addIndex(nested, loc, column, c), firstRow});
          columns.push_back(arith::MulFOp::create(nested, loc, lanes, factor));
        }
        SmallVector<Value> outputRows = emitTranspose(nested, loc, columns);
        // A store needs its cache line first. Without this the stores of a
        // small tile hold up the tile after it.
        if (shape.isOneGroup())
          emitPrefetch(nested, loc, output,
                       addIndex(nested, loc, firstRow, shape.rows),
                       shape.tile.lanes, column, /*isWrite=*/true);
        for (int64_t r = 0; r < shape.tile.lanes; ++r) {
          Value row = addIndex(nested, loc, firstRow, r);
          Value exists = arith::CmpIOp::create(
              nested, loc, arith::CmpIPredicate::ult, row, rows);
          scf::IfOp::create(nested, loc, exists,
                            [&](OpBuilder &then, Location) {
                              storeFloats(then, loc, outputRows[r], output,
                                          ValueRange{row, column});
                              scf::YieldOp::create(then, loc);
                            });
        }
      });
}

/// One element at a time: for strides and short rows without vector stores.
void FinalizeEmitter::emitElements(OpBuilder &b, Value firstRow, Value factor) {
  Value zero = createIndex(b, loc, 0);
  Value scratch = pool.get(b, op, {shape.tile.lanes}, shape.tile.element);
  vector::StoreOp::create(b, loc, factor, scratch, ValueRange(zero));
  Type type = cast<MemRefType>(output.getType()).getElementType();
  auto storeRow = [&](OpBuilder &perRow, Value row, Value lane) {
    Value rowFactor =
        memref::LoadOp::create(perRow, loc, scratch, ValueRange(lane));
    auto storeElement = [&](OpBuilder &nested, Value c) {
      Value value =
          memref::LoadOp::create(nested, loc, acc, ValueRange{c, row});
      value = arith::MulFOp::create(nested, loc, value, rowFactor);
      memref::StoreOp::create(nested, loc,
                              convertFloat(nested, loc, value, type), output,
                              ValueRange{row, c});
    };
    emitLoop(perRow, loc, zero, createIndex(perRow, loc, valueDim), 1,
             storeElement);
  };
  forEachRow(b, firstRow, storeRow);
}

namespace {

struct LowerFinalize : OpRewritePattern<FinalizeOp> {
  LowerFinalize(MLIRContext *context, ScratchPool &pool)
      : OpRewritePattern(context), pool(pool) {}

  LogicalResult matchAndRewrite(FinalizeOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<TileShape> shape = getTileShape(op, rewriter);
    if (failed(shape) || failed(checkScores(op, rewriter)))
      return failure();
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    unsigned m = attention.getRowDim(), dv = attention.getValueDim();
    AffineMap outputMap = attention.getOutputMap(0);
    if (!isTileMap(attention.getInputMap(0), dv, m, /*anyOrder=*/false) ||
        !isTileMap(outputMap, m, dv, /*anyOrder=*/true))
      return rewriter.notifyMatchFailure(op, "operands are not 2-D tiles");
    for (Value state : attention.getShapedInputs())
      if (!isStateTile(state, *shape))
        return rewriter.notifyMatchFailure(
            op, "the state is not contiguous in the schedule's rows");
    if (cast<MemRefType>(op.getAcc().getType()).isDynamicDim(0))
      return rewriter.notifyMatchFailure(op, "the value dimension is dynamic");
    Value output =
        getOriented(rewriter, op.getLoc(), op.getOutputs()[0], outputMap, m);
    FinalizeEmitter(rewriter, op, *shape, op.getAcc(), output, op.getLse(),
                    pool)
        .emit();
    rewriter.eraseOp(op);
    return success();
  }

private:
  ScratchPool &pool;
};

} // namespace

void attn::populateFinalizePattern(RewritePatternSet &patterns,
                                   ScratchPool &scratch) {
  patterns.add<LowerFinalize>(patterns.getContext(), scratch);
}
