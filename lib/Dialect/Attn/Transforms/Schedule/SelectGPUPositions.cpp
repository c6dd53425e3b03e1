//===- SelectGPUPositions.cpp - Positions as kernels, and how -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURows.h"
#include "Route.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Rows that are pairs, so many, and more elements behind them.
static Route selectPositions(Operation *op, ShapedType type, int64_t pairs,
                             bool areNeighbours,
                             const TargetDescription &target) {
  int64_t length = type.getShape().back();
  int64_t run = areNeighbours ? 2 * pairs : pairs;
  int64_t width = std::max<int64_t>(kAccessBytes / getBytes(type), 1);
  while (length % width != 0 || run % width != 0)
    width /= 2;
  for (int64_t warps = 1; warps <= kMostWarps; warps *= 2) {
    int64_t pieces =
        width * llvm::divideCeil(length, warps * kWarpLanes * width);
    if (pieces <= kWarpPieces)
      return makeRoute(GPURowsAttr::get(op->getContext(), warps,
                                        warps == 1 ? kBlockWarps : warps,
                                        std::max<int64_t>(pieces, 1), width,
                                        /*strided=*/false, /*chunk=*/0),
                       RemarkId::PositionRoute);
  }
  return makeKernellessRoute(target);
}

Route attn::selectGPURoute(RopeOp op, const TargetDescription &target) {
  return selectPositions(op, cast<ShapedType>(op.getOutput().getType()),
                         op.getNumRotated() / 2,
                         op.getPairs() == PairLayout::Interleaved, target);
}

Route attn::selectGPURoute(SinusoidalPositionsOp op,
                           const TargetDescription &target) {
  auto type = cast<ShapedType>(op.getOutput().getType());
  if (type.isDynamicDim(type.getRank() - 1))
    return makeKernellessRoute(target);
  return selectPositions(op, type, type.getShape().back() / 2,
                         op.getPairs() == PairLayout::Interleaved, target);
}
