//===- PackPairs.cpp - Rows of bf16 as pairs of rows ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction that takes two terms wants them side by side. Where the terms
// of a sum are rows of memory, they are brought together once, for all rows
// that the product makes of them.
//
//===----------------------------------------------------------------------===//

#include "PackPairs.h"

#include "LaneMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace attn;

namespace {

class PairPacker {
public:
  PairPacker(Location loc, Value from, Value to, int64_t lanes)
      : loc(loc), from(from), to(to), lanes(lanes) {}

  /// All columns of row `to`, from `first` and `second`, which may be null for
  /// zeros.
  void emitRow(OpBuilder &builder, Value row, Value first, Value second);

private:
  /// Columns from `column` on, `count` of them at once, or one.
  void emitColumns(OpBuilder &builder, Value column, int64_t count);
  void emitColumn(OpBuilder &builder, Value column);
  Value load(OpBuilder &builder, Value row, Value column, int64_t count);
  Value loadBits(OpBuilder &builder, Value row, Value column);

  Location loc;
  Value from;
  Value to;
  int64_t lanes;
  /// The rows in work.
  Value toRow, firstRow, secondRow;
};

} // namespace

/// Integers of 32 bits, the element in their lower halves.
Value attn::emitInterleaved(OpBuilder &builder, Location loc, Value first,
                            Value second, int64_t half, Type element) {
  int64_t count = cast<VectorType>(first.getType()).getNumElements();
  auto halves = VectorType::get({count}, builder.getI16Type());
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < count / 2; ++i) {
    int64_t column = half * count / 2 + i;
    llvm::append_values(mask, column, count + column);
  }
  Value pairs = vector::ShuffleOp::create(
      builder, loc, vector::BitCastOp::create(builder, loc, halves, first),
      vector::BitCastOp::create(builder, loc, halves, second), mask);
  return vector::BitCastOp::create(
      builder, loc, VectorType::get({count / 2}, element), pairs);
}

/// Beside a row that is missing stand zeros.
Value PairPacker::load(OpBuilder &builder, Value row, Value column,
                       int64_t count) {
  auto type = VectorType::get(
      {count}, cast<MemRefType>(from.getType()).getElementType());
  if (!row)
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return vector::LoadOp::create(builder, loc, type, from,
                                ValueRange{row, column});
}

void PairPacker::emitColumns(OpBuilder &builder, Value column, int64_t count) {
  Type element = cast<MemRefType>(to.getType()).getElementType();
  Value first = load(builder, firstRow, column, count),
        second = load(builder, secondRow, column, count);
  for (int64_t half = 0; half < 2; ++half)
    vector::StoreOp::create(
        builder, loc,
        emitInterleaved(builder, loc, first, second, half, element), to,
        ValueRange{toRow, addIndex(builder, loc, column, half * count / 2)});
}

Value PairPacker::loadBits(OpBuilder &builder, Value row, Value column) {
  Value element =
      memref::LoadOp::create(builder, loc, from, ValueRange{row, column});
  element =
      arith::BitcastOp::create(builder, loc, builder.getI16Type(), element);
  return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), element);
}

void PairPacker::emitColumn(OpBuilder &builder, Value column) {
  Value pair = loadBits(builder, firstRow, column);
  if (secondRow) {
    Value high = arith::ShLIOp::create(
        builder, loc, loadBits(builder, secondRow, column),
        arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), 16));
    pair = arith::OrIOp::create(builder, loc, pair, high);
  }
  Type element = cast<MemRefType>(to.getType()).getElementType();
  pair = arith::BitcastOp::create(builder, loc, element, pair);
  memref::StoreOp::create(builder, loc, pair, to, ValueRange{toRow, column});
}

/// A row shorter than a vector, or not of a known length, ends element by
/// element or with vectors that overlap, as blocks that are converted do.
void PairPacker::emitRow(OpBuilder &builder, Value row, Value first,
                         Value second) {
  toRow = row;
  firstRow = first;
  secondRow = second;
  int64_t most = 2 * lanes;
  OpFoldResult size = memref::getMixedSize(builder, loc, from, 1);
  std::optional<int64_t> columns = getConstantIntValue(size);
  if (columns && *columns > 1) {
    int64_t count =
        llvm::bit_floor(static_cast<uint64_t>(std::min(most, *columns)));
    for (int64_t column = 0; column < *columns; column += count)
      emitColumns(builder,
                  createIndex(builder, loc, std::min(column, *columns - count)),
                  count);
    return;
  }
  Value zero = createIndex(builder, loc, 0);
  Value end = getValueOrCreateConstantIndexOp(builder, loc, size);
  Value rest = arith::RemUIOp::create(builder, loc, end,
                                      createIndex(builder, loc, most));
  Value full = arith::SubIOp::create(builder, loc, end, rest);
  emitLoop(builder, loc, zero, full, most,
           [&](OpBuilder &nested, Value column) {
             emitColumns(nested, column, most);
           });
  emitLoop(builder, loc, full, end, 1, [&](OpBuilder &nested, Value column) {
    emitColumn(nested, column);
  });
}

Value attn::emitPackedPairs(OpBuilder &builder, Location loc, Value block,
                            Value scratch, int64_t lanes) {
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, loc, block);
  std::optional<int64_t> known = getConstantIntValue(sizes[0]);
  Value one = createIndex(builder, loc, 1), two = createIndex(builder, loc, 2);
  Value rows = getValueOrCreateConstantIndexOp(builder, loc, sizes[0]);
  Value full = arith::DivUIOp::create(builder, loc, rows, two);
  if (known)
    sizes[0] = builder.getIndexAttr((*known + 1) / 2);
  else
    sizes[0] = arith::CeilDivUIOp::create(builder, loc, rows, two).getResult();
  SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(2, builder.getIndexAttr(1));
  Value result =
      memref::SubViewOp::create(builder, loc, scratch, zeros, sizes, ones);
  PairPacker packer(loc, block, result, lanes);
  emitLoop(builder, loc, createIndex(builder, loc, 0), full, 1,
           [&](OpBuilder &b, Value row) {
             Value first = arith::MulIOp::create(b, loc, row, two);
             packer.emitRow(b, row, first,
                            arith::AddIOp::create(b, loc, first, one));
           });
  if (known && *known % 2 == 0)
    return result;
  // The last row of an odd number: a loop of one iteration, or of none.
  Value pairs = getValueOrCreateConstantIndexOp(builder, loc, sizes[0]);
  emitLoop(builder, loc, full, pairs, 1, [&](OpBuilder &b, Value row) {
    packer.emitRow(b, row, arith::MulIOp::create(b, loc, row, two), Value());
  });
  return result;
}
