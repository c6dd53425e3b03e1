//===- SelectNorm.cpp - Which norms take the fast route -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Transforms.h"
#include "attn/Target/TargetDescription.h"

using namespace mlir;
using namespace attn;

/// A work item reads about so much, where the size of a row is known.
constexpr int64_t kItemBytes = 1024 * 1024;
constexpr int64_t kItemRows = 64;
/// Sums are kept in so many vectors, to hide the latency of an addition.
constexpr int64_t kUnroll = 4;

/// Why `op` cannot be computed row by row in vectors; none when it can.
static std::optional<Remark> findObstacle(NormOp op,
                                          const TargetDescription &target) {
  if (!target.hasFastVectors())
    return Remark(RemarkId::NoFastVectors, {{"target", target.name}});
  if (op.hasGivenStatistics() || op.getRunningVariance())
    return Remark(RemarkId::NormOfBatch);
  ArrayRef<int64_t> axes = op.getAxes();
  if (axes.front() != op.getRank() - int64_t(axes.size()))
    return Remark(RemarkId::NormAxes);
  // gamma and beta hold an element for each one of a row, or for each row.
  SmallVector<int64_t> affine = op.getAffineDims();
  bool isOfRows =
      llvm::none_of(affine, [&](int64_t dim) { return op.isNormalised(dim); });
  if ((op.getGamma() || op.getBeta()) && ArrayRef(affine) != axes &&
      (!isOfRows || affine.empty()))
    return Remark(RemarkId::NormAffine);
  return std::nullopt;
}

NormRoute attn::selectNormRoute(NormOp op, const TargetDescription &target) {
  if (std::optional<Remark> obstacle = findObstacle(op, target))
    return {{}, *obstacle};
  auto type = cast<ShapedType>(op.getInput().getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8, rows = kItemRows;
  for (int64_t axis : op.getAxes())
    bytes = type.isDynamicDim(axis) || bytes == 0
                ? 0
                : bytes * type.getDimSize(axis);
  if (bytes != 0)
    rows = std::clamp<int64_t>(kItemBytes / bytes, 1, 4 * kItemRows);
  // What does not fit the second-level cache several times over is not found
  // there by whoever reads it next.
  auto schedule = NormScheduleAttr::get(
      op.getContext(), rows, target.getLanes(op.getComputeType().getWidth()),
      kUnroll, /*stream=*/8 * target.l2Bytes);
  std::string text;
  llvm::raw_string_ostream(text) << schedule;
  return {schedule, Remark(RemarkId::NormRoute, {{"schedule", text}})};
}
