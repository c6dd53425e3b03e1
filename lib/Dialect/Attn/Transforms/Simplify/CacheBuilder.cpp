//===- CacheBuilder.cpp - Rows of keys and values in a cache --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

bool CacheBuilder::isPerSequence() {
  auto type = dyn_cast<ShapedType>(past.getType());
  return type && type.getRank() == 1;
}

Value CacheBuilder::getPast(OpBuilder &nested, Value sequence) {
  Value number = past;
  if (isa<ShapedType>(past.getType())) {
    SmallVector<Value> at;
    if (sequence)
      at.push_back(sequence);
    number = tensor::ExtractOp::create(nested, loc, past, at);
  }
  if (number.getType().isIndex())
    return number;
  return arith::IndexCastOp::create(nested, loc, nested.getIndexType(), number);
}

OpFoldResult CacheBuilder::getNumRows(OpBuilder &nested, Value added) {
  return added ? tensor::getMixedSize(nested, loc, added, batch)
               : OpFoldResult(nested.getIndexAttr(0));
}

void CacheBuilder::checkRoom(OpBuilder &nested, Value keys, Value values,
                             Value used, OpFoldResult rows) {
  auto getRoom = [&](Value cache) {
    return getValueOrCreateConstantIndexOp(
        nested, loc, tensor::getMixedSize(nested, loc, cache, batch + 1));
  };
  Value room =
      arith::MinSIOp::create(nested, loc, getRoom(keys), getRoom(values));
  Value zero = arith::ConstantIndexOp::create(nested, loc, 0);
  Value counts =
      arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::sge, used, zero);
  cf::AssertOp::create(nested, loc, counts, "past is negative");
  // room - rows does not wrap, whatever past is.
  Value most = arith::SubIOp::create(
      nested, loc, room, getValueOrCreateConstantIndexOp(nested, loc, rows));
  Value fits =
      arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::sle, used, most);
  cf::AssertOp::create(nested, loc, fits,
                       "past leaves the cache no room for the rows");
}

/// Copies rows [batch..., rows, heads, dimension] to row `at` of a cache, of
/// `sequence` alone where that is given.
Value CacheBuilder::insert(OpBuilder &nested, Value rows, Value cache, Value at,
                           Value sequence) {
  OpFoldResult zero = nested.getIndexAttr(0), one = nested.getIndexAttr(1);
  int64_t rank = batch + 3;
  // A slice of no rows has no legal offset.
  if (llvm::is_contained(cast<RankedTensorType>(rows.getType()).getShape(), 0))
    return cache;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(nested, loc, rows);
  SmallVector<OpFoldResult> offsets(rank, zero), ones(rank, one);
  if (sequence) {
    offsets[0] = sequence;
    sizes[0] = one;
    rows =
        tensor::ExtractSliceOp::create(nested, loc, rows, offsets, sizes, ones);
  }
  std::swap(sizes[batch], sizes[batch + 1]);
  offsets[batch + 1] = at;
  Value place =
      tensor::ExtractSliceOp::create(nested, loc, cache, offsets, sizes, ones);
  AffineMap identity = nested.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> swapped(identity.getResults());
  std::swap(swapped[batch], swapped[batch + 1]);
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank, 0, swapped, nested.getContext()), identity};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      nested, loc, place.getType(), rows, place, maps, iterators,
      [&](OpBuilder &body, Location, ValueRange elements) {
        linalg::YieldOp::create(body, loc, elements[0]);
      });
  return tensor::InsertSliceOp::create(nested, loc, copy.getResult(0), cache,
                                       offsets, sizes, ones);
}

std::pair<Value, Value> CacheBuilder::append(Value keys, Value values,
                                             Value newKeys, Value newValues) {
  auto appendOne = [&](OpBuilder &nested, Value toKeys, Value toValues,
                       Value sequence) -> std::pair<Value, Value> {
    Value at = getPast(nested, sequence);
    checkRoom(nested, toKeys, toValues, at, getNumRows(nested, newKeys));
    return {insert(nested, newKeys, toKeys, at, sequence),
            insert(nested, newValues, toValues, at, sequence)};
  };
  if (!isPerSequence())
    return appendOne(builder, keys, values, Value());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = getValueOrCreateConstantIndexOp(
      builder, loc, tensor::getMixedSize(builder, loc, past, 0));
  auto loop = scf::ForOp::create(
      builder, loc, zero, count, one, ValueRange({keys, values}),
      [&](OpBuilder &nested, Location, Value sequence, ValueRange state) {
        auto [k, v] = appendOne(nested, state[0], state[1], sequence);
        scf::YieldOp::create(nested, loc, ValueRange({k, v}));
      });
  return {loop.getResult(0), loop.getResult(1)};
}

std::pair<Value, Value> CacheBuilder::getUsedRows(Value keys, Value values,
                                                  Value added) {
  Value used = getPast(builder, Value());
  if (!added)
    checkRoom(builder, keys, values, used, builder.getIndexAttr(0));
  Value rows =
      getValueOrCreateConstantIndexOp(builder, loc, getNumRows(builder, added));
  Value count = used;
  if (added)
    count = arith::AddIOp::create(builder, loc, used, rows);
  auto getFirst = [&](Value cache) -> Value {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, cache);
    sizes[batch + 1] = count;
    SmallVector<OpFoldResult> zeros(batch + 3, builder.getIndexAttr(0));
    SmallVector<OpFoldResult> ones(batch + 3, builder.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(builder, loc, cache, zeros, sizes,
                                          ones);
  };
  return {getFirst(keys), getFirst(values)};
}

Value CacheBuilder::getLengths(Value keys, Value values, Value added) {
  if (!added) {
    Value count = getValueOrCreateConstantIndexOp(
        builder, loc, tensor::getMixedSize(builder, loc, past, 0));
    scf::ForOp::create(
        builder, loc, arith::ConstantIndexOp::create(builder, loc, 0), count,
        arith::ConstantIndexOp::create(builder, loc, 1), ValueRange(),
        [&](OpBuilder &nested, Location, Value sequence, ValueRange) {
          checkRoom(nested, keys, values, getPast(nested, sequence),
                    nested.getIndexAttr(0));
          scf::YieldOp::create(nested, loc);
        });
    return past;
  }
  // Sums of what fits into a few bits need not.
  auto type = cast<RankedTensorType>(past.getType());
  if (type.getElementType().isIntOrFloat() &&
      type.getElementTypeBitWidth() < 32) {
    type = type.clone(builder.getI32Type());
    past = arith::ExtSIOp::create(builder, loc, type, past);
  }
  Type element = type.getElementType();
  Value rows =
      getValueOrCreateConstantIndexOp(builder, loc, getNumRows(builder, added));
  if (!element.isIndex())
    rows = arith::IndexCastOp::create(builder, loc, element, rows);
  SmallVector<Value> dynamic;
  if (type.isDynamicDim(0))
    dynamic.push_back(tensor::DimOp::create(builder, loc, past, 0));
  Value all = tensor::SplatOp::create(builder, loc, rows, type, dynamic);
  return arith::AddIOp::create(builder, loc, past, all);
}
