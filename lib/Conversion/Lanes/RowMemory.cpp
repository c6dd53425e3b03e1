//===- RowMemory.cpp - Rows as work items, and their memory ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMemory.h"

#include "../Shared/ConvertFloat.h"
#include "LaneMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Work items
//===----------------------------------------------------------------------===//

void RowBlock::emitRows(
    OpBuilder &builder, Location loc,
    llvm::function_ref<void(OpBuilder &, ValueRange, ValueRange)> body) const {
  emitLoop(builder, loc, begin, end, 1, [&](OpBuilder &b, Value i) {
    SmallVector<Value> row(outer), next(outer);
    if (!isWhole) {
      row.push_back(i);
      next.push_back(
          arith::MinUIOp::create(b, loc, addIndex(b, loc, i, 1), last));
    }
    body(b, row, next);
  });
}

void attn::emitRowBlocks(
    OpBuilder &builder, Location loc, ValueRange sizes, int64_t rows,
    llvm::function_ref<void(OpBuilder &, const RowBlock &)> body) {
  emitRowBlocks(builder, loc, sizes, createIndex(builder, loc, rows), body);
}

void attn::emitRowBlocks(
    OpBuilder &builder, Location loc, ValueRange sizes, Value step,
    llvm::function_ref<void(OpBuilder &, const RowBlock &)> body) {
  Value count = sizes.empty() ? createIndex(builder, loc, 1) : sizes.back();
  SmallVector<OpFoldResult> counts;
  for (Value size : sizes.drop_back(!sizes.empty()))
    counts.push_back(size);
  counts.push_back(sizes.empty() ? count
                                 : Value(arith::CeilDivUIOp::create(
                                       builder, loc, count, step)));
  auto forall =
      scf::ForallOp::create(builder, loc, counts, ValueRange(), std::nullopt);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forall.getBody());
  RowBlock block;
  block.isWhole = sizes.empty();
  llvm::append_range(block.outer, forall.getInductionVars());
  Value item = block.outer.pop_back_val();
  block.begin = arith::MulIOp::create(builder, loc, item, step);
  block.end = arith::MinUIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, block.begin, step),
      count);
  block.last =
      arith::SubIOp::create(builder, loc, count, createIndex(builder, loc, 1));
  body(builder, block);
}

//===----------------------------------------------------------------------===//
// Past the caches
//===----------------------------------------------------------------------===//

Value attn::emitIsLarge(OpBuilder &builder, Location loc, ValueRange memrefs,
                        int64_t limit) {
  auto type = cast<MemRefType>(memrefs[0].getType());
  auto bytes =
      static_cast<int64_t>(type.getElementTypeBitWidth() / 8 * memrefs.size());
  if (type.hasStaticShape()) {
    if (type.getNumElements() * bytes < limit)
      return {};
    return arith::ConstantIntOp::create(builder, loc, 1, 1);
  }
  Value size = createIndex(builder, loc, bytes);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    size = arith::MulIOp::create(
        builder, loc, size,
        memref::DimOp::create(builder, loc, memrefs[0], dim));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, size,
                               createIndex(builder, loc, limit));
}

Value attn::emitIsAligned(OpBuilder &b, Location loc, Value memref,
                          ValueRange row, int64_t bytes) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  Value elements = metadata.getOffset();
  for (auto [index, stride] : llvm::zip(row, metadata.getStrides()))
    elements = arith::AddIOp::create(
        b, loc, elements, arith::MulIOp::create(b, loc, index, stride));
  Value size = createIndex(b, loc, getVectorBytes(memref, 1));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  Value address = arith::AddIOp::create(
      b, loc, base, arith::MulIOp::create(b, loc, elements, size));
  // A row of several dimensions has lines, which start at these strides.
  auto rank = cast<MemRefType>(memref.getType()).getRank();
  for (int64_t dim = row.size(); dim + 1 < rank; ++dim)
    address = arith::OrIOp::create(
        b, loc, address,
        arith::MulIOp::create(b, loc, metadata.getStrides()[dim], size));
  return emitIsMultiple(b, loc, address, bytes);
}

Value attn::emitIsMultiple(OpBuilder &b, Location loc, Value address,
                           int64_t bytes) {
  Value rest =
      arith::AndIOp::create(b, loc, address, createIndex(b, loc, bytes - 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                               createIndex(b, loc, 0));
}

Value attn::emitIsStream(OpBuilder &b, Location loc, Value isLarge,
                         Value memref, ValueRange row, int64_t lanes) {
  if (!isLarge)
    return {};
  Value isAligned =
      emitIsAligned(b, loc, memref, row, getVectorBytes(memref, lanes));
  return arith::AndIOp::create(b, loc, isLarge, isAligned);
}

SmallVector<Value> attn::emitWritesOfValues(
    OpBuilder &b, Location loc, Value streams,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, bool)> write) {
  if (!streams)
    return write(b, /*pastCaches=*/false);
  auto emitBranch = [&](bool pastCaches) {
    return [write, pastCaches](OpBuilder &nested, Location at) {
      scf::YieldOp::create(nested, at, write(nested, pastCaches));
    };
  };
  auto either =
      scf::IfOp::create(b, loc, streams, emitBranch(true), emitBranch(false));
  return SmallVector<Value>(either.getResults());
}

void attn::emitWrites(OpBuilder &b, Location loc, Value streams,
                      llvm::function_ref<void(OpBuilder &, bool)> write) {
  emitWritesOfValues(b, loc, streams, [&](OpBuilder &nested, bool pastCaches) {
    write(nested, pastCaches);
    return SmallVector<Value>();
  });
}

void attn::emitEndOfWrites(OpBuilder &builder, Location loc, Value streams) {
  if (streams)
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::seq_cst);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t attn::getVectorBytes(Value memref, int64_t lanes) {
  return lanes * getElementTypeOrSelf(memref).getIntOrFloatBitWidth() / 8;
}

Value attn::loadLanes(LaneBuilder &lanes, Value memref, ValueRange position,
                      Value mask) {
  OpBuilder &b = lanes.getBuilder();
  Location loc = lanes.getLoc();
  if (lanes.isVector())
    return loadFloats(b, loc, cast<VectorType>(lanes.getFloatType()), memref,
                      position, mask);
  return convertFloat(b, loc, memref::LoadOp::create(b, loc, memref, position),
                      lanes.getElementType());
}

void attn::storeLanes(LaneBuilder &lanes, Value value, Value memref,
                      ValueRange position, bool pastCaches, Value mask) {
  OpBuilder &b = lanes.getBuilder();
  Location loc = lanes.getLoc();
  Type element = getElementTypeOrSelf(memref);
  if (!lanes.isVector()) {
    memref::StoreOp::create(b, loc, convertFloat(b, loc, value, element),
                            memref, position);
    return;
  }
  value =
      convertFloat(b, loc, value, VectorType::get(lanes.getLanes(), element));
  if (mask) {
    vector::MaskedStoreOp::create(b, loc, memref, position, mask, value);
    return;
  }
  llvm::MaybeAlign alignment;
  if (pastCaches)
    alignment = llvm::Align(getVectorBytes(memref, lanes.getLanes()));
  vector::StoreOp::create(b, loc, value, memref, position, pastCaches,
                          alignment);
}

void attn::emitPrefetch(OpBuilder &builder, Location loc, Value memref,
                        ValueRange position, bool isNear) {
  memref::PrefetchOp::create(builder, loc, memref, position, /*isWrite=*/false,
                             /*localityHint=*/isNear ? 3 : 2,
                             /*isDataCache=*/true);
}
