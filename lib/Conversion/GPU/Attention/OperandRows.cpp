//===- OperandRows.cpp - Rows of operands in global memory ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandRows.h"
#include "../../Shared/MemRefMemory.h"

#include "attn/Dialect/Attn/Score/ParamSource.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

SmallVector<OperandRows> attn::getOperandRows(AttentionOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  unsigned row = op.getRowDim(), key = op.getKeyDim();
  unsigned head = op.getHeadDimDim(), value = op.getValueDim();
  return {{op.getQuery(), self.getInputMap(0), row, head},
          {op.getKey(), self.getInputMap(1), key, head},
          {op.getValue(), self.getInputMap(2), key, value},
          {op.getOutput(), self.getOutputMap(0), row, value}};
}

GlobalRows attn::emitGlobalRows(KernelBuilder &kernel,
                                const OperandRows &operand,
                                ArrayRef<Value> batch, int64_t columns) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  // Not what the host looks at, with which they would be merged: a kernel gets
  // memrefs as they are, and nothing else of them.
  auto metadata =
      memref::ExtractStridedMetadataOp::create(b, loc, operand.memref);
  metadata->setAttr("device", b.getUnitAttr());
  SmallVector<Value> dims(batch);
  dims.resize(operand.map.getNumDims());
  SmallVector<Value> position = emitPosition(b, loc, operand.map, dims);
  Value size =
      kernel.constant64(getElementBytes(getElementTypeOrSelf(operand.memref)));
  auto scale = [&](Value elements) {
    return b.createOrFold<arith::MulIOp>(loc, kernel.toI64(elements), size);
  };
  GlobalRows rows;
  rows.rowStride = rows.columnStride = kernel.constant64(0);
  Value start = kernel.toI64(metadata.getOffset());
  for (auto [i, expr] : llvm::enumerate(operand.map.getResults())) {
    Value stride = metadata.getStrides()[i];
    if (expr.isFunctionOfDim(operand.rowDim)) {
      rows.rowStride = scale(stride);
    } else if (expr.isFunctionOfDim(operand.columnDim)) {
      rows.columnStride = scale(stride);
    } else {
      Value distance = b.createOrFold<arith::MulIOp>(
          loc, kernel.toI64(position[i]), kernel.toI64(stride));
      start = b.createOrFold<arith::AddIOp>(loc, start, distance);
    }
  }
  auto pointer =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, operand.memref);
  pointer->setAttr("device", b.getUnitAttr());
  rows.base = kernel.offset(kernel.toPointer(MemorySpace::Global, pointer),
                            scale(start));
  rows.columns = columns;
  rows.element = getElementTypeOrSelf(operand.memref.getType());
  return rows;
}

Value attn::emitIsAligned(KernelBuilder &kernel, const OperandRows &operand) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto type = cast<MemRefType>(operand.memref.getType());
  if (!operand.map.getResults().back().isFunctionOfDim(operand.columnDim) ||
      !type.isLastDimUnitStride())
    return {};
  auto metadata =
      memref::ExtractStridedMetadataOp::create(b, loc, operand.memref);
  // All distances together: one that is no multiple leaves a bit.
  Value pointer =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, operand.memref);
  Value size = arith::ConstantIndexOp::create(
      b, loc, getElementBytes(getElementTypeOrSelf(operand.memref)));
  auto scale = [&](Value elements) {
    return b.createOrFold<arith::MulIOp>(loc, elements, size);
  };
  Value bits =
      b.createOrFold<arith::AddIOp>(loc, pointer, scale(metadata.getOffset()));
  for (auto [i, stride] : llvm::enumerate(metadata.getStrides().drop_back())) {
    // The stride of a single index is never used.
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value isOne = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                metadata.getSizes()[i], one);
    Value used = b.createOrFold<arith::SelectOp>(loc, isOne, zero, stride);
    bits = b.createOrFold<arith::OrIOp>(loc, bits, scale(used));
  }
  Value rest = b.createOrFold<arith::RemUIOp>(
      loc, bits, arith::ConstantIndexOp::create(b, loc, kChunkBytes));
  Value none = arith::ConstantIndexOp::create(b, loc, 0);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, none);
}
