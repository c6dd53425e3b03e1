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
  /// Columns from `column` on, as a vector or as one element (`count` 0).
  void emitColumns(OpBuilder &builder, Value column, int64_t count);
  Value load(OpBuilder &builder, Value row, Value column, int64_t count);

  Location loc;
  Value from;
  Value to;
  int64_t lanes;
  /// The rows in work.
  Value toRow, firstRow, secondRow;
};

} // namespace

/// Integers of 32 bits, the element in their lower halves.
Value PairPacker::load(OpBuilder &builder, Value row, Value column,
                       int64_t count) {
  Type stored = builder.getBF16Type(), narrow = builder.getI16Type(),
       wide = builder.getI32Type();
  Value elements;
  std::array<Value, 2> position = {row, column};
  if (count == 0) {
    elements = memref::LoadOp::create(builder, loc, from, position);
  } else {
    stored = VectorType::get({count}, stored);
    narrow = VectorType::get({count}, narrow);
    wide = VectorType::get({count}, wide);
    elements = vector::LoadOp::create(builder, loc, cast<VectorType>(stored),
                                      from, ValueRange(position));
  }
  elements = arith::BitcastOp::create(builder, loc, narrow, elements);
  return arith::ExtUIOp::create(builder, loc, wide, elements);
}

void PairPacker::emitColumns(OpBuilder &builder, Value column, int64_t count) {
  Value pairs = load(builder, firstRow, column, count);
  Type element = cast<MemRefType>(to.getType()).getElementType(),
       type = pairs.getType();
  if (secondRow) {
    TypedAttr half = builder.getI32IntegerAttr(16);
    if (auto vector = dyn_cast<VectorType>(type))
      half = DenseElementsAttr::get(vector, Attribute(half));
    Value high = arith::ShLIOp::create(
        builder, loc, load(builder, secondRow, column, count),
        arith::ConstantOp::create(builder, loc, half));
    pairs = arith::OrIOp::create(builder, loc, pairs, high);
  }
  if (count != 0)
    element = VectorType::get({count}, element);
  pairs = arith::BitcastOp::create(builder, loc, element, pairs);
  std::array<Value, 2> position = {toRow, column};
  if (count == 0)
    memref::StoreOp::create(builder, loc, pairs, to, position);
  else
    vector::StoreOp::create(builder, loc, pairs, to, position);
}

/// A row shorter than a vector, or not of a known length, ends element by
/// element or with vectors that overlap, as blocks that are converted do.
void PairPacker::emitRow(OpBuilder &builder, Value row, Value first,
                         Value second) {
  toRow = row;
  firstRow = first;
  secondRow = second;
  OpFoldResult size = memref::getMixedSize(builder, loc, from, 1);
  if (std::optional<int64_t> columns = getConstantIntValue(size)) {
    int64_t count =
        llvm::bit_floor(static_cast<uint64_t>(std::min(lanes, *columns)));
    for (int64_t column = 0; column < *columns; column += count)
      emitColumns(builder,
                  createIndex(builder, loc, std::min(column, *columns - count)),
                  count);
    return;
  }
  Value zero = createIndex(builder, loc, 0);
  Value end = getValueOrCreateConstantIndexOp(builder, loc, size);
  Value rest = arith::RemUIOp::create(builder, loc, end,
                                      createIndex(builder, loc, lanes));
  Value full = arith::SubIOp::create(builder, loc, end, rest);
  emitLoop(builder, loc, zero, full, lanes,
           [&](OpBuilder &nested, Value column) {
             emitColumns(nested, column, lanes);
           });
  emitLoop(builder, loc, full, end, 1, [&](OpBuilder &nested, Value column) {
    emitColumns(nested, column, 0);
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
