//===- OnlineSoftmax.cpp - The weights of a tile, and their maximum -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/Weights.h"
#include "OnlineGroup.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;
using namespace attn;

/// Weights are 2^(s - reference). The reference is a maximum that the row had
/// at some time; it moves only when the maximum has left it by this much, in
/// log2 units. Output and sum share it, so the quotient is exact in it, and 2^8
/// is far from overflow; what it saves is a pass over the output for each tile.
constexpr double maxGrowth = 8.0;

void OnlineGroupEmitter::emitRescale(ArrayRef<Value> reference,
                                     ArrayRef<Value> highest) {
  Value outgrown;
  for (auto [before, now] : llvm::zip_equal(reference, highest)) {
    Value bound =
        arith::AddFOp::create(builder, loc, before, constant(maxGrowth));
    Value left = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                       now, bound);
    outgrown =
        outgrown ? arith::OrIOp::create(builder, loc, outgrown, left) : left;
  }
  Value any = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::OR, outgrown);
  auto branch = scf::IfOp::create(builder, loc, any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  LaneBuilder lanes(builder, loc, tile.element, tile.lanes);
  auto exp = [&](LaneBuilder &, Value x) {
    return emitWeight(builder, loc, x, target);
  };
  SmallVector<Rescale> changes;
  Values sum, oldSums = loadRows(operands.sum);
  for (auto [before, now, oldSum] :
       llvm::zip_equal(reference, highest, oldSums)) {
    changes.push_back(
        ::attn::emitRescale(lanes, before, emitReference(lanes, now), exp));
    sum.push_back(emitMoved(lanes, oldSum, changes.back().factor, Value()));
  }
  storeRows(operands.max, highest);
  storeRows(operands.sum, sum);
  emitRescaledStatistics(changes, oldSums);
  Value rows = getValueOrCreateConstantIndexOp(
      builder, loc, memref::getMixedSize(builder, loc, operands.acc, 0));
  emitLoop(builder, loc, zero, rows, 1, [&](OpBuilder &b, Value row) {
    for (auto [c, position] : llvm::enumerate(getColumns(b, column)))
      storeAcc(b, row, position,
               arith::MulFOp::create(b, loc, loadAcc(b, row, position),
                                     changes[c].factor));
  });
}

/// A distance is a fused product minus the maximum, which is a rounded product:
/// even that of the maximum itself is then what the rounding took. That is
/// nothing against 1, unless the maximum is so large that its last digit is a
/// whole number; there products are rounded alike.
void OnlineGroupEmitter::emitRoundedScores(ArrayRef<Value> max) {
  LaneBuilder lanes(builder, loc, tile.element, tile.lanes);
  unsigned digits = llvm::APFloat::semanticsPrecision(
      cast<FloatType>(tile.element).getFloatSemantics());
  Value bound = constant(std::ldexp(1.0, digits - 1)), huge;
  for (Value row : max) {
    Value isHuge = lanes.cmp(arith::CmpFPredicate::OGT, lanes.abs(row), bound);
    huge = huge ? arith::OrIOp::create(builder, loc, huge, isHuge) : isHuge;
  }
  Value any = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::OR, huge);
  Values factors;
  for (ScoreLanes::Row &row : rows)
    factors.push_back(row.emitted.factor);
  auto branch = scf::IfOp::create(builder, loc, TypeRange(ValueRange(factors)),
                                  any, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, factors);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value keys = getValueOrCreateConstantIndexOp(
      builder, loc, memref::getMixedSize(builder, loc, operands.key, 0));
  emitLoop(builder, loc, zero, keys, 1, [&](OpBuilder &b, Value key) {
    for (auto [c, position] : llvm::enumerate(getColumns(b, zero))) {
      SmallVector<Value> where = {key, position};
      Value kept = vector::LoadOp::create(b, loc, tile.getVectorType(),
                                          operands.scratch, where);
      Value score = arith::MulFOp::create(b, loc, kept, factors[c]);
      vector::StoreOp::create(b, loc, score, operands.scratch, where);
    }
  });
  scf::YieldOp::create(builder, loc, Values(tile.nr, constant(1.0)));
  for (auto [row, factor] : llvm::zip_equal(rows, branch.getResults()))
    row.emitted.factor = factor;
}

void OnlineGroupEmitter::emitExponentials(ArrayRef<Value> max) {
  Value keys = getValueOrCreateConstantIndexOp(
      builder, loc, memref::getMixedSize(builder, loc, operands.key, 0));
  Values init = loadRows(operands.sum);
  SmallVector<Statistic> summed = operands.statistics.getSums();
  // The sums of a block are added up before they meet those of all blocks.
  init.append(summed.size() * tile.nr, constant(0.0));
  auto loop = scf::ForOp::create(
      builder, loc, zero, keys, createIndex(builder, loc, 1), init,
      [&](OpBuilder &b, Location, Value key, ValueRange sums) {
        LaneBuilder lanes(b, loc, tile.element, tile.lanes);
        Values next(sums);
        for (auto [c, position] : llvm::enumerate(getColumns(b, zero))) {
          Value score = vector::LoadOp::create(b, loc, tile.getVectorType(),
                                               operands.scratch,
                                               ValueRange{key, position});
          Value distance = scores.emitDistance(score, rows[c], max[c]);
          Value weight = emitWeight(b, loc, distance, target);
          vector::StoreOp::create(b, loc, weight, operands.scratch,
                                  ValueRange{key, position});
          next[c] = arith::AddFOp::create(b, loc, sums[c], weight);
          size_t at = tile.nr + c;
          for (Statistic kind : summed) {
            Value term = emitStatisticTerm(lanes, kind, weight, distance);
            next[at] = lanes.fma(weight, term, sums[at]);
            at += tile.nr;
          }
        }
        scf::YieldOp::create(b, loc, next);
      });
  ValueRange results = loop.getResults();
  storeRows(operands.sum, Values(results.take_front(tile.nr)));
  results = results.drop_front(tile.nr);
  for (Statistic kind : summed) {
    Value statistic = operands.statistics.get(kind);
    Values total = loadRows(statistic);
    for (auto [row, part] : llvm::zip(total, results))
      row = arith::AddFOp::create(builder, loc, row, part);
    storeRows(statistic, total);
    results = results.drop_front(tile.nr);
  }
}

void OnlineGroupEmitter::emitRescaledStatistics(ArrayRef<Rescale> changes,
                                                ArrayRef<Value> oldSum) {
  LaneBuilder lanes(builder, loc, tile.element, tile.lanes);
  for (Statistic kind : operands.statistics.getSums()) {
    Value memref = operands.statistics.get(kind);
    Values statistic = loadRows(memref);
    for (auto [row, change, sum] : llvm::zip_equal(statistic, changes, oldSum))
      row = emitMovedStatistic(lanes, kind, row, sum, change, Value());
    storeRows(memref, statistic);
  }
}

/// The reference may be less than the maximum, which is what a probe reports.
void OnlineGroupEmitter::emitTop(ArrayRef<Value> highest) {
  LaneBuilder lanes(builder, loc, tile.element, tile.lanes);
  Values top = loadRows(operands.statistics.top);
  for (auto [row, now] : llvm::zip_equal(top, highest))
    row = lanes.max(now, row);
  storeRows(operands.statistics.top, top);
}
