//===- SelectPositions.cpp - Which positions take the fast route ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"

using namespace mlir;
using namespace attn;

/// The first position of a block costs as much as many others, and blocks are
/// what threads share.
constexpr int64_t kMaxRows = 128;

/// Blocks of positions for which `bytes` of memory are used in between, each
/// with `rowBytes`.
static Route select(ShapedType type, int64_t bytes, int64_t rowBytes,
                    const TargetDescription &target) {
  if (!target.hasFastVectors())
    return makeBaselineRoute(target);
  int64_t rows =
      std::clamp<int64_t>(bytes / std::max<int64_t>(rowBytes, 1), 1, kMaxRows);
  // What does not fit the second-level cache several times over is not found
  // there by whoever reads it next.
  auto schedule = PositionScheduleAttr::get(
      type.getContext(), rows,
      target.getLanes(std::max(type.getElementTypeBitWidth(), 32U)),
      /*stream=*/8 * target.l2Bytes);
  return makeRoute(schedule, RemarkId::PositionRoute);
}

Route attn::selectCPURoute(RopeOp op, const TargetDescription &target) {
  auto type = cast<ShapedType>(op.getInput().getType());
  int64_t bytes = std::max(type.getElementTypeBitWidth(), 32U) / 8;
  // The table stays beside the rows that pass through the first-level cache.
  bool areNeighbours = op.getPairs() == PairLayout::Interleaved;
  return select(type, target.l1Bytes / 2,
                op.getNumRotated() * bytes * (areNeighbours ? 2 : 1), target);
}

Route attn::selectCPURoute(SinusoidalPositionsOp op,
                           const TargetDescription &target) {
  auto type = cast<ShapedType>(op.getOutput().getType());
  return select(type, target.l2Bytes / 4,
                type.getShape().back() * type.getElementTypeBitWidth() / 8,
                target);
}
