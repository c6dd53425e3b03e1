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
    : builder(builder), loc(op.getLoc()), op(op),
      sizes(getIterationSizes(builder, loc, op)) {
  if (op.getSizes().empty())
    for (OpFoldResult size : sizes)
      problemSizes.push_back(
          getValueOrCreateConstantIndexOp(builder, loc, size));
  else
    problemSizes.assign(op.getSizes().begin(), op.getSizes().end());
}

SmallVector<unsigned> IterationBuilder::withBatch(ArrayRef<unsigned> last) {
  auto dims = llvm::to_vector(llvm::seq(0u, op.getNumBatchDims()));
  llvm::append_range(dims, last);
  return dims;
}

MappedTensor IterationBuilder::createEmpty(ArrayRef<unsigned> dims,
                                           Type element) {
  SmallVector<OpFoldResult> shape;
  SmallVector<AffineExpr> results;
  for (unsigned dim : dims) {
    shape.push_back(sizes[dim]);
    results.push_back(builder.getAffineDimExpr(dim));
  }
  return {tensor::EmptyOp::create(builder, loc, shape, element),
          AffineMap::get(op.getNumDims(), 0, results, builder.getContext())};
}

MappedTensor IterationBuilder::createFilled(ArrayRef<unsigned> dims,
                                            TypedAttr value) {
  MappedTensor empty = createEmpty(dims, value.getType());
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return {
      linalg::FillOp::create(builder, loc, scalar, empty.tensor).getResult(0),
      empty.map};
}

MappedTensor IterationBuilder::createPart(MappedTensor whole) {
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
  // Dimensions that are not looped over do not occur in the maps.
  SmallVector<AffineExpr> loops(op.getNumDims(),
                                builder.getAffineConstantExpr(0));
  for (auto [loop, dim] : llvm::enumerate(dims))
    loops[dim] = builder.getAffineDimExpr(loop);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputValues, outputValues;
  auto add = [&](const MappedTensor &operand, SmallVector<Value> &values) {
    values.push_back(operand.tensor);
    maps.push_back(
        operand.map.replaceDimsAndSymbols(loops, {}, dims.size(), 0));
  };
  for (const MappedTensor &input : inputs)
    add(input, inputValues);
  SmallVector<Type> types;
  for (const MappedTensor &output : outputs) {
    add(output, outputValues);
    types.push_back(output.tensor.getType());
  }
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop = 0; loop < dims.size(); ++loop) {
    bool written =
        llvm::any_of(ArrayRef(maps).take_back(outputs.size()),
                     [&](AffineMap map) { return map.isFunctionOfDim(loop); });
    iterators.push_back(written ? utils::IteratorType::parallel
                                : utils::IteratorType::reduction);
  }

  auto buildBody = [&](OpBuilder &nested, Location, ValueRange arguments) {
    LaneBuilder lanes(nested, loc, type ? type : getComputeType());
    SmallVector<Value> elements;
    for (Value argument : arguments)
      elements.push_back(isa<FloatType>(argument.getType())
                             ? lanes.toFloatLanes(argument)
                             : argument);
    ElementBody element(lanes, op, dims, elements);
    SmallVector<Value> results = body(element);
    // Counts and visibility are no floats and have their type already.
    for (auto [result, type] : llvm::zip_equal(results, types))
      if (Type wanted = getElementTypeOrSelf(type); result.getType() != wanted)
        result = convertFloat(nested, loc, result, wanted);
    linalg::YieldOp::create(nested, loc, results);
  };
  auto generic =
      linalg::GenericOp::create(builder, loc, types, inputValues, outputValues,
                                maps, iterators, buildBody);
  SmallVector<MappedTensor> results;
  for (auto [result, output] : llvm::zip_equal(generic.getResults(), outputs))
    results.push_back({result, output.map});
  return results;
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
          nested, loc, at,
          lanes.index(cast<AffineConstantExpr>(binary.getRHS()).getValue()));
    // States are padded to a static number of rows, other tensors are not.
    if (dim == op.getRowDim() && !op.getOrigin().empty()) {
      Value rows = tensor::DimOp::create(nested, loc, operand.tensor, axis);
      at = lanes.min(at, lanes.sub(rows, lanes.index(1)));
    }
    indices.push_back(at);
  }
  return tensor::ExtractOp::create(nested, loc, operand.tensor, indices);
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
