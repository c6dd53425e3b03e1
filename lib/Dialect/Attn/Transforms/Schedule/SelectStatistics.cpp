//===- SelectStatistics.cpp - Which statistics take the fast route --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"

#include "attn/Support/Sizes.h"

using namespace mlir;
using namespace attn;

/// Two chunks, the one at hand and the next one, are in the second cache, or in
/// the first one where they are read twice: kurtosis of f64.
constexpr int64_t kChunkBytes = 64 * 1024;
constexpr int64_t kTwiceReadBytes = 16 * 1024;
/// What is put together for each chunk should cost little beside it.
constexpr int64_t kShortChunk = 64;
constexpr int64_t kItemBytes = 512 * 1024;
constexpr int64_t kUnroll = 4;

/// Why `op` cannot be computed in chunks; none when it can.
static std::optional<Remark> findObstacle(StatisticsOp op) {
  if (!op.reducesLastDims())
    return Remark(RemarkId::StatisticsAxes);
  ShapedType type = op.getInputType();
  int64_t rank = type.getRank();
  int64_t reduced = rank - cast<ShapedType>(op.getOutput().getType()).getRank();
  if (reduced < 3 || type.isDynamicDim(rank - 1) || type.isDynamicDim(rank - 2))
    return std::nullopt;
  if (multiplySaturating(type.getDimSize(rank - 1), type.getDimSize(rank - 2)) <
      kShortChunk)
    return Remark(RemarkId::StatisticsShortLines);
  return std::nullopt;
}

Route attn::selectCPURoute(StatisticsOp op, const TargetDescription &target) {
  if (!target.hasFastVectors())
    return makeBaselineRoute(target);
  if (std::optional<Remark> obstacle = findObstacle(op))
    return {{}, {*obstacle}};
  ShapedType type = op.getInputType();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  bool isReadTwice = op.getMeasure() == Measure::Kurtosis &&
                     type.getElementType() == op.getComputeType();
  int64_t chunkBytes = isReadTwice ? kTwiceReadBytes : kChunkBytes;
  int64_t columns = chunkBytes / bytes, lines = 1;
  int64_t last = type.getDimSize(type.getRank() - 1);
  if (!ShapedType::isDynamic(last) && last != 0)
    lines = std::max<int64_t>(columns / last, 1);
  auto schedule = StatisticsScheduleAttr::get(
      op.getContext(), kItemBytes / chunkBytes, lines, columns,
      target.getLanes(op.getComputeType().getWidth()), kUnroll);
  return makeRoute(schedule, RemarkId::StatisticsRoute);
}
