//===- SelectContraction.cpp - Block sizes of matrix products ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Transforms.h"
#include "attn/Target/TargetDescription.h"

using namespace mlir;
using namespace attn;

/// Rows that share a packed panel: packing reads columns of a large matrix line
/// by line, so it should be done for as many as the L2 cache holds. Rows that
/// have to be converted first take more room.
constexpr int64_t kBlockRows = 512;
constexpr int64_t kConvertedRows = 256;
/// Terms of one step: long enough that loading and storing sums is cheap.
constexpr int64_t kStepDepth = 512;

ContractionScheduleAttr
attn::selectContractionSchedule(Type stored, FloatType compute, int64_t columns,
                                int64_t depth,
                                const TargetDescription &target) {
  // Accumulators, vectors of the panel and one broadcast fit the registers.
  struct Shape {
    int64_t mr, nr;
  };
  SmallVector<Shape, 3> shapes;
  if (target.numVectorRegisters >= 32)
    shapes = {{8, 3}, {6, 4}, {12, 2}};
  else
    shapes = {{4, 3}, {6, 2}};
  int64_t lanes = target.getLanes(compute.getWidth());
  Shape best = shapes.front();
  auto getWidth = [&](Shape shape) {
    return llvm::alignTo(columns, shape.nr * lanes);
  };
  // The shape that pads the columns least.
  if (!ShapedType::isDynamic(columns))
    for (Shape shape : shapes)
      if (getWidth(shape) < getWidth(best))
        best = shape;
  int64_t rows = stored == compute ? kBlockRows : kConvertedRows;
  rows = rows / best.mr * best.mr;
  int64_t step = kStepDepth;
  if (!ShapedType::isDynamic(depth))
    step = std::max<int64_t>(
        1, llvm::divideCeil(
               depth, llvm::divideCeil(std::max<int64_t>(depth, 1), step)));
  return ContractionScheduleAttr::get(compute.getContext(), rows, step, lanes,
                                      best.mr, best.nr);
}

std::pair<ContractionScheduleAttr, Remark>
attn::selectLinearRoute(LinearOp op, const TargetDescription &target) {
  if (!isa<RankedTensorType>(op.getOutput().getType()))
    return {{}, Remark(RemarkId::OperandsNotTensors)};
  if (!target.hasFastVectors())
    return {{}, Remark(RemarkId::NoFastVectors, {{"target", target.name}})};
  auto weight = cast<ShapedType>(op.getWeight().getType());
  unsigned in = op.getWeightInDim();
  ContractionScheduleAttr schedule = selectContractionSchedule(
      weight.getElementType(), op.getComputeType(), weight.getDimSize(1 - in),
      weight.getDimSize(in), target);
  std::string text;
  llvm::raw_string_ostream(text) << schedule;
  return {schedule, Remark(RemarkId::ContractionRoute, {{"schedule", text}})};
}
