//===- SelectContraction.cpp - Block sizes of matrix products ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectSchedule.h"
#include "Route.h"

#include "attn/Dialect/Attn/IR/EntryAttributes.h"
#include "attn/Dialect/Attn/IR/Instructions.h"
#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace attn;

/// Rows of a block, which share packed panels.
constexpr int64_t kBlockRows = 512;
/// Terms of one step where sums wait in scratch, because the output is
/// narrower: these want fewer steps.
constexpr int64_t kScratchStepDepth = 512;
/// On the tile unit sums wait in L2 between parts of a step, and in another
/// type between steps: there are few of these.
constexpr int64_t kTileStepDepth = 2048;

/// There should be a block for each thread, or so many where the number of
/// threads is not known, and so many panels in each: with fewer, rows are
/// copied too often.
constexpr int64_t kUnknownThreads = 2;
constexpr int64_t kLeastPanels = 2;
/// Terms of a step whose sums of all columns wait in memory, on the tile unit.
constexpr int64_t kStreamDepth = 64;
/// Panels of pairs that few rows share stay in L1.
constexpr int64_t kFewRows = 32;
constexpr int64_t kFewSteps = 32;
constexpr int64_t kFewPanels = 4;
/// Few rows wait for panels that are there, unless each step asks for those of
/// the next one: so few that they lie close together. The length of a step
/// stays: it decides about the bits of sums.
constexpr int64_t kAheadPanels = 2;
/// Of so many rows on and up to so many, the tile unit reads columns that are
/// contiguous where they lie. Each group of so many panels turns the rows for
/// itself.
constexpr int64_t kLeastTurnedRows = 5;
constexpr int64_t kMostTurnedRows = 128;
constexpr int64_t kTurnedPanels = 16;
/// Of so many rows on, for each part beyond the first, it pays to cut numbers.
constexpr int64_t kLeastCutRows = 32;

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

/// What vectors of these types are multiplied by.
static Instruction selectVectorInstruction(const ContractionTypes &types,
                                           const TargetDescription &target) {
  auto pairs = Instruction::BF16Pairs;
  return types.compute.isF32() && multiplies(pairs, types.lhs) &&
                 multiplies(pairs, types.rhs) && canMultiply(target, pairs)
             ? pairs
             : Instruction::FMA;
}

/// Types are multiplied as they are where the unit has them.
std::optional<Unit> attn::selectUnit(Type lhs, Type rhs, int64_t parts,
                                     const TargetDescription &target) {
  for (Unit unit :
       {Unit{Instruction::BF16Tiles, 1}, Unit{Instruction::F16Tiles, 1},
        Unit{Instruction::BF16Tiles, parts}})
    if (multiplies(unit.instruction, lhs, unit.parts) &&
        multiplies(unit.instruction, rhs, unit.parts) &&
        canMultiply(target, unit.instruction))
      return unit;
  return std::nullopt;
}

bool attn::isMadeAhead(Value matrix) {
  auto type = cast<ShapedType>(matrix.getType());
  if (type.getRank() != 2 || !type.hasStaticShape())
    return false;
  // Each product has panels of its own.
  auto argument = dyn_cast<BlockArgument>(matrix);
  if (!argument)
    return matrix.getDefiningOp<arith::ConstantOp>() != nullptr;
  if (!matrix.hasOneUse())
    return false;
  auto func = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return func && argument.getOwner()->isEntryBlock() && func.isPublic() &&
         func.getArgAttrOfType<UnitAttr>(argument.getArgNumber(), kPackedAttr);
}

static std::string print(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// Why narrow operands are widened, or do not run on the tile unit; nothing
/// where nothing is faster.
static void describeNarrow(const ContractionTypes &types,
                           ContractionScheduleAttr schedule,
                           const TargetDescription &target,
                           SmallVectorImpl<Remark> &missed) {
  if (types.lhs == types.compute && types.rhs == types.compute)
    return;
  std::string reason;
  Type narrow = types.lhs == types.compute ? types.rhs : types.lhs;
  if (schedule.getInstruction() != Instruction::FMA) {
    if (!takesTiles(schedule.getInstruction()) &&
        canMultiply(target, Instruction::BF16Tiles))
      missed.push_back(
          Remark(RemarkId::TilesMissed, {{"type", print(narrow)},
                                         {"reason", "rows or terms are few"}}));
    return;
  }
  if (!types.compute.isF32())
    reason = "sums have that type";
  else if (types.lhs != types.rhs)
    reason = "the operands have different types";
  else if (narrow.isBF16())
    reason = lacksPairsAlone(target) ? kSlowPairs.str()
                                     : "the target has no AVX512-BF16";
  else if (narrow.isF16() && target.hasAMXF16)
    reason = "it does not fill the tiles of AMX-FP16";
  else if (narrow.isF16() && canMultiply(target, Instruction::BF16Tiles))
    reason = "its parts do not fill the tiles";
  else if (narrow.isF16())
    reason = "the target has no tile unit";
  else
    reason = "no instruction multiplies it with sums of f32";
  missed.push_back(
      Remark(RemarkId::ContractionWidened, {{"type", print(narrow)},
                                            {"compute", print(types.compute)},
                                            {"reason", reason}}));
}

/// Why the op's parts are not multiplied; nothing where they are, or it has
/// none.
static void describeWhole(const ContractionTypes &types,
                          ContractionScheduleAttr schedule,
                          const TargetDescription &target,
                          SmallVectorImpl<Remark> &missed) {
  bool isWidened = types.lhs.isF16() && types.rhs.isF16();
  if (types.parts == 1 || isWidened || takesTiles(schedule.getInstruction()))
    return;
  auto hasParts = [&](Type type) {
    return multiplies(Instruction::BF16Tiles, type, types.parts);
  };
  StringRef reason = "the product is too small for the tile unit";
  if (!types.compute.isF32())
    reason = "sums are not f32";
  else if (!hasParts(types.lhs) || !hasParts(types.rhs))
    reason = "an operand is neither f32 nor f16";
  else if (!canMultiply(target, Instruction::BF16Tiles))
    reason = "the target has no tiles of bf16";
  missed.push_back(Remark(RemarkId::PartsWhole, {{"reason", reason.str()}}));
}

/// Whether the tile unit is to read columns where they lie.
static bool areTurned(const ContractionSizes &sizes, const Unit &unit) {
  return unit.parts == 1 && sizes.areTermsContiguous &&
         !ShapedType::isDynamic(sizes.rows) && sizes.rows >= kLeastTurnedRows &&
         sizes.rows <= kMostTurnedRows && !ShapedType::isDynamic(sizes.depth) &&
         sizes.depth % kTileTerms == 0;
}

/// Whether the tile unit is better than vectors. With fewer rows than half a
/// tile the time goes to bringing the right operand into panels, if it has to,
/// and to cutting it into parts; fewer terms would leave most of a tile empty.
static bool fillsTiles(const ContractionSizes &sizes, const Unit &unit) {
  auto fills = [](int64_t size, int64_t least) {
    return ShapedType::isDynamic(size) || size >= least;
  };
  int64_t leastRows =
      unit.parts == 1 ? kTileRows / 2 : kLeastCutRows * (unit.parts - 1);
  return (fills(sizes.rows, leastRows) || areTurned(sizes, unit)) &&
         fills(sizes.depth, kTileRows);
}

/// Two by two tiles of sums with two of each operand, or fewer where there are
/// not so many rows or columns.
static Shape selectTileShape(const ContractionSizes &sizes) {
  auto count = [](int64_t size, int64_t each) {
    return !ShapedType::isDynamic(size) && size <= each ? 1 : 2;
  };
  return {kTileRows * count(sizes.rows, kTileRows),
          count(sizes.columns, kPairLanes)};
}

/// Few rows of a known number, with a right operand that is read as it lies.
static bool isStreamedByUnit(const ContractionSizes &sizes) {
  return !sizes.isAhead && sizes.areColumnsContiguous &&
         !ShapedType::isDynamic(sizes.rows) &&
         sizes.rows <= kMostStreamedRows &&
         (ShapedType::isDynamic(sizes.depth) || sizes.depth > kStreamDepth);
}

static ContractionScheduleAttr selectBlocks(const ContractionTypes &types,
                                            const ContractionSizes &sizes,
                                            const std::optional<Unit> &unit,
                                            const TargetDescription &target) {
  FloatType compute = types.compute;
  Instruction instruction = selectVectorInstruction(types, target);
  int64_t lanes = target.getLanes(compute.getWidth());
  bool isWidened = instruction == Instruction::FMA && types.rhs != compute;
  DirectSchedule direct(compute, sizes, instruction, isWidened, target);
  if (auto dots = direct.selectDots())
    return dots;
  // The tile unit is so much faster that transposing columns for it pays.
  bool isOfTiles = unit && fillsTiles(sizes, *unit);
  // Panels that are there are read in order, and each row of them once. None
  // are made of what is widened.
  bool areCopied = isOfTiles || (sizes.isAhead && !isWidened);
  if (auto tiles = areCopied ? nullptr : direct.selectDotTiles())
    return tiles;
  if (auto tile = direct.selectWideTile())
    return tile;
  if (auto tiles = areCopied ? nullptr : direct.selectTiles())
    return tiles;
  Shape shape = selectShape(sizes.rows, sizes.columns, lanes, target);
  int64_t parts = 1;
  if (isOfTiles) {
    instruction = unit->instruction;
    parts = unit->parts;
    shape = selectTileShape(sizes);
  }
  int64_t terms = getTerms(instruction);
  bool turned = isOfTiles && areTurned(sizes, *unit);
  bool isStreamed = isOfTiles && !turned && isStreamedByUnit(sizes);
  if (isStreamed)
    shape.mr = kTileRows;
  bool areFew = !turned && !isStreamed && !ShapedType::isDynamic(sizes.rows) &&
                sizes.rows <= kFewRows &&
                (isOfTiles || (instruction == Instruction::BF16Pairs &&
                               sizes.areColumnsContiguous));
  int64_t depth = terms * (areFew                    ? kFewSteps
                           : types.stored == compute ? kStepDepth
                                                     : kScratchStepDepth);
  if (isOfTiles)
    depth = isStreamed ? kStreamDepth : kTileStepDepth;
  if (!ShapedType::isDynamic(sizes.depth))
    depth = llvm::alignTo(divideEvenly(sizes.depth, depth),
                          isOfTiles ? kTileTerms : terms);
  // Rounded up: lengths are multiples of the block's rows more often than not,
  // and a few rows that are left go through the whole matrix once more.
  int64_t rows = llvm::alignTo(kBlockRows, shape.mr);
  int64_t blocks = 1;
  if (!ShapedType::isDynamic(sizes.rows)) {
    rows = llvm::alignTo(divideEvenly(sizes.rows, kBlockRows), shape.mr);
    blocks = std::max<int64_t>(1, llvm::divideCeil(sizes.rows, rows));
  }
  // Half of the L2 cache holds panels.
  int64_t panelBytes =
      parts * depth / terms * lanes * shape.nr * (compute.getWidth() / 8);
  int64_t panels = std::clamp<int64_t>(target.l2Bytes / 2 / panelBytes, 1,
                                       kMostColumns / (lanes * shape.nr));
  if (sizes.isAhead && !isOfTiles && !isWidened &&
      !ShapedType::isDynamic(sizes.rows) && sizes.rows <= kFewPanelRows)
    panels = std::min(panels, kAheadPanels);
  if (areFew)
    panels = std::min(panels, kFewPanels);
  if (turned)
    panels = kTurnedPanels;
  // The same half holds sums.
  if (isStreamed)
    panels = std::max<int64_t>(
        1, target.l2Bytes / 2 /
               (rows * lanes * shape.nr * (compute.getWidth() / 8)));
  if (!ShapedType::isDynamic(sizes.columns)) {
    int64_t all = llvm::divideCeil(sizes.columns, lanes * shape.nr);
    int64_t groups = llvm::divideCeil(
        target.threads > 0 ? target.threads : kUnknownThreads, blocks);
    panels = std::min(
        panels, std::max(kLeastPanels, int64_t(llvm::divideCeil(all, groups))));
    panels = divideEvenly(all, panels);
    // Three blocks would take two threads as long as four. The tile unit copies
    // its rows for each block, and gains nothing.
    int64_t columnBlocks = std::max<int64_t>(1, llvm::divideCeil(all, panels));
    int64_t shared = llvm::divideCeil(all, llvm::alignTo(columnBlocks, groups));
    if (columnBlocks > 1 && !isOfTiles && shared >= kLeastPanels)
      panels = shared;
  }
  return ContractionScheduleAttr::get(compute.getContext(), rows, depth, panels,
                                      lanes, shape.mr, shape.nr, instruction,
                                      /*direct=*/false, turned, parts);
}

/// What multiplies, and whether the right operand is read where it lies.
/// Whether panels are made ahead is said where they are.
static std::string describeRight(const ContractionTypes &types,
                                 const ContractionSizes &sizes,
                                 ContractionScheduleAttr schedule) {
  std::string text = describeProducts(schedule.getInstruction(),
                                      schedule.getParts(), types.compute);
  int64_t width = schedule.getNr() * schedule.getLanes();
  bool fitsRegisters =
      sizes.areColumnsContiguous
          ? !ShapedType::isDynamic(sizes.columns) && sizes.columns % width == 0
          : schedule.getNr() == 1;
  if (schedule.getTurned() || (schedule.getDirect() && fitsRegisters))
    return text + "; right operand read where it lies";
  if (takesTiles(schedule.getInstruction()) && isStreamedByUnit(sizes))
    return text + "; right operand packed " +
           std::to_string(schedule.getDepth()) + " of its rows at a time";
  return text + "; right operand in panels that up to " +
         std::to_string(schedule.getRows()) + " rows share";
}

Route attn::selectCPUProduct(const ContractionTypes &types,
                             const ContractionSizes &sizes,
                             const TargetDescription &target) {
  SmallVector<Remark> missed;
  std::optional<Unit> unit;
  if (types.compute.isF32())
    unit = selectUnit(types.lhs, types.rhs, types.parts, target);
  ContractionScheduleAttr schedule = selectBlocks(types, sizes, unit, target);
  describeNarrow(types, schedule, target, missed);
  describeWhole(types, schedule, target, missed);
  Route route = makeProductRoute(schedule, RemarkId::ContractionRoute,
                                 describeRight(types, sizes, schedule));
  llvm::append_range(route.remarks, missed);
  return route;
}

Route attn::selectCPURoute(LinearOp op, const TargetDescription &target) {
  if (!target.hasFastVectors())
    return makeBaselineRoute(target);
  LinearSizes sizes(op);
  auto getElement = [](Value value) { return getElementTypeOrSelf(value); };
  return selectCPUProduct(
      {getElement(op.getInput()), getElement(op.getWeight()),
       getElement(op.getOutput()), op.getComputeType(), countParts(op)},
      {sizes.rows, sizes.columns, sizes.depth,
       /*areColumnsContiguous=*/!sizes.isTransposed,
       /*areTermsContiguous=*/sizes.isTransposed, isMadeAhead(op.getWeight())},
      target);
}
