//===- SelectDecode.cpp - Which attentions are decoding -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

using namespace mlir;
using namespace attn;

/// Whether the last dimension of an operand is `dim`, so that vectors along it
/// are read at once.
static bool isInnermost(AffineMap map, unsigned dim) {
  return map.getNumResults() != 0 &&
         map.getResults().back() == getAffineDimExpr(dim, map.getContext());
}

/// Beyond a few rows the kernel with queries in the lanes does less work: it
/// fills one vector with 16 of them and needs no sums across lanes.
constexpr int64_t kMostRows = 4;

/// Of so many the tile unit multiplies as fast as vectors, though most rows of
/// its tiles are empty.
constexpr int64_t kLeastUnitRows = 2;

/// What keeps an attention with few rows from being decoded.
static std::optional<Remark> findObstacle(AttentionOp op, int64_t headDim,
                                          int64_t valueDim) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  if (headDim > kMostSplitHeadDim || valueDim > kMostSplitHeadDim)
    return Remark(RemarkId::DecodeLongHeads,
                  {{"limit", std::to_string(kMostSplitHeadDim)}});
  if (!isInnermost(self.getInputMap(1), op.getHeadDimDim()))
    return Remark(RemarkId::DecodeLayout, {{"operand", "key"}});
  if (!isInnermost(self.getInputMap(2), op.getValueDim()))
    return Remark(RemarkId::DecodeLayout, {{"operand", "value"}});
  if (countsWithinSegments(op))
    return Remark(RemarkId::DecodeSegmentPositions);
  if (hasGroupedParam(op) || hasOddHeadGroup(op))
    return Remark(RemarkId::DecodeGroups);
  return std::nullopt;
}

std::optional<ScheduleAttr>
attn::selectDecodeSchedule(AttentionOp op, const TargetDescription &target,
                           std::optional<Remark> &missed) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  int64_t rows = getExtent(op.getQuery(), self.getInputMap(0), op.getRowDim());
  int64_t headDim =
      getExtent(op.getQuery(), self.getInputMap(0), op.getHeadDimDim());
  int64_t valueDim =
      getExtent(op.getValue(), self.getInputMap(2), op.getValueDim());
  if (ShapedType::isDynamic(rows) || rows == 0 || rows > kMostRows ||
      headDim == 0 || valueDim == 0)
    return std::nullopt;
  missed = findObstacle(op, headDim, valueDim);
  if (missed)
    return std::nullopt;

  FloatType compute = self.getComputeType();
  int64_t lanes = target.getLanes(compute.getWidth());
  int64_t all = rows * getHeadGroup(op);
  // Half of the registers are accumulators.
  int64_t accumulators = target.numVectorRegisters / 2;
  Instruction instruction = selectInstruction(op, target);
  bool takesPairs = instruction != Instruction::FMA;
  int64_t vectors = llvm::divideCeil(valueDim, lanes);
  // Values become pairs once for all rows that are taken together.
  int64_t mr = std::min<int64_t>(all, takesPairs ? 8 : 4);
  int64_t nr = std::min<int64_t>(vectors, accumulators / mr);
  if (takesPairs && nr < vectors)
    nr = nr / 2 * 2;
  Type query = getElementTypeOrSelf(op.getQuery().getType());
  std::optional<Unit> unit = selectUnit(query, query, /*parts=*/1, target);
  if (unit && all >= kLeastUnitRows &&
      std::min(headDim, valueDim) >= kTileRows) {
    instruction = unit->instruction;
    mr = all <= kTileRows ? kTileRows : 2 * kTileRows;
    nr = std::min<int64_t>(vectors, all <= kTileRows ? 3 : 2);
  }
  // A block's keys and values stay in the L1 cache beside each other, and each
  // is fetched while the other is used.
  Type stored = getElementTypeOrSelf(op.getKey());
  int64_t rowBytes =
      std::max(headDim, valueDim) * stored.getIntOrFloatBitWidth() / 8;
  int64_t keys = rowBytes >= 256 ? 32 : 64;
  constexpr int64_t splitKeys = 512, items = 64;
  return ScheduleAttr::get(op.getContext(), all, keys, lanes, mr, nr,
                           /*operands=*/Type(), splitKeys, items, instruction,
                           instruction != Instruction::FMA &&
                               op.getOutputs().size() == 1,
                           /*parts=*/1);
}
