//===- ContractionEmitter.cpp - Register-tiled contractions ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

#include "LhsPointers.h"
#include "StepArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

static Value indexConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value addIndex(OpBuilder &builder, Location loc, Value a, int64_t b) {
  if (b == 0)
    return a;
  return arith::AddIOp::create(builder, loc, a, indexConstant(builder, loc, b));
}

SmallVector<Value> ContractionEmitter::emit(OpBuilder &builder, Location loc,
                                            ValueRange carried) const {
  Values values(carried);
  Value zero = indexConstant(builder, loc, 0);
  if (std::optional<int64_t> rows = getConstantIntValue(operands.rows)) {
    int64_t full = *rows / tile.mr * tile.mr;
    Value end = indexConstant(builder, loc, full);
    if (full > 0)
      values = emitRowLoop(builder, loc, zero, end, tile.mr, /*skipping=*/false,
                           values);
    if (*rows > full)
      values =
          emitTile(builder, loc, end, *rows - full, /*skipping=*/false, values);
    return values;
  }
  Value rows = getValueOrCreateConstantIndexOp(builder, loc, operands.rows);
  Value height = indexConstant(builder, loc, tile.mr);
  Value rest = arith::RemUIOp::create(builder, loc, rows, height);
  Value full = arith::SubIOp::create(builder, loc, rows, rest);
  values = emitRowLoop(builder, loc, zero, full, tile.mr, /*skipping=*/false,
                       values);
  return emitRowLoop(builder, loc, full, rows, 1, /*skipping=*/false, values);
}

SmallVector<Value> ContractionEmitter::emitRowLoop(OpBuilder &builder,
                                                   Location loc, Value begin,
                                                   Value end, int64_t height,
                                                   bool skipping,
                                                   ValueRange carried) const {
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, indexConstant(builder, loc, height), carried,
      [&](OpBuilder &nested, Location, Value row, ValueRange args) {
        scf::YieldOp::create(
            nested, loc, emitTile(nested, loc, row, height, skipping, args));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> ContractionEmitter::emitTile(OpBuilder &builder,
                                                Location loc, Value row,
                                                int64_t height, bool skipping,
                                                ValueRange carried) const {
  LhsPointers lhs(builder, loc, operands.lhs, operands.lhsTransposed ? 1 : 0,
                  row, height);
  AccumulatorTile result{
      row, height, emitDepthLoop(builder, loc, lhs, row, height, skipping)};
  if (operands.skipsZeros && !skipping)
    return emitWithoutNaN(builder, loc, result, carried);
  return hooks.epilogue(builder, loc, result, carried);
}

SmallVector<Value> ContractionEmitter::emitDepthLoop(OpBuilder &builder,
                                                     Location loc,
                                                     const LhsPointers &lhs,
                                                     Value row, int64_t height,
                                                     bool skipping) const {
  Value prefetchRow;
  if (!skipping)
    prefetchRow = getPrefetchRow(builder, loc, row);
  Value depth = getStepCount(builder, loc);
  Value zero = indexConstant(builder, loc, 0);
  Values sums = getInitial(builder, loc, row, height);
  if (!hooks.beforePart) {
    sums = emitSteps(builder, loc, lhs, height, zero, depth, prefetchRow,
                     skipping, sums);
    return emitTail(builder, loc, lhs, height, depth, skipping, sums);
  }
  Value parts = indexConstant(builder, loc, hooks.parts);
  Value length = arith::CeilDivUIOp::create(builder, loc, depth, parts);
  auto loop = scf::ForOp::create(
      builder, loc, zero, parts, indexConstant(builder, loc, 1), sums,
      [&](OpBuilder &nested, Location, Value part, ValueRange accumulators) {
        auto clamp = [&](Value at) -> Value {
          Value k = arith::MulIOp::create(nested, loc, at, length);
          return arith::MinUIOp::create(nested, loc, k, depth);
        };
        Value begin = clamp(part), end = clamp(addIndex(nested, loc, part, 1));
        hooks.beforePart(nested, loc, row, part, begin);
        scf::YieldOp::create(nested, loc,
                             emitSteps(nested, loc, lhs, height, begin, end,
                                       prefetchRow, skipping, accumulators));
      });
  return emitTail(builder, loc, lhs, height, depth, skipping,
                  loop.getResults());
}

bool ContractionEmitter::takesTerms() const {
  return tile.getTerms() > 1 &&
         cast<MemRefType>(operands.lhs.getType()).getElementTypeBitWidth() <
             tile.element.getIntOrFloatBitWidth();
}

/// Full steps where A's terms lie one by one, else all of them.
Value ContractionEmitter::getStepCount(OpBuilder &builder, Location loc) const {
  Value depth = getValueOrCreateConstantIndexOp(builder, loc, operands.depth);
  if (tile.getTerms() == 1)
    return depth;
  Value terms = indexConstant(builder, loc, tile.getTerms());
  if (takesTerms())
    return arith::DivUIOp::create(builder, loc, depth, terms);
  return arith::CeilDivUIOp::create(builder, loc, depth, terms);
}

SmallVector<Value>
ContractionEmitter::emitTail(OpBuilder &builder, Location loc,
                             const LhsPointers &lhs, int64_t height, Value k,
                             bool skipping, ValueRange sums) const {
  auto emit = [&](OpBuilder &b) {
    return emitStep(b, loc, lhs, height, k, /*prefetchRow=*/{}, skipping,
                    /*isTail=*/true, sums);
  };
  std::optional<int64_t> known = getConstantIntValue(operands.depth);
  if (!takesTerms() || (known && *known % tile.getTerms() == 0))
    return llvm::to_vector(sums);
  if (known)
    return emit(builder);
  Value depth = getValueOrCreateConstantIndexOp(builder, loc, operands.depth);
  Value rest = arith::RemUIOp::create(
      builder, loc, depth, indexConstant(builder, loc, tile.getTerms()));
  Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                     rest, indexConstant(builder, loc, 0));
  auto branch = scf::IfOp::create(
      builder, loc, some,
      [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, emit(b)); },
      [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, sums); });
  return llvm::to_vector_of<Value>(branch.getResults());
}

SmallVector<Value>
ContractionEmitter::emitSteps(OpBuilder &builder, Location loc,
                              const LhsPointers &lhs, int64_t height,
                              Value begin, Value end, Value prefetchRow,
                              bool skipping, ValueRange initial) const {
  // One step of k per iteration: unrolling it makes registers spill.
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, indexConstant(builder, loc, 1), initial,
      [&](OpBuilder &nested, Location, Value k, ValueRange accumulators) {
        scf::YieldOp::create(nested, loc,
                             emitStep(nested, loc, lhs, height, k, prefetchRow,
                                      skipping, /*isTail=*/false,
                                      accumulators));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Comparing the terms at each step costs an eighth of the products' time.
/// Those of 0 add 0, unless A is not finite there: then the sum is NaN, and the
/// tile is computed again, row by row, as that is little code for what is rare.
SmallVector<Value>
ContractionEmitter::emitWithoutNaN(OpBuilder &builder, Location loc,
                                   const AccumulatorTile &tried,
                                   ValueRange carried) const {
  Value isNaN;
  for (size_t i = 0, e = tried.vectors.size(); i < e; i += 2) {
    // One comparison finds a NaN in either operand.
    Value some = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                       tried.vectors[i],
                                       tried.vectors[std::min(i + 1, e - 1)]);
    isNaN = isNaN ? arith::OrIOp::create(builder, loc, isNaN, some) : some;
  }
  Value any = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::OR, isNaN);
  auto branch = scf::IfOp::create(
      builder, loc, any,
      [&](OpBuilder &then, Location) {
        Value end = addIndex(then, loc, tried.row, tried.height);
        scf::YieldOp::create(then, loc,
                             emitRowLoop(then, loc, tried.row, end,
                                         /*height=*/1, /*skipping=*/true,
                                         carried));
      },
      [&](OpBuilder &otherwise, Location) {
        scf::YieldOp::create(otherwise, loc,
                             hooks.epilogue(otherwise, loc, tried, carried));
      });
  return llvm::to_vector_of<Value>(branch.getResults());
}

/// The terms of a step of B, from one row of vectors of them or from a row for
/// each.
SmallVector<Value> ContractionEmitter::loadRhs(OpBuilder &builder, Location loc,
                                               Value k, bool isTail) const {
  Type stored = cast<MemRefType>(operands.rhs.getType()).getElementType();
  bool isPacked = stored == tile.element;
  int64_t terms = isPacked ? 1 : tile.getTerms();
  Value row = k;
  if (terms > 1)
    row = arith::MulIOp::create(builder, loc, k,
                                indexConstant(builder, loc, terms));
  int64_t vectorBytes = tile.lanes * stored.getIntOrFloatBitWidth() / 8;
  constexpr int64_t lineBytes = 64;
  auto getColumn = [&](int64_t c) {
    return addIndex(builder, loc, operands.column, c * tile.lanes);
  };
  Values results;
  if (isPacked)
    for (int64_t c = 0; c < tile.nr; ++c)
      results.push_back(
          vector::LoadOp::create(builder, loc, tile.getVectorType(),
                                 operands.rhs, ValueRange{row, getColumn(c)}));
  else
    results = StepArithmetic(builder, loc, tile)
                  .loadRows(operands.rhs, row, operands.column, tile.nr,
                            isTail ? 1 : terms);
  for (int64_t c = 0; c < tile.nr; ++c) {
    if (operands.prefetchRhs == 0 ||
        (!isPacked && c * vectorBytes % lineBytes != 0))
      continue;
    for (int64_t term = 0; term < terms; ++term)
      memref::PrefetchOp::create(
          builder, loc, operands.rhs,
          ValueRange{
              addIndex(builder, loc, row, operands.prefetchRhs * terms + term),
              getColumn(c)},
          /*isWrite=*/false, operands.prefetchLocality, /*isDataCache=*/true);
  }
  Value next;
  if (operands.nextVectors != 0) {
    next = arith::MulIOp::create(
        builder, loc, row,
        indexConstant(builder, loc, operands.nextVectors * tile.lanes));
    next = arith::AddIOp::create(builder, loc, operands.nextBegin, next);
  }
  for (int64_t c = 0; c < operands.nextVectors; ++c)
    memref::PrefetchOp::create(
        builder, loc, operands.next,
        ValueRange{addIndex(builder, loc, next, c * tile.lanes)},
        /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  return results;
}

/// One broadcast, then its multiply-adds: in column order the broadcasts would
/// have to stay in registers, which there are not enough of.
SmallVector<Value>
ContractionEmitter::emitStep(OpBuilder &builder, Location loc,
                             const LhsPointers &lhs, int64_t height, Value k,
                             Value prefetchRow, bool skipping, bool isTail,
                             ValueRange accumulators) const {
  if (prefetchRow)
    memref::PrefetchOp::create(builder, loc, operands.lhs,
                               ValueRange{k, prefetchRow}, /*isWrite=*/false,
                               /*localityHint=*/3, /*isDataCache=*/true);
  Values rhs = loadRhs(builder, loc, k, isTail);
  StepArithmetic arithmetic(builder, loc, tile);
  Value first = k;
  if (takesTerms())
    first = arith::MulIOp::create(builder, loc, k,
                                  indexConstant(builder, loc, tile.getTerms()));
  Value offset = lhs.getOffset(builder, loc, first);
  int64_t taken = isTail || !takesTerms() ? 1 : tile.getTerms();
  Values results;
  for (int64_t r = 0; r < height; ++r) {
    Value row = arithmetic.spread(lhs.load(builder, loc, r, offset, taken));
    for (int64_t c = 0; c < tile.nr; ++c) {
      Value sum = accumulators[r * tile.nr + c];
      results.push_back(skipping
                            ? arithmetic.multiplyAddNonZero(row, rhs[c], sum)
                            : arithmetic.multiplyAdd(row, rhs[c], sum));
    }
  }
  return results;
}

SmallVector<Value> ContractionEmitter::getInitial(OpBuilder &builder,
                                                  Location loc, Value row,
                                                  int64_t height) const {
  if (hooks.initial)
    return hooks.initial(builder, loc, row, height);
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(tile.getVectorType()));
  return Values(height * tile.nr, zero);
}

/// The row to prefetch in this tile, kept inside A.
Value ContractionEmitter::getPrefetchRow(OpBuilder &builder, Location loc,
                                         Value row) const {
  if (operands.prefetchAhead == 0 || !operands.lhsTransposed)
    return {};
  Value rows = getValueOrCreateConstantIndexOp(builder, loc, operands.rows);
  Value last =
      arith::SubIOp::create(builder, loc, rows, indexConstant(builder, loc, 1));
  Value ahead = addIndex(builder, loc, row, operands.prefetchAhead);
  return arith::MinUIOp::create(builder, loc, ahead, last);
}
