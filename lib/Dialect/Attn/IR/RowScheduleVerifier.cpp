//===- RowScheduleVerifier.cpp - Which rows a GPU's schedule takes --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleKind.h"

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "attn/Support/Sizes.h"

using namespace mlir;
using namespace attn;

namespace {

/// The dimensions whose elements are one row of an op, and what it takes of
/// schedules.
struct RowTraits {
  ShapedType type;
  SmallVector<int64_t> dims;
  bool takesChunks = false, isOfPositions = false;

  bool isStrided() const { return dims.back() + 1 != type.getRank(); }
  /// Elements of a row, or kDynamic.
  int64_t getLength() const {
    int64_t length = 1;
    for (int64_t dim : dims)
      length = type.isDynamicDim(dim) || ShapedType::isDynamic(length)
                   ? ShapedType::kDynamic
                   : multiplySaturating(length, type.getDimSize(dim));
    return length;
  }
};

} // namespace

static RowTraits getRowTraits(Operation *op) {
  auto makePositions = [](Value output) {
    auto type = cast<ShapedType>(output.getType());
    return RowTraits{type, {type.getRank() - 1}, false, true};
  };
  if (auto norm = dyn_cast<NormOp>(op))
    return {cast<ShapedType>(norm.getInput().getType()),
            llvm::to_vector(norm.getAxes())};
  if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    auto type = cast<ShapedType>(softmax.getInput().getType());
    bool isLast = softmax.getKeyDim() + 1 == type.getRank();
    return {type, {softmax.getKeyDim()}, isLast};
  }
  if (auto rope = dyn_cast<RopeOp>(op))
    return makePositions(rope.getOutput());
  if (auto positions = dyn_cast<SinusoidalPositionsOp>(op))
    return makePositions(positions.getOutput());
  auto statistics = cast<StatisticsOp>(op);
  RowTraits traits{statistics.getInputType(), {}, statistics.reducesLastDims()};
  for (int64_t dim = 0; dim < traits.type.getRank(); ++dim)
    if (statistics.isReduced(dim))
      traits.dims.push_back(dim);
  return traits;
}

// schedule_c1
LogicalResult GPURowsAttr::verifyOn(Operation *carrier) const {
  if (failed(verifyKind<NormOp, SoftmaxOp, StatisticsOp, RopeOp,
                        SinusoidalPositionsOp>(carrier, getMnemonic())))
    return failure();
  RowTraits traits = getRowTraits(carrier);
  auto emitError = [&] { return carrier->emitOpError("schedule_c1: "); };
  if (traits.dims.empty())
    return emitError() << "a schedule of rows takes rows of at least one "
                          "dimension: without one the op takes the portable "
                          "path";
  if (traits.isStrided() != getStrided())
    return emitError() << "a schedule of rows is strided where the last "
                          "dimension is not of a row, and only there";
  if (getChunk() != 0 && (!traits.takesChunks || getPieces() != 0))
    return emitError()
           << "a schedule of rows cuts them where they are the last "
              "dimensions of a softmax or a statistic, and keeps "
              "nothing in registers then";
  if (traits.isOfPositions && getPieces() == 0)
    return emitError() << "a schedule of positions keeps rows in registers";
  int64_t length = traits.getLength();
  int64_t most = getPieces() * getRowWarps() * (getStrided() ? 1 : kWarpLanes);
  if (getPieces() != 0 && (ShapedType::isDynamic(length) || length > most))
    return emitError() << "a schedule that keeps rows in registers takes rows "
                          "of at most "
                       << most << " elements";
  return success();
}
