//===- StatisticsOps.cpp - What weights and activations look like ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOpHelpers.h"
#include "OpHelpers.h"

using namespace mlir;
using namespace attn;

ATTN_DEFINE_DESTINATION_METHODS(StatisticsOp)

bool StatisticsOp::isReduced(int64_t dim) {
  return !getAxes() || llvm::is_contained(*getAxes(), dim);
}

SmallVector<AffineMap> StatisticsOp::getShapedMaps() {
  int64_t rank = getInputType().getRank();
  SmallVector<AffineExpr> kept;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!isReduced(dim))
      kept.push_back(getAffineDimExpr(dim, getContext()));
  return {AffineMap::getMultiDimIdentityMap(rank, getContext()),
          AffineMap::get(rank, 0, kept, getContext())};
}

bool StatisticsOp::reducesLastDims() {
  int64_t rank = getInputType().getRank();
  int64_t first = cast<ShapedType>(getOutput().getType()).getRank();
  return first < rank && llvm::all_of(
                             llvm::seq(first, rank),
                             [&](int64_t dim) { return isReduced(dim); });
}

FloatType StatisticsOp::getComputeType() {
  bool isNarrow = getMeasure() == Measure::InfinityNorm &&
                  !getInputType().getElementType().isF64();
  return isNarrow ? FloatType(Float32Type::get(getContext()))
                  : FloatType(Float64Type::get(getContext()));
}

//===----------------------------------------------------------------------===//
// Constraints, labelled as in docs/Spec.md
//===----------------------------------------------------------------------===//

LogicalResult StatisticsOp::verify() {
  if (failed(verifyOperandKinds(*this, "statistics_c4")))
    return failure();
  auto input = getInputType(), output = cast<ShapedType>(getOutput().getType());
  if (!isBlockFloat(input.getElementType()) ||
      !isBlockFloat(output.getElementType()))
    return emitOpError("statistics_c1: elements are f16, bf16, f32 or f64");
  llvm::SmallDenseSet<int64_t> seen;
  if (std::optional<ArrayRef<int64_t>> axes = getAxes())
    for (int64_t dim : *axes)
      if (dim < 0 || dim >= input.getRank() || !seen.insert(dim).second)
        return emitOpError("statistics_c2: axes are dimensions of the input, "
                           "each once");
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(input.getShape()))
    if (!isReduced(dim))
      kept.push_back(size);
  if (failed(verifyCompatibleShape(kept, output.getShape())))
    return emitOpError("statistics_c3: the output has the input's dimensions "
                       "but 'axes'");
  return verifySchedule(*this);
}
