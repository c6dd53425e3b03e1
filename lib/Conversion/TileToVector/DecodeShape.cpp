//===- DecodeShape.cpp - Tiles with the head dimension in lanes -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeShape.h"

#include "../Shared/ConvertFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

TileRow DecodeShape::getRow(OpBuilder &builder, Location loc,
                            Value number) const {
  Value zero = createIndex(builder, loc, 0);
  if (heads == 1)
    return {zero, number};
  if (rows == 1)
    return {number, zero};
  Value count = createIndex(builder, loc, rows);
  return {arith::DivUIOp::create(builder, loc, number, count),
          arith::RemUIOp::create(builder, loc, number, count)};
}

FailureOr<DecodeShape> attn::getDecodeShape(AttentionOpInterface op,
                                            Value rowsOperand, AffineMap map,
                                            PatternRewriter &rewriter) {
  auto schedule = op->getAttrOfType<ScheduleAttr>("schedule");
  if (!schedule || schedule.getSplitKeys() == 0)
    return failure();
  auto type = dyn_cast<MemRefType>(rowsOperand.getType());
  if (!type)
    return rewriter.notifyMatchFailure(op, "operands are not memrefs");
  DecodeShape shape = {op.getComputeType(),
                       schedule.getLanes(),
                       1,
                       1,
                       op.getNumBatchDims() != 0,
                       schedule};
  for (auto [expr, size] : llvm::zip(map.getResults(), type.getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      continue;
    if (dim.getPosition() == op.getRowDim())
      shape.rows = size;
    else if (shape.hasHead && dim.getPosition() == op.getNumBatchDims() - 1)
      shape.heads = size;
  }
  if (ShapedType::isDynamic(shape.rows) || ShapedType::isDynamic(shape.heads))
    return rewriter.notifyMatchFailure(op, "the number of rows is dynamic");
  return shape;
}

//===----------------------------------------------------------------------===//
// Rows as vectors
//===----------------------------------------------------------------------===//

int64_t RowVectors::getLength(int64_t chunk) const {
  return std::min(type.getNumElements(), size - chunk * type.getNumElements());
}

Value RowVectors::getMask(OpBuilder &builder, int64_t length) const {
  SmallVector<bool> active(type.getNumElements());
  std::fill_n(active.begin(), length, true);
  auto maskType = VectorType::get(type.getShape(), builder.getI1Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(maskType, ArrayRef<bool>(active)));
}

Value RowVectors::load(OpBuilder &builder, Value memref,
                       ArrayRef<Value> position, unsigned innerDim,
                       int64_t chunk) const {
  auto memrefType = cast<MemRefType>(memref.getType());
  Type stored = memrefType.getElementType();
  int64_t length = getLength(chunk), first = chunk * type.getNumElements();
  auto storedType = VectorType::get(type.getShape(), stored);
  SmallVector<Value> at(position);
  at[innerDim] = addIndex(builder, loc, position[innerDim], first);
  Value vector;
  bool isUnit =
      innerDim + 1 == memrefType.getRank() && hasUnitInnerStride(memref);
  if (isUnit && length == type.getNumElements()) {
    vector = vector::LoadOp::create(builder, loc, storedType, memref, at);
  } else {
    Value zeros = arith::ConstantOp::create(builder, loc,
                                            builder.getZeroAttr(storedType));
    if (isUnit) {
      vector =
          vector::MaskedLoadOp::create(builder, loc, storedType, memref, at,
                                       getMask(builder, length), zeros);
    } else {
      Value zero =
          arith::ConstantOp::create(builder, loc, builder.getZeroAttr(stored));
      SmallVector<Value> elements(type.getNumElements(), zero);
      for (int64_t i = 0; i < length; ++i) {
        at[innerDim] = addIndex(builder, loc, position[innerDim], first + i);
        elements[i] = memref::LoadOp::create(builder, loc, memref, at);
      }
      vector =
          vector::FromElementsOp::create(builder, loc, storedType, elements);
    }
  }
  return convertFloat(builder, loc, vector, type);
}

void RowVectors::store(OpBuilder &builder, Value vector, Value memref,
                       ArrayRef<Value> position, unsigned innerDim,
                       int64_t chunk) const {
  auto memrefType = cast<MemRefType>(memref.getType());
  int64_t length = getLength(chunk), first = chunk * type.getNumElements();
  SmallVector<Value> at(position);
  at[innerDim] = addIndex(builder, loc, position[innerDim], first);
  vector = convertFloat(
      builder, loc, vector,
      VectorType::get(type.getShape(), memrefType.getElementType()));
  bool isUnit =
      innerDim + 1 == memrefType.getRank() && hasUnitInnerStride(memref);
  if (isUnit && length == type.getNumElements()) {
    vector::StoreOp::create(builder, loc, vector, memref, at);
    return;
  }
  if (isUnit) {
    vector::MaskedStoreOp::create(builder, loc, memref, at,
                                  getMask(builder, length), vector);
    return;
  }
  for (int64_t i = 0; i < length; ++i) {
    at[innerDim] = addIndex(builder, loc, position[innerDim], first + i);
    Value element =
        vector::ExtractOp::create(builder, loc, vector, ArrayRef<int64_t>{i});
    memref::StoreOp::create(builder, loc, element, memref, at);
  }
}

RowStart attn::getRowStart(OpBuilder &builder, AttentionOpInterface op,
                           AffineMap map, unsigned innerDim,
                           const TileRow &row) {
  SmallVector<Value> dims(op.getNumDims());
  if (unsigned batchDims = op.getNumBatchDims())
    dims[batchDims - 1] = row.head;
  dims[op.getRowDim()] = row.row;
  RowStart start = {emitPosition(builder, op.getLoc(), map, dims), 0};
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(innerDim))
      start.innerDim = i;
  return start;
}
