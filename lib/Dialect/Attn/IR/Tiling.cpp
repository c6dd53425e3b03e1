//===- Tiling.cpp - attn.attention as a tileable op ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/Slicing.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

static OpFoldResult getSize(OpBuilder &builder, Location loc, Value shaped,
                            unsigned dim) {
  if (isa<MemRefType>(shaped.getType()))
    return memref::getMixedSize(builder, loc, shaped, dim);
  return tensor::getMixedSize(builder, loc, shaped, dim);
}

SmallVector<OpFoldResult> attn::getIterationSizes(OpBuilder &builder,
                                                  Location loc,
                                                  AttentionOpInterface op) {
  SmallVector<OpFoldResult> sizes(op.getNumDims());
  auto visit = [&](Value shaped, AffineMap map) {
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!sizes[dim.getPosition()])
          sizes[dim.getPosition()] = getSize(builder, loc, shaped, i);
  };
  for (auto [i, input] : llvm::enumerate(op.getShapedInputs()))
    visit(input, op.getInputMap(i));
  for (auto [i, output] : llvm::enumerate(op.getShapedOutputs()))
    visit(output, op.getOutputMap(i));
  // A dimension that nothing here indexes is a batch dimension of size 1.
  for (OpFoldResult &size : sizes)
    if (!size)
      size = builder.getIndexAttr(1);
  return sizes;
}

void attn::getSliceOfMap(OpBuilder &builder, Location loc, AffineMap map,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes,
                         SmallVectorImpl<OpFoldResult> &sliceOffsets,
                         SmallVectorImpl<OpFoldResult> &sliceSizes) {
  AffineExpr d0 = builder.getAffineDimExpr(0);
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr)) {
      sliceOffsets.push_back(builder.getIndexAttr(0));
      sliceSizes.push_back(builder.getIndexAttr(1));
      continue;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    unsigned dim =
        cast<AffineDimExpr>(binary ? binary.getLHS() : expr).getPosition();
    if (!binary) {
      sliceOffsets.push_back(offsets[dim]);
      sliceSizes.push_back(sizes[dim]);
      continue;
    }
    int64_t group = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    sliceOffsets.push_back(affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(1, 0, d0.floorDiv(group)),
        {offsets[dim]}));
    // A tile lies inside one group or covers whole groups.
    sliceSizes.push_back(affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(1, 0, d0.ceilDiv(group)), {sizes[dim]}));
  }
}

SmallVector<utils::IteratorType> AttentionOp::getLoopIteratorTypes() {
  SmallVector<utils::IteratorType> types(getNumDims(),
                                         utils::IteratorType::parallel);
  types[getKeyDim()] = utils::IteratorType::reduction;
  types[getHeadDimDim()] = utils::IteratorType::reduction;
  return types;
}

SmallVector<Range> AttentionOp::getIterationDomain(OpBuilder &builder) {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  return llvm::map_to_vector(
      getIterationSizes(builder, getLoc(),
                        cast<AttentionOpInterface>(getOperation())),
      [&](OpFoldResult size) { return Range{zero, size, one}; });
}

/// A tile of `size` query heads has well-defined key heads when it lies inside
/// one group or covers whole groups.
static bool respectsGroups(AttentionOp op, ArrayRef<OpFoldResult> sizes) {
  for (unsigned input : {1, 2})
    for (AffineExpr expr : op.getInputMap(input).getResults())
      if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
        int64_t group = cast<AffineConstantExpr>(binary.getRHS()).getValue();
        unsigned dim = cast<AffineDimExpr>(binary.getLHS()).getPosition();
        std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
        if (!size || *size == 0 || (group % *size != 0 && *size % group != 0))
          return false;
      }
  return true;
}

FailureOr<TilingResult>
AttentionOp::getTiledImplementation(OpBuilder &builder,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  Location loc = getLoc();
  auto self = cast<AttentionOpInterface>(getOperation());
  SmallVector<OpFoldResult> domain = getIterationSizes(builder, loc, self);
  // Keys and the head dimension are reductions: their tiles are
  // attn.online_attention, not attn.attention.
  for (unsigned dim : {getKeyDim(), getHeadDimDim()})
    if (!isConstantIntValue(offsets[dim], 0) ||
        !isEqualConstantIntOrValue(sizes[dim], domain[dim]))
      return emitOpError("cannot be tiled along keys or the head dimension"),
             failure();
  if (!respectsGroups(*this, sizes))
    return emitOpError("a tile of heads must lie inside one key head's group "
                       "or cover whole groups"),
           failure();

  TilingResult result;
  SmallVector<AffineMap> maps = getMaps();
  SmallVector<Value> operands;
  unsigned mapped = 3 + getParams().size() + getOutputs().size();
  for (unsigned i = 0; i < mapped; ++i) {
    Value operand = getOperation()->getOperand(i);
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type) {
      operands.push_back(operand);
      continue;
    }
    SmallVector<OpFoldResult> sliceOffsets, sliceSizes;
    getSliceOfMap(builder, loc, maps[i], offsets, sizes, sliceOffsets,
                  sliceSizes);
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    auto slice = tensor::ExtractSliceOp::create(
        builder, loc, operand, sliceOffsets, sliceSizes, strides);
    result.generatedSlices.push_back(slice);
    operands.push_back(slice);
  }
  // Local indices move by the tile's offsets; the problem stays the same.
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
  for (unsigned i = 0, e = getNumDims(); i < e; ++i) {
    OpFoldResult base = getOrigin().empty() ? OpFoldResult(builder.getIndexAttr(0))
                                            : OpFoldResult(getOrigin()[i]);
    operands.push_back(getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(
            builder, loc, AffineMap::get(2, 0, d0 + d1), {base, offsets[i]})));
  }
  for (unsigned i = 0, e = getNumDims(); i < e; ++i)
    operands.push_back(getSizes().empty()
                           ? getValueOrCreateConstantIndexOp(builder, loc, domain[i])
                           : Value(getSizes()[i]));

  SmallVector<Type> types;
  for (unsigned i = mapped - getOutputs().size(); i < mapped; ++i)
    types.push_back(operands[i].getType());
  OperationState state(loc, getOperationName(), operands, types,
                       getOperation()->getAttrs());
  int32_t dims = getNumDims();
  state.attributes.set(
      getOperandSegmentSizesAttrName(),
      builder.getDenseI32ArrayAttr(
          {1, 1, 1, static_cast<int32_t>(getParams().size()),
           static_cast<int32_t>(getOutputs().size()), dims, dims}));
  Region *region = state.addRegion();
  IRMapping mapping;
  getScore().cloneInto(region, mapping);
  Operation *tile = builder.create(state);
  result.tiledOps.push_back(tile);
  result.tiledValues.assign(tile->result_begin(), tile->result_end());
  return result;
}

LogicalResult AttentionOp::getResultTilePosition(
    OpBuilder &builder, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  getSliceOfMap(builder, getLoc(), getOutputMap(resultNumber), offsets, sizes,
                resultOffsets, resultSizes);
  return success();
}
