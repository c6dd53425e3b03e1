//===- OnlineHidden.cpp - Sums beside the state, on the tile unit ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the output that do not fill a register tile, and all of them where
// hidden values are not finite: sums go to scratch first.
//
//===----------------------------------------------------------------------===//

#include "OnlineGroup.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

/// One tile of rows: values have no room for a larger one behind those in
/// place. The sums stand in scratch, from where `count` of the rows go to acc.
void OnlineGroupEmitter::emitTileAside(Value row, Value count) {
  RegisterTile lower = tile;
  lower.mr = kTileRows;
  Value sums = pool.get(builder, op, {lower.mr, tile.getColumns()},
                        tile.element, /*slot=*/5);
  Value one = createIndex(builder, loc, 1);
  auto copy = [&](OpBuilder &outer, Value from, Value fromRow, Value fromColumn,
                  Value to, Value toRow, Value toColumn) {
    emitLoop(outer, loc, zero, count, 1, [&](OpBuilder &b, Value r) {
      for (int64_t c = 0; c < tile.nr; ++c) {
        auto getPosition = [&](Value first, Value at) -> Values {
          return {arith::AddIOp::create(b, loc, first, r),
                  addIndex(b, loc, at, c * tile.lanes)};
        };
        Value vector =
            vector::LoadOp::create(b, loc, tile.getVectorType(), from,
                                   getPosition(fromRow, fromColumn));
        if (from == operands.acc)
          vector = arith::MulFOp::create(b, loc, vector, accFactors[c]);
        vector::StoreOp::create(b, loc, vector, to,
                                getPosition(toRow, toColumn));
      }
    });
  };
  copy(builder, operands.acc, row, column, sums, zero, zero);
  TileMemory memory = TileMemory::get(builder, loc, sums);
  emitTileProduct(builder, loc, lower, getOutputOperands(), row,
                  {memory, zero, zero, /*accumulates=*/true});
  auto finish = [&](OpBuilder &b) {
    copy(b, sums, zero, zero, operands.acc, row, column);
  };
  if (!scores.hidesKeys())
    return finish(builder);
  auto branch = scf::IfOp::create(builder, loc,
                                  emitAnyNaN(builder, loc, tile, sums, count),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  finish(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  auto loop = scf::ForOp::create(builder, loc, zero, count, one);
  builder.setInsertionPointToStart(loop.getBody());
  emitRowOfPairs(
      arith::AddIOp::create(builder, loc, row, loop.getInductionVar()));
}

/// The tile unit cannot leave out terms, and vectors of pairs can. It is little
/// code for what is rare.
void OnlineGroupEmitter::emitRowOfPairs(Value row) {
  for (int64_t part = 0; part < tile.parts; ++part)
    for (int64_t other = 0; other + part < tile.parts; ++other)
      addPairs(row, other, part);
}

/// Multiplies parts of values and of weights. The first product scales the
/// state.
void OnlineGroupEmitter::addPairs(Value row, int64_t valuePart,
                                  int64_t weightPart) {
  RegisterTile pairs = tile;
  if (pairs.instruction == Instruction::BF16Tiles)
    pairs.instruction = Instruction::BF16Pairs;
  pairs.parts = 1;
  pairs.mr = 1;
  SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
  Value end = getValueOrCreateConstantIndexOp(builder, loc, keyCount);
  Value depth = arith::SubIOp::create(builder, loc, end, firstKey);
  ContractionOperands contraction;
  contraction.lhs = memref::SubViewOp::create(
      builder, loc, operands.value.memref,
      SmallVector<OpFoldResult>{
          addIndex(builder, loc, row, valuePart * operands.valuePartRows),
          firstKey},
      SmallVector<OpFoldResult>{builder.getIndexAttr(1), depth}, strides);
  Value steps = createIndex(builder, loc, tile.getTerms());
  contraction.rhs = memref::SubViewOp::create(
      builder, loc, operands.weights,
      SmallVector<OpFoldResult>{
          addIndex(builder, loc,
                   arith::DivUIOp::create(builder, loc, firstKey, steps),
                   weightPart * countSteps()),
          builder.getIndexAttr(0)},
      SmallVector<OpFoldResult>{
          arith::CeilDivUIOp::create(builder, loc, depth, steps).getResult(),
          builder.getIndexAttr(tile.getColumns())},
      strides);
  contraction.column = zero;
  contraction.rows = builder.getIndexAttr(pairs.mr);
  contraction.depth = depth;
  contraction.skipsZeros = true;
  ContractionHooks hooks;
  hooks.initial = [&](OpBuilder &b, Location, Value, int64_t) {
    Values initial;
    for (auto [position, factor] :
         llvm::zip_equal(getColumns(b, column), accFactors)) {
      Value acc = loadAcc(b, row, position);
      initial.push_back(valuePart + weightPart == 0
                            ? Value(arith::MulFOp::create(b, loc, acc, factor))
                            : acc);
    }
    return initial;
  };
  hooks.epilogue = [&](OpBuilder &b, Location, const AccumulatorTile &result,
                       ValueRange) {
    for (auto [position, sum] :
         llvm::zip_equal(getColumns(b, column), result.vectors))
      storeAcc(b, row, position, sum);
    return Values();
  };
  ContractionEmitter(pairs, contraction, hooks)
      .emit(builder, loc, ValueRange());
}
