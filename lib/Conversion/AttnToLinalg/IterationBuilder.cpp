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
        return loadParam(lanes, index, where);
      });
}

Value IterationBuilder::loadElement(LaneBuilder &lanes, MappedTensor operand,
                                    const ScoreIndices &where, Value headDim) {
  OpBuilder &nested = lanes.getBuilder();
  SmallVector<Value> indices;
  for (auto [axis, expr] : llvm::enumerate(operand.map.getResults())) {
    if (isa<AffineConstantExpr>(expr)) {
      indices.push_back(lanes.index(0));
      continue;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    unsigned dim =
        cast<AffineDimExpr>(binary ? binary.getLHS() : expr).getPosition();
    Value at = dim == op.getRowDim()       ? where.row
               : dim == op.getKeyDim()     ? where.key
               : dim == op.getHeadDimDim() ? headDim
                                           : where.batch[dim];
    if (binary)
      at = arith::DivUIOp::create(
          nested, getLoc(), at,
          lanes.index(cast<AffineConstantExpr>(binary.getRHS()).getValue()));
    // States are padded to a static number of rows, other tensors are not.
    if (dim == op.getRowDim() && !op.getOrigin().empty()) {
      Value rows =
          tensor::DimOp::create(nested, getLoc(), operand.tensor, axis);
      at = lanes.min(at, lanes.sub(rows, lanes.index(1)));
    }
    indices.push_back(at);
  }
  return tensor::ExtractOp::create(nested, getLoc(), operand.tensor, indices);
}

Value IterationBuilder::loadParam(LaneBuilder &lanes, unsigned index,
                                  const ScoreIndices &where) {
  Value value = op.getParams()[index];
  if (isa<RankedTensorType>(value.getType()))
    value = loadElement(lanes, {value, op.getParamMap(index)}, where,
                        /*headDim=*/{});
  // The region converts its params itself.
  ParamRange region = op.getRegionParams();
  if (index >= region.first && index < region.first + region.count)
    return value;
  return toLanes(lanes, getParamElement(op, index), value);
}
