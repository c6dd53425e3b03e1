//===- OnlineMixed.cpp - Weights beside the products of the group before --===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile unit leaves the vector units idle. So a group's weights are made
// while the outputs of the group before are: a few steps of them behind each
// chunk of its products. The outputs of the last group stand alone, in a turn
// of the loop that has no group of its own.
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

/// The scores of the group, if `isThere`, and its state moved to their maximum.
/// What its outputs are to be multiplied with waits in row `turn` of `factors`.
void OnlineGroupEmitter::emitScoresOf(Value rowCount, Value isThere,
                                      Value factors, Value turn) {
  prepareRange(rowCount);
  prepareRows();
  Value keys = getValueOrCreateConstantIndexOp(builder, loc, keyCount);
  Value sees =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, keys, zero);
  Value isActive = arith::AndIOp::create(builder, loc, isThere, sees);
  auto branch =
      scf::IfOp::create(builder, loc, isActive, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Values reference = loadRows(operands.max);
    emitRescale(reference, emitHighest(reference));
    for (auto [position, factor] :
         llvm::zip_equal(getColumns(builder, zero), accFactors))
      vector::StoreOp::create(builder, loc, factor, factors,
                              ValueRange{turn, position});
  }
  accFactors.clear();
  auto select = [&](Value value) -> Value {
    return arith::SelectOp::create(builder, loc, isActive, value, zero);
  };
  firstKey = select(firstKey);
  keyCount = select(keys);
  weightMax = prepareWeights();
}

/// Steps from the counter on, at most `count`, with sums that stand in memory.
void OnlineGroupEmitter::emitNextWeights(Value counter, Value count) {
  Value terms = createIndex(builder, loc, tile.getTerms());
  Value end = arith::DivUIOp::create(
      builder, loc, getValueOrCreateConstantIndexOp(builder, loc, keyCount),
      terms);
  Value begin = memref::LoadOp::create(builder, loc, counter, ValueRange(zero));
  if (count)
    end = arith::MinUIOp::create(
        builder, loc, arith::AddIOp::create(builder, loc, begin, count), end);
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, createIndex(builder, loc, 1),
      loadRows(operands.sum),
      [&](OpBuilder &b, Location, Value step, ValueRange sums) {
        scf::YieldOp::create(
            b, loc, emitStepWeights(b, step, tile.getTerms(), weightMax, sums));
      });
  storeRows(operands.sum, Values(loop.getResults()));
  memref::StoreOp::create(builder, loc, end, counter, ValueRange(zero));
}

/// The outputs of `before`, whose range and factors are those that it had, and
/// the weights of this group beside them.
void OnlineGroupEmitter::emitWeightsBeside(OnlineGroupEmitter &before,
                                           Value counter) {
  Value terms = createIndex(builder, loc, tile.getTerms());
  Value keys = getValueOrCreateConstantIndexOp(builder, loc, keyCount);
  auto toSteps = [&](Value key) -> Value {
    return arith::DivUIOp::create(builder, loc, key, terms);
  };
  Value first = toSteps(firstKey);
  Value steps = arith::SubIOp::create(builder, loc, toSteps(keys), first);
  memref::StoreOp::create(builder, loc, first, counter, ValueRange(zero));
  Value end = getValueOrCreateConstantIndexOp(builder, loc, before.keyCount);
  Value isLeft =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, end, zero);
  auto branch =
      scf::IfOp::create(builder, loc, isLeft, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    int64_t tiles =
        cast<MemRefType>(operands.acc.getType()).getDimSize(0) / tile.mr;
    Value chunks = arith::CeilDivUIOp::create(
        builder, loc, arith::SubIOp::create(builder, loc, end, before.firstKey),
        createIndex(builder, loc, kTileTerms));
    Value calls = arith::MulIOp::create(
        builder, loc, chunks,
        createIndex(builder, loc, std::max<int64_t>(tiles, 1)));
    Value each = arith::CeilDivUIOp::create(builder, loc, steps, calls);
    before.beside = [&] { emitNextWeights(counter, each); };
    before.emitOutputOfTiles();
  }
  emitNextWeights(counter, Value());
  // A key that is left over is a step of its own.
  Value rest = arith::RemUIOp::create(builder, loc, keys, terms);
  Value last = toSteps(keys);
  auto loop = scf::ForOp::create(
      builder, loc, last, arith::AddIOp::create(builder, loc, last, rest),
      createIndex(builder, loc, 1), loadRows(operands.sum),
      [&](OpBuilder &b, Location, Value step, ValueRange sums) {
        scf::YieldOp::create(
            b, loc, emitStepWeights(b, step, /*count=*/1, weightMax, sums));
      });
  storeRows(operands.sum, Values(loop.getResults()));
  emitZeroWeights();
}

void attn::emitMixedGroups(OpBuilder &builder, OnlineAttentionOp op,
                           const RegisterTile &tile,
                           const OnlineOperands &operands, Value rowCount,
                           ScratchPool &pool, const TargetDescription &target) {
  Location loc = op.getLoc();
  int64_t columns = tile.getColumns();
  Value zero = createIndex(builder, loc, 0), one = createIndex(builder, loc, 1),
        width = createIndex(builder, loc, columns);
  int64_t steps = cast<MemRefType>(operands.weights.getType()).getDimSize(0);
  Value weights =
      pool.get(builder, op, {2 * steps, columns}, tile.element, /*slot=*/8);
  Value factors = pool.get(builder, op, {2, columns}, tile.element, /*slot=*/9);
  Value counter =
      pool.get(builder, op, {1}, builder.getIndexType(), /*slot=*/10);
  Value groups = arith::CeilDivUIOp::create(builder, loc, rowCount, width);
  Value lastColumn = arith::MulIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, groups, one), width);
  Value end = arith::MulIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, groups, one), width);
  auto emitTurn = [&](OpBuilder &b, Location, Value column, ValueRange left) {
    Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          column, rowCount);
    Value own = arith::MinUIOp::create(b, loc, column, lastColumn);
    Value turn = arith::DivUIOp::create(b, loc, column, width);
    turn = arith::RemUIOp::create(b, loc, turn, createIndex(b, loc, 2));
    Value other = arith::SubIOp::create(b, loc, one, turn);
    auto getOperands = [&](Value half) {
      OnlineOperands taken = operands;
      Value offset =
          arith::MulIOp::create(b, loc, half, createIndex(b, loc, steps));
      SmallVector<OpFoldResult> ones(2, b.getIndexAttr(1));
      taken.weights = memref::SubViewOp::create(
          b, loc, weights, SmallVector<OpFoldResult>{offset, b.getIndexAttr(0)},
          SmallVector<OpFoldResult>{b.getIndexAttr(steps),
                                    b.getIndexAttr(columns)},
          ones);
      return taken;
    };
    OnlineOperands ownOperands = getOperands(turn),
                   otherOperands = getOperands(other);
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, column, zero);
    Value before = arith::SelectOp::create(
        b, loc, isFirst, zero, arith::SubIOp::create(b, loc, column, width));
    OnlineGroupEmitter group(b, op, tile, ownOperands, own, pool, target);
    OnlineGroupEmitter previous(b, op, tile, otherOperands, before, pool,
                                target);
    group.emitScoresOf(rowCount, isThere, factors, turn);
    previous.resume(left[0], left[1], factors, other);
    group.emitWeightsBeside(previous, counter);
    auto [first, keys] = group.getRange();
    scf::YieldOp::create(b, loc, ValueRange{first, keys});
  };
  scf::ForOp::create(builder, loc, zero, end, width, ValueRange{zero, zero},
                     emitTurn);
}
