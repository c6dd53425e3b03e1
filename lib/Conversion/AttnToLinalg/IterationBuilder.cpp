//===- IterationBuilder.cpp - Loops over iteration dimensions -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IterationBuilder.h"

#include "../Shared/ConvertFloat.h"
#include "attn/Dialect/Attn/IR/Slicing.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// ElementBody
//===----------------------------------------------------------------------===//

Value ElementBody::getIndex(unsigned dim) {
  const unsigned *loop = llvm::find(dims, dim);
  if (loop == dims.end())
    return lanes.index(0);
  return linalg::IndexOp::create(lanes.getBuilder(), lanes.getLoc(),
                                 loop - dims.begin());
}

SmallVector<Value> ElementBody::getBatch() {
  SmallVector<Value> batch;
  for (unsigned dim = 0, e = op.getNumBatchDims(); dim < e; ++dim)
    batch.push_back(getIndex(dim));
  return batch;
}

//===----------------------------------------------------------------------===//
// IterationBuilder
//===----------------------------------------------------------------------===//

IterationBuilder::IterationBuilder(OpBuilder &builder, AttentionOpInterface op)
    : op(op), generics(builder, op.getLoc(),
                       getIterationSizes(builder, op.getLoc(), op),
                       op.getComputeType()) {
  if (op.getSizes().empty())
    for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
      problemSizes.push_back(
          getValueOrCreateConstantIndexOp(builder, op.getLoc(), getSize(dim)));
  else
    problemSizes.assign(op.getSizes().begin(), op.getSizes().end());
}

SmallVector<unsigned> IterationBuilder::withBatch(ArrayRef<unsigned> last) {
  auto dims = llvm::to_vector(llvm::seq(0u, op.getNumBatchDims()));
  llvm::append_range(dims, last);
  return dims;
}

MappedTensor IterationBuilder::createPart(MappedTensor whole) {
  OpBuilder &builder = getBuilder();
  Location loc = getLoc();
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
    sizes.push_back(getSize(dim));
  SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sliceOffsets, sliceSizes;
  getSliceOfMap(builder, loc, whole.map, zeros, sizes, sliceOffsets,
                sliceSizes);
  SmallVector<OpFoldResult> strides(sliceSizes.size(), builder.getIndexAttr(1));
  return {tensor::ExtractSliceOp::create(builder, loc, whole.tensor,
                                         sliceOffsets, sliceSizes, strides),
          whole.map};
}

SmallVector<MappedTensor> IterationBuilder::create(
    ArrayRef<unsigned> wanted, ArrayRef<MappedTensor> inputs,
    ArrayRef<MappedTensor> outputs, BodyFunction body, FloatType type) {
  // Batch dimensions that no operand has are a tile's, of size 1.
  SmallVector<unsigned> dims;
  llvm::copy_if(wanted, std::back_inserter(dims), [&](unsigned dim) {
    auto varies = [&](const MappedTensor &operand) {
      return operand.map.isFunctionOfDim(dim);
    };
    return llvm::any_of(inputs, varies) || llvm::any_of(outputs, varies);
  });
  GenericBuilder typed = generics;
  if (type)
    typed.setComputeType(type);
  return typed.create(dims, inputs, outputs,
                      [&](LaneBuilder &lanes, ValueRange elements) {
                        ElementBody element(lanes, op, dims, elements);
                        return body(element);
                      });
}

ScoreEmitter IterationBuilder::createEmitter(ElementBody &body) {
  LaneBuilder &lanes = body.lanes;
  return ScoreEmitter(
      lanes, op, problemSizes,
      [this, &lanes](unsigned index, const ScoreIndices &where) {
        return ParamSource(lanes, op, LaneAxis::None).load(index, where);
      });
}

Value IterationBuilder::loadElement(LaneBuilder &lanes, MappedTensor operand,
                                    const ScoreIndices &where, Value headDim) {
  SmallVector<Value> position =
      ParamSource(lanes, op, LaneAxis::None)
          .getPosition(operand.tensor, operand.map, where, headDim);
  return tensor::ExtractOp::create(lanes.getBuilder(), getLoc(), operand.tensor,
                                   position);
}
