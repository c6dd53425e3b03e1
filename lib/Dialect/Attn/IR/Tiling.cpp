//===- Tiling.cpp - Attention ops as tileable ops ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/Slicing.h"

#include "OpHelpers.h"

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

static SmallVector<utils::IteratorType>
getIteratorTypes(AttentionOpInterface op) {
  SmallVector<utils::IteratorType> types(op.getNumDims(),
                                         utils::IteratorType::parallel);
  types[op.getKeyDim()] = utils::IteratorType::reduction;
  types[op.getHeadDimDim()] = utils::IteratorType::reduction;
  return types;
}

static SmallVector<Range> getDomain(OpBuilder &builder,
                                    AttentionOpInterface op) {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  return llvm::map_to_vector(
      getIterationSizes(builder, op.getLoc(), op),
      [&](OpFoldResult size) { return Range{zero, size, one}; });
}

/// A tile of `size` query heads has well-defined key heads when it lies inside
/// one group or covers whole groups.
static bool respectsGroups(AttentionOpInterface op,
                           ArrayRef<OpFoldResult> sizes) {
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

FailureOr<TilingResult> attn::createTile(OpBuilder &builder,
                                         AttentionOpInterface op,
                                         ArrayRef<OpFoldResult> offsets,
                                         ArrayRef<OpFoldResult> sizes,
                                         ValueRange outputs) {
  Location loc = op.getLoc();
  if (!respectsGroups(op, sizes))
    return op->emitOpError("a tile of heads must lie inside one key head's "
                           "group or cover whole groups"),
           failure();
  TilingResult result;
  SmallVector<OpFoldResult> domain = getIterationSizes(builder, loc, op);
  SmallVector<AffineMap> maps = op.getMaps();
  SmallVector<Value> operands;
  unsigned firstOutput = op.getShapedInputs().size() + op.getParams().size();
  unsigned mapped = firstOutput + op.getShapedOutputs().size();
  for (unsigned i = 0; i < mapped; ++i) {
    Value operand = op->getOperand(i);
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (i >= firstOutput && !outputs.empty()) {
      operands.push_back(outputs[i - firstOutput]);
      continue;
    }
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
  int32_t dims = op.getNumDims();
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
  for (int32_t i = 0; i < dims; ++i) {
    OpFoldResult base = op.getOrigin().empty()
                            ? OpFoldResult(builder.getIndexAttr(0))
                            : OpFoldResult(op.getOrigin()[i]);
    operands.push_back(getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(
            builder, loc, AffineMap::get(2, 0, d0 + d1), {base, offsets[i]})));
  }
  for (int32_t i = 0; i < dims; ++i)
    operands.push_back(op.getSizes().empty() ? getValueOrCreateConstantIndexOp(
                                                   builder, loc, domain[i])
                                             : Value(op.getSizes()[i]));

  SmallVector<Type> types;
  for (unsigned i = firstOutput; i < mapped; ++i)
    types.push_back(operands[i].getType());
  OperationState state(loc, op->getName(), operands, types, op->getAttrs());
  SmallVector<int32_t> segments(op.getShapedInputs().size(), 1);
  segments.push_back(op.getParams().size());
  segments.push_back(op.getShapedOutputs().size());
  segments.append({dims, dims});
  state.attributes.set("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(segments));
  IRMapping mapping;
  for (Region &region : op->getRegions())
    region.cloneInto(state.addRegion(), mapping);
  Operation *tile = builder.create(state);
  result.tiledOps.push_back(tile);
  result.tiledValues.assign(tile->result_begin(), tile->result_end());
  return result;
}

/// Keys and the head dimension are reductions; a plain tile covers all of them.
static FailureOr<TilingResult> createWholeTile(OpBuilder &builder,
                                               AttentionOpInterface op,
                                               ArrayRef<OpFoldResult> offsets,
                                               ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> domain =
      getIterationSizes(builder, op.getLoc(), op);
  for (unsigned dim : {op.getKeyDim(), op.getHeadDimDim()})
    if (!isConstantIntValue(offsets[dim], 0) ||
        !isEqualConstantIntOrValue(sizes[dim], domain[dim]))
      return op->emitOpError(
                 "cannot be tiled along keys or the head dimension; "
                 "split keys of attn.online_attention as a partial "
                 "reduction"),
             failure();
  return createTile(builder, op, offsets, sizes);
}

#define ATTN_DEFINE_TILING(OpTy)                                               \
  SmallVector<utils::IteratorType> OpTy::getLoopIteratorTypes() {              \
    return getIteratorTypes(cast<AttentionOpInterface>(getOperation()));       \
  }                                                                            \
  SmallVector<Range> OpTy::getIterationDomain(OpBuilder &builder) {            \
    return getDomain(builder, cast<AttentionOpInterface>(getOperation()));     \
  }                                                                            \
  FailureOr<TilingResult> OpTy::getTiledImplementation(                        \
      OpBuilder &builder, ArrayRef<OpFoldResult> offsets,                      \
      ArrayRef<OpFoldResult> sizes) {                                          \
    return createWholeTile(                                                    \
        builder, cast<AttentionOpInterface>(getOperation()), offsets, sizes);  \
  }                                                                            \
  LogicalResult OpTy::getResultTilePosition(                                   \
      OpBuilder &builder, unsigned result, ArrayRef<OpFoldResult> offsets,     \
      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,  \
      SmallVector<OpFoldResult> &resultSizes) {                                \
    auto self = cast<AttentionOpInterface>(getOperation());                    \
    getSliceOfMap(builder, getLoc(), self.getOutputMap(result), offsets,       \
                  sizes, resultOffsets, resultSizes);                          \
    return success();                                                          \
  }
ATTN_DEFINE_TILING(AttentionOp)
ATTN_DEFINE_TILING(OnlineAttentionOp)
#undef ATTN_DEFINE_TILING
