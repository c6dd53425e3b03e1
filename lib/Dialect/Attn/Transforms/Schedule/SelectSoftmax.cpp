//===- SelectSoftmax.cpp - Which softmaxes take the fast route ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"

using namespace mlir;
using namespace attn;

/// A work item reads about so much, where the size of a row is known.
constexpr int64_t kItemBytes = 256 * 1024;
constexpr int64_t kItemRows = 64;
/// So many vectors are summed, or stand, side by side.
constexpr int64_t kUnroll = 4;
/// Of rows that are cut; short ones would leave much to put together.
constexpr int64_t kSegmentBytes = 64 * 1024;

Route attn::selectCPURoute(SoftmaxOp op, const TargetDescription &target) {
  if (!target.hasFastVectors())
    return makeBaselineRoute(target);
  auto type = cast<ShapedType>(op.getInput().getType());
  int64_t bytes = op.getComputeType().getWidth() / 8;
  int64_t lanes = target.getLanes(op.getComputeType().getWidth());
  int64_t keys = type.getDimSize(op.getKeyDim());
  int64_t unroll = kUnroll, rows = kItemRows;
  bool isAcross = op.getKeyDim() + 1 != type.getRank();
  // The scratch memory of a panel is half of the second-level cache.
  if (isAcross && !ShapedType::isDynamic(keys) && keys != 0)
    unroll = static_cast<int64_t>(llvm::bit_floor(std::clamp<uint64_t>(
        target.l2Bytes / 2 / keys / lanes / bytes, 1, kUnroll)));
  if (ShapedType::isDynamic(keys))
    rows = isAcross ? 1 : kItemRows;
  else if (keys != 0)
    rows = std::clamp<int64_t>(kItemBytes / (isAcross ? unroll * lanes : 1) /
                                   bytes / keys,
                               1, 4 * kItemRows);
  // A row and its weights are half of that cache. What does not fit it several
  // times over is not found there by whoever reads it next.
  auto schedule = SoftmaxScheduleAttr::get(op.getContext(), rows, lanes, unroll,
                                           /*stream=*/8 * target.l2Bytes,
                                           /*whole=*/target.l2Bytes / 4 / bytes,
                                           /*segment=*/kSegmentBytes / bytes);
  return makeRoute(schedule, RemarkId::SoftmaxRoute);
}
