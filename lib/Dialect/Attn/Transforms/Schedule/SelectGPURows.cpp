//===- SelectGPURows.cpp - Which norms and softmaxes are kernels ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// A warp has a row of up to so many 32-bit numbers a thread; then warps are
/// added, which cost a meeting in shared memory.
constexpr int64_t kWarpPieces = 16;
/// Warps of a block whose rows have one each, and of long rows.
constexpr int64_t kBlockWarps = 4, kLongWarps = 8;

/// The schedule of rows of so many elements; those of dynamic or very long rows
/// keep nothing in registers.
static GPURowsAttr selectRows(MLIRContext *context, int64_t length,
                              FloatType type) {
  int64_t most = kWarpPieces * 32 / type.getWidth();
  for (int64_t warps = 1; warps <= kMostWarps; warps *= 2) {
    int64_t pieces = ShapedType::isDynamic(length)
                         ? most + 1
                         : llvm::divideCeil(length, warps * kWarpLanes);
    if (pieces <= most)
      return GPURowsAttr::get(context, warps,
                              std::max(warps, warps == 1 ? kBlockWarps : 1),
                              std::max<int64_t>(pieces, 1), /*width=*/1,
                              /*strided=*/false, /*chunk=*/0);
  }
  return GPURowsAttr::get(context, kLongWarps, kLongWarps, /*pieces=*/0,
                          /*width=*/1, /*strided=*/false, /*chunk=*/0);
}

Route attn::selectGPURoute(NormOp op, const TargetDescription &target) {
  auto type = cast<ShapedType>(op.getInput().getType());
  if (op.getAxes().size() != 1 || op.getAxes()[0] + 1 != type.getRank())
    return makeKernellessRoute(target);
  return makeRoute(
      selectRows(op.getContext(), type.getShape().back(), op.getComputeType()),
      RemarkId::NormRoute);
}

Route attn::selectGPURoute(SoftmaxOp op, const TargetDescription &target) {
  auto type = cast<ShapedType>(op.getInput().getType());
  if (op.getKeyDim() + 1 != type.getRank())
    return makeKernellessRoute(target);
  return makeRoute(
      selectRows(op.getContext(), type.getShape().back(), op.getComputeType()),
      RemarkId::SoftmaxRoute);
}
