//===- SelectContraction.cpp - Block sizes of matrix products ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

using namespace mlir;
using namespace attn;

/// Rows of a block, which share packed panels.
constexpr int64_t kBlockRows = 512;
/// Terms of one step: few enough that many panels fit the L2 cache, so that the
/// copied rows of a register tile meet many columns. Sums that wait in scratch
/// between steps, because the output is narrower, want fewer steps.
constexpr int64_t kStepDepth = 256;
constexpr int64_t kScratchStepDepth = 512;

/// There should be a block for each thread, or so many where the number of
/// threads is not known, and so many panels in each: with fewer, rows are
/// copied too often.
constexpr int64_t kUnknownThreads = 2;
constexpr int64_t kLeastPanels = 2;
/// Up to so many rows, a right operand in memory is not packed; then a few of
/// its rows are read side by side.
constexpr int64_t kDirectRows = 6;
constexpr int64_t kDirectDepth = 16;

/// `total` in parts of at most `bound`, all of about one size.
static int64_t divideEvenly(int64_t total, int64_t bound) {
  int64_t parts = llvm::divideCeil(std::max<int64_t>(total, 1), bound);
  return std::max<int64_t>(1, llvm::divideCeil(total, parts));
}

namespace {
struct Shape {
  int64_t mr, nr;
};
} // namespace

/// Accumulators, vectors of the panel and one broadcast fit the registers. Of
/// the shapes for the target, the one that pads the columns least.
static Shape selectShape(int64_t rows, int64_t columns, int64_t lanes,
                         const TargetDescription &target) {
  SmallVector<Shape, 3> shapes;
  if (target.numVectorRegisters >= 32)
    shapes = {{6, 4}, {8, 3}, {12, 2}};
  else
    shapes = {{4, 3}, {6, 2}};
  Shape best = shapes.front();
  auto getWidth = [&](Shape shape) {
    return llvm::alignTo(columns, shape.nr * lanes);
  };
  if (!ShapedType::isDynamic(columns))
    for (Shape shape : shapes)
      if (getWidth(shape) < getWidth(best))
        best = shape;
  if (!ShapedType::isDynamic(rows))
    best.mr = std::clamp<int64_t>(rows, 1, best.mr);
  return best;
}

/// Few rows, which one register tile has, and a right operand that can be read
/// where it lies: each of its elements is used once, by a tile as wide as the
/// registers allow. Null where it cannot.
static ContractionScheduleAttr
selectDirectSchedule(FloatType compute, const ContractionSizes &sizes,
                     int64_t lanes, const TargetDescription &target) {
  int64_t accumulators = target.numVectorRegisters / 4 * 3;
  // One row times columns that are contiguous: dot products, a vector of them
  // at a time.
  if (sizes.areTermsContiguous && sizes.rows == 1)
    return ContractionScheduleAttr::get(
        compute.getContext(), /*rows=*/1,
        ShapedType::isDynamic(sizes.depth)
            ? kStepDepth
            : std::clamp<int64_t>(sizes.depth, 1, kMostDepth),
        /*panels=*/0, lanes, /*mr=*/1, /*nr=*/1);
  if (!sizes.isRhsReadable || ShapedType::isDynamic(sizes.rows) ||
      sizes.rows < 1 || sizes.rows > kDirectRows ||
      ShapedType::isDynamic(sizes.columns))
    return {};
  for (int64_t nr = accumulators / sizes.rows; nr >= 1; --nr)
    if (sizes.columns % (nr * lanes) == 0) {
      int64_t depth = ShapedType::isDynamic(sizes.depth)
                          ? kDirectDepth
                          : divideEvenly(sizes.depth, kDirectDepth);
      return ContractionScheduleAttr::get(compute.getContext(), sizes.rows,
                                          depth, /*panels=*/0, lanes,
                                          sizes.rows, nr);
    }
  return {};
}

ContractionScheduleAttr
attn::selectContractionSchedule(Type stored, FloatType compute,
                                const ContractionSizes &sizes,
                                const TargetDescription &target) {
  int64_t lanes = target.getLanes(compute.getWidth());
  if (auto direct = selectDirectSchedule(compute, sizes, lanes, target))
    return direct;
  Shape shape = selectShape(sizes.rows, sizes.columns, lanes, target);
  int64_t depth = stored == compute ? kStepDepth : kScratchStepDepth;
  if (!ShapedType::isDynamic(sizes.depth))
    depth = divideEvenly(sizes.depth, depth);
  int64_t rows = kBlockRows / shape.mr * shape.mr;
  int64_t blocks = 1;
  if (!ShapedType::isDynamic(sizes.rows)) {
    rows = llvm::alignTo(divideEvenly(sizes.rows, kBlockRows), shape.mr);
    blocks = std::max<int64_t>(1, llvm::divideCeil(sizes.rows, rows));
  }
  // Half of the L2 cache holds panels.
  int64_t panelBytes = depth * lanes * shape.nr * (compute.getWidth() / 8);
  int64_t panels = std::clamp<int64_t>(target.l2Bytes / 2 / panelBytes, 1,
                                       kMostColumns / (lanes * shape.nr));
  if (!ShapedType::isDynamic(sizes.columns)) {
    int64_t all = llvm::divideCeil(sizes.columns, lanes * shape.nr);
    int64_t groups = llvm::divideCeil(
        target.threads > 0 ? target.threads : kUnknownThreads, blocks);
    panels = std::min(
        panels, std::max(kLeastPanels, int64_t(llvm::divideCeil(all, groups))));
    panels = divideEvenly(all, panels);
  }
  return ContractionScheduleAttr::get(compute.getContext(), rows, depth, panels,
                                      lanes, shape.mr, shape.nr);
}

Route attn::selectCPURoute(LinearOp op, const TargetDescription &target) {
  if (!target.hasFastVectors())
    return makeBaselineRoute(target);
  LinearSizes sizes(op);
  bool isRhsReadable =
      !sizes.isTransposed &&
      getElementTypeOrSelf(op.getWeight().getType()) == op.getComputeType();
  ContractionScheduleAttr schedule = selectContractionSchedule(
      getElementTypeOrSelf(op.getOutput().getType()), op.getComputeType(),
      {sizes.rows, sizes.columns, sizes.depth, isRhsReadable,
       sizes.isTransposed},
      target);
  return makeRoute(schedule, RemarkId::ContractionRoute);
}
