//===- SelectNorm.cpp - Which norms take the fast route -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"

#include "attn/Support/Sizes.h"

using namespace mlir;
using namespace attn;

/// A work item reads about so much, where the size of a row is known.
constexpr int64_t kItemBytes = 1024 * 1024;
constexpr int64_t kItemRows = 64;
/// Sums are kept in so many vectors, to hide the latency of an addition.
constexpr int64_t kUnroll = 4;

/// Panels of columns are so long at most, so that their statistics stay in the
/// first-level cache, and at least, so that memory is read in long pieces.
constexpr int64_t kPanelBytes = 16 * 1024;
constexpr int64_t kLeastPanelBytes = 1024;
/// A run of fewer bytes is better read together with those beside it.
constexpr int64_t kRunBytes = 2048;
/// Panels are multiples of so many columns, and chunks of so many rows.
constexpr int64_t kColumns = 64;
constexpr int64_t kChunkRows = 8;

namespace {

/// The sizes that decide how the tiles of a norm over other dimensions than the
/// last ones are cut; what is not known is 0.
struct TileSizes {
  explicit TileSizes(NormOp op);

  int64_t bytes;
  bool isColumns;
  /// Elements of a group, of the neighbouring dimensions in which panels and
  /// chunks are, and of a run: the last dimensions, where they are normalised.
  int64_t group, panel, chunk, run;
  /// All elements, for one index of those before the first normalised one.
  int64_t inner;
};

} // namespace

TileSizes::TileSizes(NormOp op) {
  auto type = cast<ShapedType>(op.getInput().getType());
  bytes = type.getElementTypeBitWidth() / 8;
  int64_t first = op.getAxes().front(), last = op.getRank() - 1;
  auto multiply = [&](int64_t from, int64_t to) {
    int64_t product = 1;
    for (int64_t dim = from; dim <= to; ++dim)
      product = multiplySaturating(
          product, type.isDynamicDim(dim) ? 0 : type.getDimSize(dim));
    return product;
  };
  isColumns = !op.isNormalised(last);
  int64_t panelEnd = op.getKeptDims().back(), panelBegin = panelEnd;
  while (panelBegin > 0 && !op.isNormalised(panelBegin - 1))
    --panelBegin;
  int64_t chunkEnd = first;
  while (op.isNormalised(chunkEnd + 1))
    ++chunkEnd;
  panel = multiply(panelBegin, panelEnd);
  chunk = multiply(first, chunkEnd);
  run = multiply(panelEnd + 1, last);
  inner = multiply(first, last);
  group = 1;
  for (int64_t axis : op.getAxes())
    group = multiplySaturating(group, multiply(axis, axis));
}

static int64_t roundTo(int64_t size, int64_t multiple) {
  return std::max(multiple, size / multiple * multiple);
}

/// Whole groups to a tile where a cache holds it twice over, for the next one
/// is asked for meanwhile. Their number is 0 where it does not.
static int64_t selectWholePanel(const TileSizes &sizes, int64_t tileBytes) {
  int64_t groupBytes = multiplySaturating(sizes.group, sizes.bytes);
  if (groupBytes == 0)
    return 0;
  int64_t most = tileBytes / groupBytes;
  if (sizes.isColumns) {
    int64_t columns = std::min(most, kPanelBytes / sizes.bytes);
    bool isLong = columns * sizes.bytes >= kLeastPanelBytes ||
                  (sizes.panel != 0 && columns >= sizes.panel);
    return isLong ? roundTo(columns, kColumns) : 0;
  }
  return multiplySaturating(sizes.run, sizes.bytes) >= kRunBytes ? most : 0;
}

/// How the tiles of a norm over other dimensions than the last ones are cut.
static NormScheduleAttr selectTiles(NormOp op, int64_t lanes, int64_t stream,
                                    int64_t tileBytes) {
  TileSizes sizes(op);
  auto create = [&](int64_t rows, int64_t panel, int64_t chunk) {
    return NormScheduleAttr::get(op.getContext(), rows, lanes, kUnroll, stream,
                                 panel, chunk);
  };
  int64_t whole = selectWholePanel(sizes, tileBytes);
  if (whole != 0 && !op.hasGivenStatistics()) {
    int64_t bytes =
        multiplySaturating(std::min(whole, std::max<int64_t>(sizes.panel, 1)),
                           multiplySaturating(sizes.group, sizes.bytes));
    return create(std::clamp<int64_t>(kItemBytes / bytes, 1, kItemRows), whole,
                  0);
  }
  int64_t panel = kPanelBytes / sizes.bytes;
  int64_t chunk = kChunkRows * kItemRows;
  if (sizes.inner != 0 && sizes.chunk != 0) {
    int64_t bytes = multiplySaturating(sizes.inner / sizes.chunk, sizes.bytes);
    if (sizes.panel > panel)
      bytes = multiplySaturating(bytes / sizes.panel, panel);
    chunk = std::max<int64_t>(kItemBytes / std::max<int64_t>(bytes, 1), 1);
    if (sizes.isColumns)
      chunk = roundTo(chunk, kChunkRows);
  }
  return create(/*rows=*/1, panel, chunk);
}

/// Rows of the last dimensions, one after the other.
static NormScheduleAttr selectRows(NormOp op, int64_t lanes, int64_t stream) {
  auto type = cast<ShapedType>(op.getInput().getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8, rows = kItemRows;
  for (int64_t axis : op.getAxes())
    bytes = type.isDynamicDim(axis) || bytes == 0
                ? 0
                : multiplySaturating(bytes, type.getDimSize(axis));
  if (bytes != 0)
    rows = std::clamp<int64_t>(kItemBytes / bytes, 1, 4 * kItemRows);
  return NormScheduleAttr::get(op.getContext(), rows, lanes, kUnroll, stream,
                               /*panel=*/0, /*chunk=*/0);
}

Route attn::selectCPURoute(NormOp op, const TargetDescription &target) {
  if (!target.hasFastVectors())
    return makeBaselineRoute(target);
  int64_t lanes = target.getLanes(op.getComputeType().getWidth());
  // What does not fit the second-level cache several times over is not found
  // there by whoever reads it next.
  int64_t stream = 8 * target.l2Bytes;
  bool isOfRows =
      op.getAxes().front() == op.getRank() - int64_t(op.getAxes().size());
  NormScheduleAttr schedule =
      isOfRows ? selectRows(op, lanes, stream)
               : selectTiles(op, lanes, stream, target.l2Bytes / 4);
  return makeRoute(schedule, RemarkId::NormRoute);
}
