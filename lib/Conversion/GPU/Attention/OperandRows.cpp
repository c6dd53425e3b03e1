//===- OperandRows.cpp - Rows of operands in global memory ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandRows.h"
#include "../../Shared/Alignment.h"
#include "../../Shared/MemRefMemory.h"

#include "attn/Dialect/Attn/Score/ParamSource.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

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
                                ArrayRef<Value> batch, int64_t columns,
                                Value headRows) {
  auto metadata = emitDeviceMetadata(kernel, operand.memref);
  SmallVector<Value> dims(batch);
  dims.resize(operand.map.getNumDims());
  SmallVector<Value> position =
      emitPosition(kernel.getBuilder(), kernel.getLoc(), operand.map, dims);
  GlobalRows rows;
  rows.element = getElementTypeOrSelf(operand.memref.getType());
  rows.columns = columns;
  Value size = kernel.constant64(getElementBytes(rows.element));
  Value start = kernel.constant64(0);
  rows.rowStride = rows.columnStride = start;
  if (headRows) {
    rows.groupRows = headRows;
    rows.groupStride = start;
  }
  for (auto [i, expr] : llvm::enumerate(operand.map.getResults())) {
    Value stride = metadata.getStrides()[i];
    if (expr.isFunctionOfDim(operand.rowDim)) {
      rows.rowStride = kernel.mul64(stride, size);
    } else if (expr.isFunctionOfDim(operand.columnDim)) {
      rows.columnStride = kernel.mul64(stride, size);
    } else {
      start =
          kernel.add(start, kernel.mul64(position[i], kernel.toI64(stride)));
      if (headRows && expr.isFunctionOfDim(batch.size() - 1))
        rows.groupStride = kernel.mul64(stride, size);
    }
  }
  if (headRows && isConstantIntValue(headRows, 1)) {
    rows.rowStride = rows.groupStride;
    rows.groupRows = rows.groupStride = {};
  }
  rows.base = kernel.offset(emitDevicePointer(kernel, operand.memref),
                            kernel.mul64(start, size));
  return rows;
}

std::optional<OperandRows> attn::getPairedParam(AttentionOpInterface op,
                                                unsigned index) {
  Value param = op.getParams()[index];
  AffineMap map = op.getParamMap(index);
  auto type = dyn_cast<MemRefType>(param.getType());
  AffineExpr key = getAffineDimExpr(op.getKeyDim(), op->getContext());
  if (!type || map.getNumResults() == 0 || map.getResults().back() != key ||
      !type.isLastDimUnitStride() || type.getElementType().isInteger(1))
    return std::nullopt;
  return OperandRows{param, map, op.getRowDim(), op.getKeyDim()};
}

Value attn::emitIsAligned(KernelBuilder &kernel, const OperandRows &operand,
                          int64_t multiple) {
  if (!operand.map.getResults().back().isFunctionOfDim(operand.columnDim))
    return {};
  return emitIsAligned(kernel.getBuilder(), kernel.getLoc(), operand.memref,
                       multiple);
}
