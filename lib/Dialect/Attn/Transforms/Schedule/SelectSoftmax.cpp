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
/// Rows that lie across the memory are read in pieces, each of which is on
/// another page. Beyond the caches pages cost more than scratch memory.
constexpr int64_t kPieceBytes = 512;
/// What does not fit L2 so many times over is not found there by whoever reads
/// it next.
constexpr int64_t kLargeCaches = 8;
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
  // The scratch memory of a panel is half of the second-level cache, or all of
  // it where numbers come from beyond the caches anyway.
  int64_t stored = type.getElementTypeBitWidth() / 8,
          large = kLargeCaches * target.l2Bytes;
  bool isLarge =
      type.hasStaticShape() && type.getNumElements() >= large / stored;
  if (isAcross && !ShapedType::isDynamic(keys) && keys != 0)
    unroll = static_cast<int64_t>(llvm::bit_floor(std::clamp<uint64_t>(
        target.l2Bytes / (isLarge ? 1 : 2) / keys / lanes / bytes, 1,
        isLarge ? kPieceBytes / lanes / stored : kUnroll)));
  if (ShapedType::isDynamic(keys))
    rows = isAcross ? 1 : kItemRows;
  else if (keys != 0)
    rows = std::clamp<int64_t>(kItemBytes / (isAcross ? unroll * lanes : 1) /
                                   bytes / keys,
                               1, 4 * kItemRows);
  // A row and its weights are half of that cache.
  auto schedule = SoftmaxScheduleAttr::get(op.getContext(), rows, lanes, unroll,
                                           /*stream=*/large,
                                           /*whole=*/target.l2Bytes / 4 / bytes,
                                           /*segment=*/kSegmentBytes / bytes);
  return makeRoute(schedule, RemarkId::SoftmaxRoute);
}
