//===- DirectSchedule.cpp - Products that copy no right operand ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectSchedule.h"

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

using namespace mlir;
using namespace attn;

/// Where nothing is copied there are so many blocks for threads that nobody
/// knows, of so many columns at least.
constexpr int64_t kUnknownDirectThreads = 4;
constexpr int64_t kLeastDirectColumns = 1024;
/// Up to so many rows, a right operand in memory is not packed; then a few of
/// its rows are read side by side.
constexpr int64_t kDirectRows = 6;
constexpr int64_t kDirectDepth = 16;
/// The same of one or two rows, which ask for the next columns.
constexpr int64_t kReadDepth = 8;
/// Tiles of rows share what is in L2 of the right operand, and their sums wait
/// there between steps: more rows want longer ones. With the registers of AVX2,
/// packing is faster.
constexpr int64_t kTilesRows = 64;
constexpr int64_t kTilesDepth = 16;
constexpr int64_t kManyTilesRows = 32;
constexpr int64_t kManyTilesDepth = 32;
constexpr int64_t kTilesVectors = 4;
constexpr int64_t kTilesAccumulators = 24;
/// Up to so many rows, columns that are contiguous are not transposed: of so
/// many terms at least, as the sums of their lanes take time, too, and at most
/// in one step. So many columns are read side by side.
constexpr int64_t kDotRows = 32;
constexpr int64_t kDotTerms = 256;
constexpr int64_t kMostDotDepth = 2048;
constexpr int64_t kDotColumns = 4;
/// Each tile of rows widens anew what it reads: beyond so many, one copy is
/// faster. Contiguous columns are widened more often, by smaller tiles.
constexpr int64_t kWidenedRows = 24;
constexpr int64_t kWidenedDotRows = 16;
constexpr int64_t kWidenedDotRowsAVX2 = 8;
/// Groups of so many columns are worked on side by side.
constexpr int64_t kDotPanels = 4;

DirectSchedule::DirectSchedule(FloatType compute, const ContractionSizes &sizes,
                               Instruction instruction, bool isWidened,
                               const TargetDescription &target)
    : compute(compute), sizes(sizes), instruction(instruction), target(target),
      lanes(target.getLanes(compute.getWidth())),
      accumulators(target.numVectorRegisters / 4 * 3),
      mostTileRows(isWidened ? kWidenedRows : kTilesRows),
      mostDotRows(!isWidened                           ? kDotRows
                  : accumulators >= kTilesAccumulators ? kWidenedDotRows
                                                       : kWidenedDotRowsAVX2) {}

/// Rows are read along their whole length where one thread has all columns: as
/// in a copy, memory is on its way then, and pages are found once. Columns that
/// are contiguous are read along theirs.
int64_t DirectSchedule::selectPanels(int64_t nr) const {
  if (!sizes.areColumnsContiguous || ShapedType::isDynamic(sizes.columns))
    return kDotPanels;
  int64_t all = llvm::divideCeil(sizes.columns, nr * lanes);
  int64_t most =
      target.threads > 0
          ? llvm::divideCeil(all, target.threads)
          : std::max(llvm::divideCeil(all, kUnknownDirectThreads),
                     llvm::divideCeil(kLeastDirectColumns, nr * lanes));
  int64_t sums = sizes.rows * nr * lanes * compute.getIntOrFloatBitWidth() / 8;
  most =
      std::min({most, target.l2Bytes / 4 / sums, kMostColumns / (nr * lanes)});
  return divideEvenly(all, std::max<int64_t>(most, 1));
}

ContractionScheduleAttr DirectSchedule::selectDots() const {
  if (!sizes.areTermsContiguous || sizes.rows != 1)
    return {};
  int64_t depth = ShapedType::isDynamic(sizes.depth)
                      ? kStepDepth
                      : std::clamp<int64_t>(sizes.depth, 1, kMostDepth);
  return ContractionScheduleAttr::get(
      compute.getContext(), /*rows=*/1, depth, kDotPanels, lanes, /*mr=*/1,
      /*nr=*/1, instruction, /*direct=*/true, /*turned=*/false, /*parts=*/1);
}

ContractionScheduleAttr DirectSchedule::selectDotTiles() const {
  if (!sizes.areTermsContiguous || ShapedType::isDynamic(sizes.rows) ||
      sizes.rows < 1 || sizes.rows > mostDotRows ||
      (!ShapedType::isDynamic(sizes.depth) && sizes.depth < kDotTerms))
    return {};
  int64_t mr = divideEvenly(sizes.rows, accumulators / kDotColumns);
  return get(llvm::alignTo(sizes.rows, mr), kMostDotDepth, mr, /*nr=*/1);
}

ContractionScheduleAttr DirectSchedule::selectWideTile() const {
  if (!sizes.areColumnsContiguous || ShapedType::isDynamic(sizes.rows) ||
      sizes.rows < 1 || sizes.rows > kDirectRows ||
      ShapedType::isDynamic(sizes.columns))
    return {};
  // Vectors of a cache line ask for the next columns: many rows of those would
  // push each other out of L1.
  bool asksNextColumns =
      sizes.rows <= kReadRows &&
      lanes * compute.getIntOrFloatBitWidth() / 8 >= kLineBytes;
  for (int64_t nr = accumulators / sizes.rows; nr >= 1; --nr)
    if (sizes.columns % (nr * lanes) == 0)
      return get(sizes.rows, asksNextColumns ? kReadDepth : kDirectDepth,
                 sizes.rows, nr);
  return {};
}

/// Each tile of rows reads the same few rows of the right operand. Pairs would
/// be put together anew for each tile.
ContractionScheduleAttr DirectSchedule::selectTiles() const {
  if (!sizes.areColumnsContiguous || instruction != Instruction::FMA ||
      accumulators < kTilesAccumulators || ShapedType::isDynamic(sizes.rows) ||
      sizes.rows <= kDirectRows || sizes.rows > mostTileRows ||
      ShapedType::isDynamic(sizes.columns) ||
      sizes.columns % (kTilesVectors * lanes) != 0)
    return {};
  int64_t mr = divideEvenly(sizes.rows, accumulators / kTilesVectors);
  int64_t depth = sizes.rows <= kManyTilesRows ? kTilesDepth : kManyTilesDepth;
  return get(llvm::alignTo(sizes.rows, mr), depth, mr, kTilesVectors);
}
