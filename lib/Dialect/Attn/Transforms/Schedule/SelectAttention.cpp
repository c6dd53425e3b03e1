//===- SelectAttention.cpp - Which attentions take the fast route ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"

#include "attn/Analysis/Work.h"
#include "attn/Dialect/Attn/IR/Instructions.h"
#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/Score/KeyRanges.h"

using namespace mlir;
using namespace attn;

/// Scratch up to this size lies on the stack (attn-place-scratch).
constexpr int64_t kScratchStackBytes = 64 * 1024;
/// More groups would leave too few blocks of rows to share among threads.
constexpr int64_t kMaxRowGroups = 4;

/// Head dimension and value dimension.
static std::pair<int64_t, int64_t> getDims(AttentionOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  return {getExtent(op.getQuery(), self.getInputMap(0), op.getHeadDimDim()),
          getExtent(op.getValue(), self.getInputMap(2), op.getValueDim())};
}

/// Why no machine-level kernel can compute `op`; none when one can.
static std::optional<Remark> findObstacle(AttentionOp op,
                                          const TargetDescription &target) {
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element)) {
    std::string type;
    llvm::raw_string_ostream(type) << element;
    return Remark(RemarkId::UncoveredElementType, {{"type", type}});
  }
  auto [headDim, valueDim] = getDims(op);
  if (ShapedType::isDynamic(headDim) || ShapedType::isDynamic(valueDim))
    return Remark(RemarkId::DynamicHeadDim);
  if (headDim == 0 || valueDim == 0)
    return Remark(RemarkId::EmptyHeadDim);
  if (!target.hasFastVectors())
    return Remark(RemarkId::NoFastVectors, {{"target", target.name}});
  return std::nullopt;
}

/// How many groups of `rows` query rows share a block of keys and values, so
/// that it is read from the L2 cache for all but the first of them.
static int64_t getRowGroups(AttentionOp op, int64_t rows, int64_t keys,
                            int64_t bytes, int64_t leastGroups,
                            const TargetDescription &target) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  auto [headDim, valueDim] = getDims(op);
  // What does not fit the stack has to be allocated for each block of rows.
  // That is worth it where otherwise each group would read the block.
  int64_t state = rows * (headDim + valueDim) * bytes;
  int64_t shared = keys * rows * bytes;
  int64_t groups = (kScratchStackBytes - shared) / state;
  if (groups < 2)
    groups = target.l2Bytes / 4 / state;
  groups = std::clamp<int64_t>(groups, 1, kMaxRowGroups);
  // Under a causal mask or a window the rows of a block see different keys:
  // the more rows, the more masked work at the edge.
  if (hasRangeMask(cast<AttentionOpInterface>(op.getOperation())))
    groups = 1;
  groups = std::max(groups, leastGroups);
  int64_t queries =
      getExtent(op.getQuery(), self.getInputMap(0), op.getRowDim());
  if (!ShapedType::isDynamic(queries))
    groups = std::clamp<int64_t>(llvm::divideCeil(queries, rows), 1, groups);
  return groups;
}

/// How many groups of rows what is made of a block is worth. Converting its
/// keys and values costs 6 % of the products that one group makes with them;
/// pairs are made of values alone, which costs less than the masked work of a
/// second group.
static int64_t getLeastGroups(AttentionOp op, Instruction instruction) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  if (getElementTypeOrSelf(op.getQuery().getType()) == self.getComputeType())
    return 1;
  return hasRangeMask(cast<AttentionOpInterface>(op.getOperation())) &&
                 instruction != Instruction::FMA
             ? 1
             : 2;
}

Instruction attn::selectInstruction(AttentionOp op,
                                    const TargetDescription &target) {
  bool isBF16 = getElementTypeOrSelf(op.getQuery().getType()).isBF16();
  return isBF16 && target.hasAVX512BF16 ? Instruction::BF16Pairs
                                        : Instruction::FMA;
}

/// Why an attention of a narrow type does not run on the tile unit, or is as
/// fast as one of f32; none where nothing is faster.
static std::optional<Remark> describeNarrow(AttentionOp op,
                                            ScheduleAttr schedule,
                                            const TargetDescription &target) {
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  Type compute = cast<AttentionOpInterface>(op.getOperation()).getComputeType();
  Instruction instruction = schedule.getInstruction();
  if (element == compute || takesTiles(instruction))
    return std::nullopt;
  auto print = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  bool hasUnit =
      selectUnit(element, element, countParts(op, element), target).has_value();
  std::string reason = "target " + target.name + " has no products of it";
  if (element.isBF16() && lacksPairsAlone(target))
    reason = kSlowPairs;
  if (hasUnit && schedule.getSplitKeys() == 0)
    reason = "heads do not fill the tiles";
  else if (hasUnit)
    reason = countParts(op, element) > 1 ? "parts are for keys in one range"
                                         : "rows are few";
  if (instruction == Instruction::FMA)
    return Remark(RemarkId::AttentionWidened, {{"type", print(element)},
                                               {"operands", print(compute)},
                                               {"reason", reason}});
  if (!hasUnit)
    return std::nullopt;
  return Remark(RemarkId::TilesMissed,
                {{"type", print(element)}, {"reason", reason}});
}

/// What multiplies, and what is made of keys and values first: for a block of
/// query rows, or, where few are decoded, at the call.
static std::string describeKeys(AttentionOp op, ScheduleAttr schedule) {
  Type compute = cast<AttentionOpInterface>(op.getOperation()).getComputeType();
  Instruction instruction = schedule.getInstruction();
  std::string text =
      describeProducts(instruction, schedule.getParts(), compute);
  bool areWidened = instruction == Instruction::FMA && schedule.getOperands();
  StringRef made = "";
  if (schedule.getParts() > 1)
    made = "keys and values packed";
  else if (takesTiles(instruction))
    made = "values packed, keys where they do not fill tiles";
  else if (instruction == Instruction::BF16Pairs)
    made = "values packed, keys where their terms lie apart";
  else if (areWidened)
    made = "keys and values widened";
  bool isDecoded = schedule.getSplitKeys() != 0;
  if (isDecoded && !takesTiles(instruction))
    made = "";
  text += "; ";
  if (op.getLoadKey())
    text += "keys changed, ";
  if (made.empty())
    return text + (op.getLoadKey() ? "values" : "keys and values") +
           " read where they lie";
  text += made;
  if (isDecoded)
    return text;
  return text + ", once for up to " + std::to_string(schedule.getRows()) +
         " query rows";
}

/// Why the op's parts are not multiplied; none where they are, or there are
/// none.
static std::optional<Remark> describeWhole(AttentionOp op,
                                           ScheduleAttr schedule,
                                           const TargetDescription &target) {
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  if (!getProducts(op) || countParts(op, element) == 1 ||
      takesTiles(schedule.getInstruction()))
    return std::nullopt;
  return Remark(RemarkId::PartsWhole,
                {{"reason", !canMultiply(target, Instruction::BF16Tiles)
                                ? "the target has no tiles of bf16"
                            : schedule.getSplitKeys() != 0
                                ? "few rows are as fast as memory"
                                : "heads do not fill the tiles"}});
}

/// How many vectors of rows stand in a register tile. A block computes the
/// scores of all keys that one of its rows sees: a band of w keys makes it
/// w + rows - 1 for each row. Two vectors instead of three take a few per cent
/// more time a product, and are worth it up to a band of six blocks.
static int64_t getRowVectors(AttentionOp op, int64_t lanes) {
  std::optional<int64_t> width = getBand(op.getMasks()).getWidth();
  return width && *width < 6 * 3 * lanes ? 2 : 3;
}

/// Keys of a block on the tile unit: many, as sums go through memory once a
/// block, but scores are to stay in L1 beside the packed query or the output.
constexpr int64_t kUnitKeys = 128, kFewUnitKeys = 64;
/// Values are transposed once a block, which costs as much as a group's
/// products with it: with so many groups, each of which leaves out the keys at
/// both ends that it does not see. Their states are to fit a fourth of L2, or
/// half where numbers are cut into parts, which costs more than transposing.
/// Many rows are taken in up to twice the groups, as long as threads have
/// blocks enough to share.
constexpr int64_t kUnitGroups = 8, kMostUnitGroups = 16, kUnitBlocks = 4;

/// Tiles of query rows on the tile unit; null where heads do not fill its
/// tiles.
static ScheduleAttr selectUnitTiles(AttentionOp op,
                                    const TargetDescription &target) {
  auto [headDim, valueDim] = getDims(op);
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  std::optional<Unit> unit =
      selectUnit(element, element, countParts(op, element), target);
  if (!unit || headDim < kTileRows || valueDim < kTileRows)
    return {};
  int64_t parts = unit->parts;
  constexpr int64_t nr = 2, mr = 2 * kTileRows, rows = nr * kPairLanes;
  constexpr int64_t bytes = sizeof(float);
  int64_t keys = kUnitKeys;
  if (rows * (std::max(headDim, valueDim) + keys) * bytes > 2 * target.l1Bytes)
    keys = kFewUnitKeys;
  int64_t groups = kUnitGroups;
  auto self = cast<AttentionOpInterface>(op.getOperation());
  int64_t queries =
      getExtent(op.getQuery(), self.getInputMap(0), op.getRowDim());
  if (!ShapedType::isDynamic(queries)) {
    int64_t all = llvm::divideCeil(queries, rows);
    groups = std::clamp(all / kUnitBlocks, kUnitGroups, kMostUnitGroups);
    groups = std::clamp<int64_t>(all, 1, groups);
  }
  int64_t state = rows * (headDim + valueDim) * bytes;
  groups = std::clamp<int64_t>(target.l2Bytes / (parts > 1 ? 2 : 4) / state, 1,
                               groups);
  return ScheduleAttr::get(
      op.getContext(), groups * rows, keys, kPairLanes, mr, nr,
      /*operands=*/Type(), /*splitKeys=*/0,
      /*items=*/1, unit->instruction,
      /*sumRounded=*/parts == 1 && op.getOutputs().size() == 1, parts);
}

/// Tiles of query rows.
static ScheduleAttr selectTiles(AttentionOp op,
                                const TargetDescription &target) {
  if (ScheduleAttr schedule = selectUnitTiles(op, target))
    return schedule;
  // A register tile of mr x nr accumulators, nr operand vectors and one
  // broadcast must fit the register file: 8 x 3 or 8 x 2 of 32, 4 x 3 or 4 x 2
  // of 16.
  auto self = cast<AttentionOpInterface>(op.getOperation());
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  FloatType compute = self.getComputeType();
  int64_t lanes = target.getLanes(compute.getWidth());
  int64_t nr = getRowVectors(op, lanes);
  int64_t mr = target.numVectorRegisters >= 32 ? 8 : 4;
  // The scores of a tile should stay in L1 beside the packed query or the
  // output: 64 keys where they do, else half as many. Fewer keys would make the
  // loops of the second product short.
  auto [headDim, valueDim] = getDims(op);
  int64_t rows = lanes * nr, keys = 64;
  int64_t bytes = compute.getWidth() / 8;
  if (rows * (std::max(headDim, valueDim) + keys) * bytes > target.l1Bytes)
    keys = 32;
  Instruction instruction = selectInstruction(op, target);
  Type operands;
  if (element != compute && instruction == Instruction::FMA)
    operands = compute;
  rows *= getRowGroups(op, rows, keys, bytes, getLeastGroups(op, instruction),
                       target);
  // lse and probes are as exact as f32.
  bool sumRounded =
      instruction != Instruction::FMA && op.getOutputs().size() == 1;
  return ScheduleAttr::get(op.getContext(), rows, keys, lanes, mr, nr, operands,
                           /*splitKeys=*/0, /*items=*/1, instruction,
                           sumRounded, /*parts=*/1);
}

/// What `op` costs at least, whatever its route.
static Remark describeWork(AttentionOp op) {
  SizeEvaluator sizes(*op->getBlock());
  auto print = [](double number) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.0f", number);
    return text;
  };
  std::optional<double> flops = countFlops(op, sizes);
  std::optional<double> bytes = countBytes(op, sizes);
  if (flops && bytes)
    return Remark(RemarkId::Work,
                  {{"flops", print(*flops)}, {"bytes", print(*bytes)}});
  auto [headDim, valueDim] = getDims(op);
  bool known =
      !ShapedType::isDynamic(headDim) && !ShapedType::isDynamic(valueDim);
  return Remark(RemarkId::WorkOfPair,
                {{"flops", known ? print(2.0 * (headDim + valueDim))
                                 : std::string("2 (d + dv)")}});
}

/// Decoding, tiles, or the portable path.
static Route chooseRoute(AttentionOp op, const TargetDescription &target) {
  if (std::optional<Remark> obstacle = findObstacle(op, target))
    return {{}, {*obstacle}};
  std::optional<Remark> missed;
  if (auto decode = selectDecodeSchedule(op, target, missed)) {
    Route route = makeProductRoute(*decode, RemarkId::DecodeRoute,
                                   describeKeys(op, *decode));
    if (auto narrow = describeNarrow(op, *decode, target))
      route.remarks.push_back(*narrow);
    if (auto whole = describeWhole(op, *decode, target))
      route.remarks.push_back(*whole);
    return route;
  }
  Route route;
  if (hasGroupedParam(op)) {
    route.remarks.push_back(Remark(RemarkId::GroupedParam));
  } else {
    ScheduleAttr schedule = selectTiles(op, target);
    route = makeProductRoute(schedule, RemarkId::TileRoute,
                             describeKeys(op, schedule));
    if (auto narrow = describeNarrow(op, schedule, target))
      route.remarks.push_back(*narrow);
    if (auto whole = describeWhole(op, schedule, target))
      route.remarks.push_back(*whole);
  }
  if (missed)
    route.remarks.insert(route.remarks.begin(), *missed);
  return route;
}

Route attn::selectCPURoute(AttentionOp op, const TargetDescription &target) {
  Route route = chooseRoute(op, target);
  route.remarks.push_back(describeWork(op));
  return route;
}
