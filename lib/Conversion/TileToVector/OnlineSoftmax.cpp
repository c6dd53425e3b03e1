//===- OnlineSoftmax.cpp - The weights of a tile, and their maximum -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Contraction/StepArithmetic.h"
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
  // A weight that is rounded is best exact where it is the largest of its row,
  // 1: then the reference is the maximum. It moves in nearly every tile while
  // there are few, so that the product multiplies the output on its way.
  if (tile.instruction != Instruction::FMA) {
    accFactors = emitMovedState(reference, highest);
    return;
  }
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
  Value rows = getValueOrCreateConstantIndexOp(
      builder, loc, memref::getMixedSize(builder, loc, operands.acc, 0));
  emitScaledAcc(builder, zero, rows, emitMovedState(reference, highest));
}

void OnlineGroupEmitter::emitScaledAcc(OpBuilder &outer, Value begin, Value end,
                                       ArrayRef<Value> factors) {
  emitLoop(outer, loc, begin, end, 1, [&](OpBuilder &b, Value row) {
    for (auto [c, position] : llvm::enumerate(getColumns(b, column)))
      storeAcc(
          b, row, position,
          arith::MulFOp::create(b, loc, loadAcc(b, row, position), factors[c]));
  });
}

SmallVector<Value> OnlineGroupEmitter::emitMovedState(ArrayRef<Value> reference,
                                                      ArrayRef<Value> highest) {
  LaneBuilder lanes(builder, loc, tile.element, tile.lanes);
  auto exp = [&](LaneBuilder &, Value x) {
    return emitWeight(builder, loc, x, target);
  };
  SmallVector<Rescale> changes;
  Values sum, factors, oldSums = loadRows(operands.sum);
  for (auto [before, now, oldSum] :
       llvm::zip_equal(reference, highest, oldSums)) {
    changes.push_back(
        ::attn::emitRescale(lanes, before, emitReference(lanes, now), exp));
    factors.push_back(changes.back().factor);
    sum.push_back(emitMoved(lanes, oldSum, factors.back(), Value()));
  }
  storeRows(operands.max, highest);
  storeRows(operands.sum, sum);
  emitRescaledStatistics(changes, oldSums);
  return factors;
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
  Value keys = getValueOrCreateConstantIndexOp(builder, loc, keyCount);
  emitLoop(builder, loc, firstKey, keys, 1, [&](OpBuilder &b, Value key) {
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

SmallVector<Value> OnlineGroupEmitter::emitStepWeights(OpBuilder &b, Value step,
                                                       int64_t count,
                                                       ArrayRef<Value> max,
                                                       ValueRange sums) {
  LaneBuilder lanes(b, loc, tile.element, tile.lanes);
  StepArithmetic arithmetic(b, loc, tile);
  SmallVector<Statistic> summed = operands.statistics.getSums();
  // Beside the tile unit, instructions that round and add pairs take longer
  // than cutting bits off.
  bool isCut = operands.sumRounded && tile.isOfTiles();
  Value key = step;
  if (tile.getTerms() > 1)
    key = arith::MulIOp::create(b, loc, step,
                                createIndex(b, loc, tile.getTerms()));
  Values next(sums);
  for (auto [c, position] : llvm::enumerate(getColumns(b, zero))) {
    Values terms;
    for (int64_t term = 0; term < count; ++term) {
      Value score = vector::LoadOp::create(
          b, loc, tile.getVectorType(), operands.scratch,
          ValueRange{addIndex(b, loc, key, term), position});
      Value distance = scores.emitDistance(score, rows[c], max[c]);
      Value weight = emitWeight(
          b, loc, distance, target,
          operands.sumRounded ? tile.getNarrow() : FloatType(), isCut);
      if (isCut)
        weight = arithmetic.emitCut(weight);
      terms.push_back(weight);
      if (!operands.sumRounded || isCut)
        next[c] = arith::AddFOp::create(b, loc, next[c], weight);
      for (auto [i, kind] : llvm::enumerate(summed)) {
        Value &sum = next[(1 + i) * tile.nr + c];
        sum = emitStatistic(lanes, kind, weight, distance, sum);
      }
    }
    terms.resize(tile.getTerms(), constant(0.0));
    // A weight that is NaN makes its sum NaN, and so the row.
    bool areRounded = !isCut && tile.isOfTiles() && tile.parts == 1 &&
                      tile.getNarrow().isBF16();
    if (areRounded)
      for (Value &term : terms)
        term = arithmetic.emitNearest(term);
    Values parts;
    if (isCut || areRounded)
      parts = {arithmetic.mergeCut(terms)};
    else
      parts = arithmetic.mergeParts(terms);
    for (auto [part, merged] : llvm::enumerate(parts))
      vector::StoreOp::create(
          b, loc, merged, operands.weights,
          ValueRange{addIndex(b, loc, step, part * countSteps()), position});
    if (operands.sumRounded && !isCut)
      next[c] = arithmetic.addRounded(terms, parts.front(), next[c]);
  }
  return next;
}

void OnlineGroupEmitter::emitExponentials(ArrayRef<Value> max) {
  Value keys = getValueOrCreateConstantIndexOp(builder, loc, keyCount);
  Values init = loadRows(operands.sum);
  SmallVector<Statistic> summed = operands.statistics.getSums();
  // The sums of a block are added up before they meet those of all blocks.
  init.append(summed.size() * tile.nr, constant(0.0));
  Value one = createIndex(builder, loc, 1), first = firstKey, steps = keys,
        rest;
  if (tile.getTerms() > 1) {
    Value terms = createIndex(builder, loc, tile.getTerms());
    first = arith::DivUIOp::create(builder, loc, first, terms);
    steps = arith::DivUIOp::create(builder, loc, keys, terms);
    rest = arith::RemUIOp::create(builder, loc, keys, terms);
  }
  auto emitSteps = [&](Value begin, Value end, int64_t count, ValueRange from) {
    return scf::ForOp::create(
        builder, loc, begin, end, one, from,
        [&](OpBuilder &b, Location, Value step, ValueRange sums) {
          scf::YieldOp::create(b, loc,
                               emitStepWeights(b, step, count, max, sums));
        });
  };
  scf::ForOp loop = emitSteps(first, steps, tile.getTerms(), init);
  // A key that is left over is a step of its own.
  if (rest)
    loop = emitSteps(steps, arith::AddIOp::create(builder, loc, steps, rest), 1,
                     loop.getResults());
  if (tile.isOfTiles())
    emitZeroWeights();
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
  SmallVector<RowStatistics> rows(changes.size());
  for (Statistic kind : operands.statistics.getSums())
    for (auto [row, old] :
         llvm::zip_equal(rows, loadRows(operands.statistics.get(kind))))
      row.get(kind) = old;
  for (auto [row, change, sum] : llvm::zip_equal(rows, changes, oldSum))
    row = emitMovedStatistics(lanes, row, sum, change, {});
  for (Statistic kind : operands.statistics.getSums())
    storeRows(operands.statistics.get(kind),
              llvm::map_to_vector(
                  rows, [&](RowStatistics &row) { return row.get(kind); }));
}

/// The reference may be less than the maximum, which is what a probe reports.
void OnlineGroupEmitter::emitTop(ArrayRef<Value> highest) {
  LaneBuilder lanes(builder, loc, tile.element, tile.lanes);
  Values top = loadRows(operands.statistics.top);
  for (auto [row, now] : llvm::zip_equal(top, highest))
    row = lanes.max(now, row);
  storeRows(operands.statistics.top, top);
}
