//===- DecodeOutput.cpp - A block's weights times its values --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

void DecodeEmitter::emitRowOutputs(OpBuilder &b, Value block, Value blockKeys,
                                   Value firstRow, int64_t rowCount) {
  int64_t chunks = valueVectors.getCount(), step = shape.schedule.getNr();
  for (int64_t first = 0; first < chunks; first += step)
    emitOutput(b, block, blockKeys, firstRow, rowCount, first,
               std::min(step, chunks - first));
}

/// Beside the last of an odd number of keys stand zeros: its weight is 0, and
/// its value, read again, may be infinite.
SmallVector<Value> DecodeEmitter::loadValues(OpBuilder &b, Value keyRow,
                                             int64_t firstChunk,
                                             int64_t chunkCount) {
  Values values;
  if (!takesPairs()) {
    for (int64_t c = 0; c < chunkCount; ++c)
      values.push_back(valueVectors.load(b, operands.value, {keyRow, zero}, 1,
                                         firstChunk + c));
    return values;
  }
  StepArithmetic arithmetic(b, loc, tile);
  Value next = addIndex(b, loc, keyRow, 1);
  Value nextRow = arith::MinUIOp::create(b, loc, next, lastKey);
  Value exists =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, next, count);
  Value none =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(shape.getPairType()));
  Value first, second;
  for (int64_t chunk = firstChunk; chunk < firstChunk + chunkCount; ++chunk) {
    int64_t half = chunk % 2;
    if (half == 0 || chunk == firstChunk) {
      auto load = [&](Value row) {
        return valuePairs.load(b, operands.value, {row, zero}, 1, chunk / 2);
      };
      first = load(keyRow);
      second = arith::SelectOp::create(b, loc, exists, load(nextRow), none);
    }
    values.push_back(arithmetic.interleave(first, second, half));
  }
  return values;
}

SmallVector<Value>
DecodeEmitter::emitOutputStep(OpBuilder &b, Value keyRow, Value step,
                              ArrayRef<Value> rows, int64_t firstChunk,
                              int64_t chunkCount, ValueRange sums) {
  bool hides = !op.getMasks().empty();
  StepArithmetic arithmetic(b, loc, tile);
  Values values = loadValues(b, keyRow, firstChunk, chunkCount), next;
  for (auto [r, row] : llvm::enumerate(rows)) {
    Value weight = splatLoad(b, weights, {row, step});
    for (int64_t c = 0; c < chunkCount; ++c) {
      Value old = sums[r * chunkCount + c];
      // A hidden key has weight 0, but its value may be NaN.
      next.push_back(hides
                         ? arithmetic.multiplyAddNonZero(values[c], weight, old)
                         : arithmetic.multiplyAdd(weight, values[c], old));
    }
  }
  return next;
}

void DecodeEmitter::emitOutput(OpBuilder &b, Value block, Value blockKeys,
                               Value firstRow, int64_t rowCount,
                               int64_t firstChunk, int64_t chunkCount) {
  Values rows, accumulators;
  for (int64_t r = 0; r < rowCount; ++r) {
    rows.push_back(addIndex(b, loc, firstRow, r));
    Value rescale = vector::LoadOp::create(
        b, loc, shape.getVectorType(), rescales, ValueRange{rows.back(), zero});
    for (int64_t c = 0; c < chunkCount; ++c) {
      Value old = valueVectors.load(b, operands.acc, {rows.back(), zero}, 1,
                                    firstChunk + c);
      accumulators.push_back(arith::MulFOp::create(b, loc, old, rescale));
    }
  }
  // Each pass over the block's values fetches its part of the next keys.
  int64_t mr = shape.schedule.getMr(), nr = shape.schedule.getNr();
  int64_t passes = llvm::divideCeil(valueVectors.getCount(), nr);
  int64_t parts = passes * llvm::divideCeil(shape.getCount(), mr);
  Value rowPass = arith::DivUIOp::create(b, loc, firstRow, index(b, mr));
  Value part =
      addIndex(b, loc, arith::MulIOp::create(b, loc, rowPass, index(b, passes)),
               firstChunk / nr);
  int64_t terms = tile.getTerms();
  Value steps = blockKeys;
  if (takesPairs())
    steps = arith::CeilDivUIOp::create(b, loc, blockKeys, index(b, terms));
  auto loop = scf::ForOp::create(
      b, loc, zero, steps, index(b, 1), accumulators,
      [&](OpBuilder &nested, Location, Value step, ValueRange sums) {
        Value key = step;
        if (takesPairs())
          key = arith::MulIOp::create(nested, loc, step, index(nested, terms));
        Value keyRow = arith::AddIOp::create(nested, loc, block, key);
        Values next = emitOutputStep(nested, keyRow, step, rows, firstChunk,
                                     chunkCount, sums);
        for (int64_t term = 0; term < terms; ++term)
          prefetchKeys(nested, keyRow, term, part, parts);
        scf::YieldOp::create(nested, loc, next);
      });
  for (int64_t r = 0; r < rowCount; ++r)
    for (int64_t c = 0; c < chunkCount; ++c)
      valueVectors.store(b, loop.getResult(r * chunkCount + c), operands.acc,
                         {rows[r], zero}, 1, firstChunk + c);
}
