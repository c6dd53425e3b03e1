//===- LinearOps.cpp - The linear layer ---------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOpHelpers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

ATTN_DEFINE_DESTINATION_METHODS(LinearOp)

FloatType LinearOp::getComputeType() {
  return getSumType(getInput().getType());
}

/// Over the dimensions (rows..., n, m).
SmallVector<AffineMap> LinearOp::getShapedMaps() {
  MLIRContext *context = getContext();
  unsigned rank = cast<ShapedType>(getInput().getType()).getRank();
  SmallVector<AffineExpr> rows;
  for (unsigned i = 0; i + 1 < rank; ++i)
    rows.push_back(getAffineDimExpr(i, context));
  AffineExpr n = getAffineDimExpr(rank - 1, context);
  AffineExpr m = getAffineDimExpr(rank, context);
  auto rowsAnd = [&](AffineExpr last) {
    SmallVector<AffineExpr> results(rows);
    results.push_back(last);
    return AffineMap::get(rank + 1, 0, results, context);
  };
  SmallVector<AffineMap> maps = {rowsAnd(m)};
  SmallVector<AffineExpr> weight = {m, n};
  if (getWeightInDim() == 1)
    std::swap(weight[0], weight[1]);
  maps.push_back(AffineMap::get(rank + 1, 0, weight, context));
  if (getBias())
    maps.push_back(AffineMap::get(rank + 1, 0, n));
  maps.push_back(rowsAnd(n));
  return maps;
}

//===----------------------------------------------------------------------===//
// Constraints, labelled as in docs/Spec.md
//===----------------------------------------------------------------------===//

LogicalResult LinearOp::verify() {
  if (failed(verifyOperandKinds(*this, "linear_c1")))
    return failure();
  auto getType = [](Value value) { return cast<ShapedType>(value.getType()); };
  ShapedType input = getType(getInput()), output = getType(getOutput());
  if (input.getRank() < 1 || getType(getWeight()).getRank() != 2 ||
      (getBias() && getType(getBias()).getRank() != 1) ||
      output.getRank() != input.getRank())
    return emitOpError("linear_c2: the weight has rank 2, the bias rank 1, and "
                       "the output the input's rank, at least 1");
  if (failed(verifyExtents(*this, "linear_c3")))
    return failure();
  Type element = input.getElementType();
  auto fits = [&](Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    return type == element || type == getComputeType();
  };
  if (!isBlockFloat(element) ||
      getType(getWeight()).getElementType() != element ||
      (getBias() && !fits(getBias())) || !fits(getOutput()))
    return emitOpError("linear_c4: input and weight share a float type; bias "
                       "and output have it or ")
           << getComputeType();
  return success();
}

LogicalResult ContractionScheduleAttr::verify(
    llvm::function_ref<InFlightDiagnostic()> emitError, int64_t rows,
    int64_t depth, int64_t lanes, int64_t mr, int64_t nr) {
  if (rows < 1 || depth < 1 || lanes < 1 || mr < 1 || nr < 1)
    return emitError() << "sizes of a schedule must be positive";
  if (rows % mr != 0)
    return emitError() << "rows must be a multiple of mr";
  return success();
}

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

// The loops are the dimensions of the output: a sum is never cut, because a
// tile does not add to what its destination holds.

SmallVector<utils::IteratorType> LinearOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(
      cast<ShapedType>(getOutput().getType()).getRank(),
      utils::IteratorType::parallel);
}

SmallVector<Range> LinearOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> ranges;
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  for (OpFoldResult size :
       tensor::getMixedSizes(builder, getLoc(), getOutput()))
    ranges.push_back({zero, size, one});
  return ranges;
}

FailureOr<TilingResult>
LinearOp::getTiledImplementation(OpBuilder &builder,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  if (!isa<RankedTensorType>(getOutput().getType()))
    return failure();
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<Value> operands;
  SmallVector<Operation *> slices;
  for (auto [operand, map] : llvm::zip_equal(getOperands(), getShapedMaps())) {
    SmallVector<OpFoldResult> sliceOffsets, sliceSizes;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      bool isTiled = dim < offsets.size();
      sliceOffsets.push_back(isTiled ? offsets[dim] : zero);
      sliceSizes.push_back(
          isTiled ? sizes[dim]
                  : tensor::getMixedSize(builder, getLoc(), operand, i));
    }
    SmallVector<OpFoldResult> strides(sliceSizes.size(), one);
    auto slice = tensor::ExtractSliceOp::create(
        builder, getLoc(), operand, sliceOffsets, sliceSizes, strides);
    slices.push_back(slice);
    operands.push_back(slice);
  }
  Operation *tiled = mlir::clone(
      builder, getOperation(), TypeRange(operands.back().getType()), operands);
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

LogicalResult LinearOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}
