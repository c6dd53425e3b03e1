//===- SegmentOverlap.cpp - Tiles of foreign segments ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentOverlap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// The least and the greatest id in param `index`.
static std::pair<Value, Value>
emitIdRange(OpBuilder &builder, AttentionOpInterface op, unsigned index) {
  Location loc = op.getLoc();
  Value param = op.getParams()[index];
  AffineMap map = op.getParamMap(index);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  // At most one dimension is not of size 1: that of the rows or the keys.
  std::optional<unsigned> along;
  for (auto [i, result] : llvm::enumerate(map.getResults()))
    if (result.isFunctionOfDim(op.getRowDim()) ||
        result.isFunctionOfDim(op.getKeyDim()))
      along = i;
  auto load = [&](OpBuilder &b, Value at) -> Value {
    if (!isa<MemRefType>(param.getType()))
      return param;
    SmallVector<Value> position(map.getNumResults(), zero);
    if (along)
      position[*along] = at;
    return memref::LoadOp::create(b, loc, param, position);
  };
  Value first = load(builder, zero);
  if (!along)
    return {first, first};
  Value count = memref::DimOp::create(builder, loc, param, *along);
  auto loop = scf::ForOp::create(
      builder, loc, one, count, one, ValueRange{first, first},
      [&](OpBuilder &b, Location, Value at, ValueRange range) {
        Value id = load(b, at);
        Value least = arith::MinSIOp::create(b, loc, range[0], id);
        Value greatest = arith::MaxSIOp::create(b, loc, range[1], id);
        scf::YieldOp::create(b, loc, ValueRange{least, greatest});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

Value attn::emitSegmentOverlap(OpBuilder &builder, AttentionOpInterface op) {
  std::optional<unsigned> params = findSegmentParams(op);
  if (!params)
    return {};
  Location loc = op.getLoc();
  auto toWide = [&](Value id) -> Value {
    Type i64 = builder.getI64Type();
    if (id.getType().isIndex())
      return arith::IndexCastOp::create(builder, loc, i64, id);
    if (id.getType() == i64)
      return id;
    return arith::ExtSIOp::create(builder, loc, i64, id);
  };
  auto [firstRow, lastRow] = emitIdRange(builder, op, *params);
  auto [firstKey, lastKey] = emitIdRange(builder, op, *params + 1);
  auto reaches = [&](Value low, Value high) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                 toWide(low), toWide(high));
  };
  return arith::AndIOp::create(builder, loc, reaches(firstRow, lastKey),
                               reaches(firstKey, lastRow));
}
