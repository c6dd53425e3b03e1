//===- ConvertBlock.cpp - Blocks in another element type ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product broadcasts every element of a key or value block once per group of
// rows; converting it each time would cost as much as its multiply-adds.
//
//===----------------------------------------------------------------------===//

#include "ConvertBlock.h"

#include "../Shared/ConvertFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace attn;

namespace {

class BlockConverter {
public:
  BlockConverter(Location loc, Value from, Value to, int64_t lanes)
      : loc(loc), from(from), to(to), lanes(lanes),
        element(cast<MemRefType>(to.getType()).getElementType()) {}

  /// All columns of one row.
  void emitRow(OpBuilder &builder, Value row);

private:
  void emitVector(OpBuilder &builder, Value row, Value column, int64_t count);
  void emitElements(OpBuilder &builder, Value row, Value begin, Value end);

  Location loc;
  Value from;
  Value to;
  int64_t lanes;
  Type element;
};

} // namespace

void BlockConverter::emitVector(OpBuilder &builder, Value row, Value column,
                                int64_t count) {
  auto type = VectorType::get({count}, element);
  std::array<Value, 2> position = {row, column};
  storeFloats(builder, loc,
              loadFloats(builder, loc, type, from, ValueRange(position)), to,
              ValueRange(position));
}

void BlockConverter::emitElements(OpBuilder &builder, Value row, Value begin,
                                  Value end) {
  emitLoop(builder, loc, begin, end, 1, [&](OpBuilder &nested, Value column) {
    std::array<Value, 2> position = {row, column};
    Value value =
        memref::LoadOp::create(nested, loc, from, ValueRange(position));
    memref::StoreOp::create(nested, loc,
                            convertFloat(nested, loc, value, element), to,
                            ValueRange(position));
  });
}

void BlockConverter::emitRow(OpBuilder &builder, Value row) {
  Value zero = createIndex(builder, loc, 0);
  OpFoldResult size = memref::getMixedSize(builder, loc, from, 1);
  std::optional<int64_t> columns = getConstantIntValue(size);
  if (columns && hasUnitInnerStride(from)) {
    // The last vector is moved back to end with the row. A row shorter than a
    // vector takes two narrower ones that overlap.
    int64_t count =
        llvm::bit_floor(static_cast<uint64_t>(std::min(lanes, *columns)));
    for (int64_t column = 0; column < *columns; column += count)
      emitVector(builder, row,
                 createIndex(builder, loc, std::min(column, *columns - count)),
                 count);
    return;
  }
  Value end = getValueOrCreateConstantIndexOp(builder, loc, size);
  if (!hasUnitInnerStride(from))
    return emitElements(builder, row, zero, end);
  Value rest = arith::RemUIOp::create(builder, loc, end,
                                      createIndex(builder, loc, lanes));
  Value full = arith::SubIOp::create(builder, loc, end, rest);
  emitLoop(builder, loc, zero, full, lanes,
           [&](OpBuilder &nested, Value column) {
             emitVector(nested, row, column, lanes);
           });
  emitElements(builder, row, full, end);
}

Value attn::emitConvertedBlock(OpBuilder &builder, Location loc, Value block,
                               Value scratch, int64_t lanes) {
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, loc, block);
  SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(2, builder.getIndexAttr(1));
  Value result =
      memref::SubViewOp::create(builder, loc, scratch, zeros, sizes, ones);
  BlockConverter converter(loc, block, result, lanes);
  emitLoop(
      builder, loc, createIndex(builder, loc, 0),
      getValueOrCreateConstantIndexOp(builder, loc, sizes[0]), 1,
      [&](OpBuilder &nested, Value row) { converter.emitRow(nested, row); });
  return result;
}
