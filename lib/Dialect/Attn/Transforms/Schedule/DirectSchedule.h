//===- DirectSchedule.h - Products that copy no right operand ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_DIRECTSCHEDULE_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_DIRECTSCHEDULE_H

#include "Route.h"

#include "attn/Dialect/Attn/IR/Instructions.h"

namespace attn {

/// Terms of one step: few enough that many panels fit the L2 cache, so that the
/// copied rows of a register tile meet many columns.
constexpr int64_t kStepDepth = 256;

/// `total` in parts of at most `bound`, all of about one size.
inline int64_t divideEvenly(int64_t total, int64_t bound) {
  int64_t parts = llvm::divideCeil(std::max<int64_t>(total, 1), bound);
  return std::max<int64_t>(1, llvm::divideCeil(total, parts));
}

/// How many terms a step takes.
inline int64_t getTerms(Instruction instruction) {
  return instruction == Instruction::FMA ? 1 : 2;
}

/// What few rows are multiplied with where it lies: each of its elements is
/// used a few times, which copying it does not pay for. Schedules are null
/// where that cannot be or does not pay.
class DirectSchedule {
public:
  /// `isWidened`: the right operand has another type than the sums, and no
  /// instruction that takes it as it is.
  DirectSchedule(mlir::FloatType compute, const ContractionSizes &sizes,
                 Instruction instruction, bool isWidened,
                 const TargetDescription &target);

  /// One row times columns that are contiguous: dot products, a vector of them
  /// at a time.
  ContractionScheduleAttr selectDots() const;
  /// The same of a tile of rows and a few columns, with terms in the lanes.
  ContractionScheduleAttr selectDotTiles() const;
  /// Rows, which one register tile has, times rows that are contiguous, by a
  /// tile as wide as the registers allow.
  ContractionScheduleAttr selectWideTile() const;
  /// The same with several tiles of rows.
  ContractionScheduleAttr selectTiles() const;

private:
  ContractionScheduleAttr get(int64_t rows, int64_t bound, int64_t mr,
                              int64_t nr) const {
    int64_t terms = getTerms(instruction), depth = bound;
    if (!mlir::ShapedType::isDynamic(sizes.depth))
      depth = llvm::alignTo(divideEvenly(sizes.depth, bound), terms);
    return ContractionScheduleAttr::get(
        compute.getContext(), rows, depth, selectPanels(nr), lanes, mr, nr,
        instruction, /*direct=*/true, /*turned=*/false, /*parts=*/1);
  }
  int64_t selectPanels(int64_t nr) const;

  mlir::FloatType compute;
  const ContractionSizes &sizes;
  Instruction instruction;
  const TargetDescription &target;
  int64_t lanes;
  int64_t accumulators;
  /// In several tiles, which read rows or columns of the right operand.
  int64_t mostTileRows, mostDotRows;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_DIRECTSCHEDULE_H
