//===- Slicing.cpp - Iteration sizes and operand slices -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Slicing.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
