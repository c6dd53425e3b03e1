//===- NormTiling.cpp - attn.norm as a tileable op ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iteration dimensions are the input's. Those that are normalised are
// reductions and stay whole; every operand is sliced along the others.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

static SmallVector<OpFoldResult> getSizes(OpBuilder &builder, NormOp op) {
  if (isa<MemRefType>(op.getInput().getType()))
    return memref::getMixedSizes(builder, op.getLoc(), op.getInput());
  return tensor::getMixedSizes(builder, op.getLoc(), op.getInput());
}

/// The numbers of `whole` that belong to the dimensions `dims`.
static SmallVector<OpFoldResult> select(ArrayRef<OpFoldResult> whole,
                                        ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return whole[dim]; });
}

SmallVector<utils::IteratorType> NormOp::getLoopIteratorTypes() {
  SmallVector<utils::IteratorType> types(getRank(),
                                         utils::IteratorType::parallel);
  for (int64_t axis : getAxes())
    types[axis] = utils::IteratorType::reduction;
  return types;
}

SmallVector<Range> NormOp::getIterationDomain(OpBuilder &builder) {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  return llvm::map_to_vector(getSizes(builder, *this), [&](OpFoldResult size) {
    return Range{zero, size, one};
  });
}

FailureOr<TilingResult>
NormOp::getTiledImplementation(OpBuilder &builder,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> whole = getSizes(builder, *this);
  for (int64_t axis : getAxes())
    if (!isConstantIntValue(offsets[axis], 0) ||
        !isEqualConstantIntOrValue(sizes[axis], whole[axis]))
      return emitOpError("cannot be tiled along dimension ")
                 << axis << ", which it normalises",
             failure();
  TilingResult result;
  SmallVector<Value> operands;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (operand.get() == getFactor()) {
      operands.push_back(operand.get());
      continue;
    }
    SmallVector<int64_t> dims = getOperandDims(operand);
    SmallVector<OpFoldResult> strides(dims.size(), builder.getIndexAttr(1));
    Operation *slice;
    if (isa<MemRefType>(operand.get().getType()))
      slice = memref::SubViewOp::create(builder, getLoc(), operand.get(),
                                        select(offsets, dims),
                                        select(sizes, dims), strides);
    else
      slice = tensor::ExtractSliceOp::create(builder, getLoc(), operand.get(),
                                             select(offsets, dims),
                                             select(sizes, dims), strides);
    result.generatedSlices.push_back(slice);
    operands.push_back(slice->getResult(0));
  }
  SmallVector<Type> types;
  if (getNumResults() != 0)
    llvm::append_range(
        types,
        ValueRange(operands).take_back(getShapedOutputs().size()).getTypes());
  Operation *tile =
      mlir::clone(builder, getOperation(), TypeRange(types), operands);
  result.tiledOps.push_back(tile);
  result.tiledValues.assign(tile->result_begin(), tile->result_end());
  return result;
}

LogicalResult NormOp::getResultTilePosition(
    OpBuilder &builder, unsigned result, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  unsigned first = getOutputMutable().getOperandNumber();
  SmallVector<int64_t> dims =
      getOperandDims(getOperation()->getOpOperand(first + result));
  resultOffsets = select(offsets, dims);
  resultSizes = select(sizes, dims);
  return success();
}
