//===- LaneMemory.cpp - Vectors in memory, and loops over them ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneMemory.h"

#include "../Shared/ConvertFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

bool attn::isTileMap(AffineMap map, unsigned rowDim, unsigned columnDim,
                     bool anyOrder) {
  if (map.getNumResults() != 2)
    return false;
  auto isDim = [&](unsigned result, unsigned dim) {
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(result));
    return expr && expr.getPosition() == dim;
  };
  return (isDim(0, rowDim) && isDim(1, columnDim)) ||
         (anyOrder && isDim(0, columnDim) && isDim(1, rowDim));
}

Value attn::getOriented(OpBuilder &builder, Location loc, Value memref,
                        AffineMap map, unsigned rowDim) {
  if (map.getResult(0).isFunctionOfDim(rowDim))
    return memref;
  AffineMap swap =
      AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, map.getContext());
  return memref::TransposeOp::create(builder, loc, memref,
                                     AffineMapAttr::get(swap));
}

bool attn::hasUnitInnerStride(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         !strides.empty() && strides.back() == 1;
}

Value ScratchPool::get(OpBuilder &builder, Operation *user,
                       ArrayRef<int64_t> shape, Type element, unsigned slot) {
  // Not in a sequential loop, which would allocate once an iteration. Where it
  // lives, and that it is freed, is attn-place-scratch's business.
  Region *scope = user->getParentRegion();
  while (!isa<scf::ForallOp, scf::ParallelOp>(scope->getParentOp()) &&
         !scope->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
    scope = scope->getParentRegion();
  Block *entry = &scope->front();
  auto type = MemRefType::get(shape, element);
  Value &memory = allocated[{entry, type, slot}];
  if (!memory) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    memory = memref::AllocOp::create(builder, user->getLoc(), type,
                                     builder.getI64IntegerAttr(64));
  }
  return memory;
}

Value attn::loadFloats(OpBuilder &builder, Location loc, VectorType type,
                       Value memref, ValueRange position, Value mask) {
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  VectorType storedType = type.clone(stored);
  Value vector;
  if (mask) {
    Value zeros = arith::ConstantOp::create(builder, loc,
                                            builder.getZeroAttr(storedType));
    vector = vector::MaskedLoadOp::create(builder, loc, storedType, memref,
                                          position, mask, zeros);
  } else {
    vector = vector::LoadOp::create(builder, loc, storedType, memref, position);
  }
  return convertFloat(builder, loc, vector, type);
}

void attn::storeFloats(OpBuilder &builder, Location loc, Value vector,
                       Value memref, ValueRange position) {
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  auto type = cast<VectorType>(vector.getType()).clone(stored);
  vector::StoreOp::create(
      builder, loc, convertFloat(builder, loc, vector, type), memref, position);
}

Value attn::createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value attn::addIndex(OpBuilder &builder, Location loc, Value a, int64_t b) {
  if (b == 0)
    return a;
  return arith::AddIOp::create(builder, loc, a, createIndex(builder, loc, b));
}

void attn::emitPrefetch(OpBuilder &builder, Location loc, Value memref,
                        Value firstRow, int64_t count, Value column,
                        bool isWrite) {
  for (int64_t r = 0; r < count; ++r)
    memref::PrefetchOp::create(
        builder, loc, memref,
        ValueRange{addIndex(builder, loc, firstRow, r), column}, isWrite,
        /*localityHint=*/3, /*isDataCache=*/true);
}

void attn::emitLoop(OpBuilder &builder, Location loc, Value begin, Value end,
                    int64_t step,
                    llvm::function_ref<void(OpBuilder &, Value)> body) {
  scf::ForOp::create(builder, loc, begin, end, createIndex(builder, loc, step),
                     ValueRange(),
                     [&](OpBuilder &nested, Location, Value i, ValueRange) {
                       body(nested, i);
                       scf::YieldOp::create(nested, loc);
                     });
}

void attn::emitChunks(OpBuilder &builder, Location loc, int64_t size,
                      int64_t lanes,
                      llvm::function_ref<void(OpBuilder &, Value)> body) {
  assert(size >= lanes && "no full chunk");
  int64_t full = size / lanes * lanes;
  // The loop's trip count makes the last chunk one more, moved back.
  Value end = createIndex(builder, loc, size);
  Value last = createIndex(builder, loc, size - lanes);
  emitLoop(builder, loc, createIndex(builder, loc, 0), end, lanes,
           [&](OpBuilder &nested, Value chunk) {
             if (full != size)
               chunk = arith::MinUIOp::create(nested, loc, chunk, last);
             body(nested, chunk);
           });
}
