//===- SelectGPUProduct.cpp - Tiles of matrix products on GPUs ------------===//
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

/// Up to so many rows, the time is that of reading the right operand.
static constexpr int64_t kDotRows = 8;
/// What a size is taken for that is not known.
static constexpr int64_t kUnknownSize = 65536;
/// Bytes of a row of an operand in shared memory, at least: two whole sectors.
static constexpr int64_t kRowBytes = 64;
/// Steps in shared memory, and at most where a multiprocessor has one block:
/// then nothing else hides how long a step takes to come.
static constexpr int64_t kStages = 3, kLoneStages = 8;
/// Registers of a thread that hold sums at most, and others about.
static constexpr int64_t kSumRegisters = 64, kOtherRegisters = 60;
/// Bytes that a thread reads at once.
static constexpr int64_t kAccessBytes = 16;

namespace {

struct Tile {
  int64_t rows, columns, rowWarps, columnWarps;
};

} // namespace

/// The largest first: of those that cost about the same, it reads least.
static constexpr Tile kTiles[] = {
    {128, 128, 4, 2}, {128, 64, 4, 2}, {64, 128, 2, 4}, {64, 64, 2, 2},
    {32, 64, 2, 2},   {16, 64, 1, 4},  {32, 32, 2, 1}};

static int64_t getKnown(int64_t size) {
  return ShapedType::isDynamic(size) ? kUnknownSize : size;
}

static int64_t getBytes(Type type) { return type.getIntOrFloatBitWidth() / 8; }

/// Terms of a step.
static int64_t getDepth(Type factor) {
  return std::max(kRowBytes / getBytes(factor), kFragmentSize);
}

/// Registers of a thread that hold sums.
static int64_t countSums(const Tile &tile, Type compute) {
  return tile.rows * tile.columns * getBytes(compute) /
         (4 * kWarpLanes * tile.rowWarps * tile.columnWarps);
}

static int64_t countTiles(const Tile &tile, const GPUProductSizes &sizes) {
  return std::max<int64_t>(
      1, getKnown(sizes.batch) *
             static_cast<int64_t>(
                 llvm::divideCeil(getKnown(sizes.rows), tile.rows) *
                 llvm::divideCeil(getKnown(sizes.columns), tile.columns)));
}

/// Operands of a step.
static int64_t getStageBytes(const Tile &tile, Type factor) {
  return (tile.rows + tile.columns) * getDepth(factor) * getBytes(factor);
}

static int64_t countStages(const Tile &tile, const GPUProductSizes &sizes,
                           Type factor, const GPUDescription &gpu) {
  if (countTiles(tile, sizes) > gpu.multiprocessors)
    return kStages;
  int64_t fitting = gpu.sharedBytesBlock / getStageBytes(tile, factor);
  return std::clamp(fitting, kStages, kLoneStages);
}

static BlockNeeds getNeeds(const Tile &tile, const GPUProductSizes &sizes,
                           Type factor, Type compute,
                           const GPUDescription &gpu) {
  return {tile.rowWarps * tile.columnWarps,
          countSums(tile, compute) + kOtherRegisters,
          countStages(tile, sizes, factor, gpu) * getStageBytes(tile, factor)};
}

/// Cycles for each term: a block multiplies, and reads its operands.
static double getCost(const Tile &tile, const GPUProductSizes &sizes,
                      Type factor, Type compute, const GPUDescription &gpu) {
  BlockWork work;
  work.matrix = static_cast<double>(tile.rows * tile.columns) /
                static_cast<double>(getProductRate(gpu, getBytes(factor)));
  work.reads =
      static_cast<double>((tile.rows + tile.columns) * getBytes(factor)) /
      kCacheBytesPerCycle;
  return getLaunchCycles(gpu, countTiles(tile, sizes),
                         getNeeds(tile, sizes, factor, compute, gpu), work);
}

//===----------------------------------------------------------------------===//
// Warps with roles
//===----------------------------------------------------------------------===//

/// Tiles of warpgroups, the one that reads least first.
static constexpr std::pair<int64_t, int64_t> kRoleTiles[] = {
    {128, 256}, {128, 192}, {128, 128}};
/// Steps in shared memory at most: copies of that many are under way.
static constexpr int64_t kRoleStages = 4;
/// Bytes of a row of an operand in a step, and of the barriers of a stage.
static constexpr int64_t kStepBytes = 128, kBarrierBytes = 16;
/// By how much products of four warps are faster than those of one.
static constexpr double kGroupGain = 2;

static int64_t countRoleStages(int64_t rows, int64_t columns,
                               const GPUDescription &gpu) {
  int64_t stage = (rows + columns) * kStepBytes + kBarrierBytes;
  return std::min(kRoleStages, gpu.sharedBytesBlock / stage);
}

static BlockNeeds getRoleNeeds(int64_t rows, int64_t columns,
                               const GPUDescription &gpu) {
  int64_t warps = (rows / kGroupRows + 1) * kGroupWarps;
  return {warps, gpu.registersSM / (warps * kWarpLanes) / 8 * 8,
          countRoleStages(rows, columns, gpu) *
              ((rows + columns) * kStepBytes + kBarrierBytes)};
}

/// As getCost, of blocks that are no clusters: an H200 has products of 8192 x
/// 8192 x 8192 from its second-level cache as fast as its tensor cores take
/// them.
static double getRoleCost(int64_t rows, int64_t columns,
                          const GPUProductSizes &sizes,
                          const GPUDescription &gpu) {
  BlockWork work;
  work.matrix = static_cast<double>(rows * columns) /
                static_cast<double>(gpu.tensorProducts);
  work.reads = static_cast<double>((rows + columns) * 2) / kCacheBytesPerCycle;
  Tile tile = {rows, columns, 1, 1};
  return getLaunchCycles(gpu, countTiles(tile, sizes),
                         getRoleNeeds(rows, columns, gpu), work);
}

/// A schedule of roles where it is faster than one that takes `cost`; null
/// where none is.
static GPUProductAttr selectRoles(const GPUProductSizes &sizes, double cost,
                                  const GPUDescription &gpu,
                                  MLIRContext *context) {
  double least = kTileGain * cost;
  GPUProductAttr best;
  for (auto [rows, columns] : kRoleTiles) {
    double other = getRoleCost(rows, columns, sizes, gpu);
    if (other >= least)
      continue;
    least = kTileGain * other;
    best = GPUProductAttr::get(
        context, rows, columns, kStepBytes / 2, rows / kFragmentSize,
        /*columnWarps=*/1, countRoleStages(rows, columns, gpu), /*cluster=*/1);
  }
  return best;
}

static Route selectTile(const GPUProductSizes &sizes, Type factor,
                        FloatType compute, const GPUDescription &gpu) {
  const Tile *best = nullptr;
  for (const Tile &tile : kTiles) {
    if (countSums(tile, compute) > kSumRegisters)
      continue;
    if (!best || getCost(tile, sizes, factor, compute, gpu) <
                     kTileGain * getCost(*best, sizes, factor, compute, gpu))
      best = &tile;
  }
  auto schedule = GPUProductAttr::get(
      compute.getContext(), best->rows, best->columns, getDepth(factor),
      best->rowWarps, best->columnWarps, countStages(*best, sizes, factor, gpu),
      /*cluster=*/1);
  BlockNeeds needs = getNeeds(*best, sizes, factor, compute, gpu);
  Tile tile = *best;
  std::string products = describeGPUProducts(factor);
  if (gpu.hasWgmma && getBytes(factor) == 2) {
    double cost = kGroupGain * getCost(tile, sizes, factor, compute, gpu);
    if (auto roles = selectRoles(sizes, cost, gpu, compute.getContext())) {
      schedule = roles;
      products = "products by wgmma";
      tile = {roles.getRows(), roles.getColumns(), 1, 1};
      needs = getRoleNeeds(roles.getRows(), tile.columns, gpu);
    }
  }
  Route route =
      makeProductRoute(schedule, RemarkId::ContractionRoute, products);
  if (!ShapedType::isDynamicShape({sizes.batch, sizes.rows, sizes.columns}))
    route.remarks.push_back(
        describeLaunch(gpu, countTiles(tile, sizes), needs));
  return route;
}

/// `terms` says whether terms are neighbours in the right operand.
static GPUDotsAttr selectDots(MLIRContext *context,
                              const GPUProductSizes &sizes, Type right,
                              bool terms, const GPUDescription &gpu) {
  int64_t width = kAccessBytes / getBytes(right);
  int64_t rows = std::max<int64_t>(sizes.rows, 1);
  if (!terms) {
    // Lanes side by side read whole sectors of a row. Warps share the terms, as
    // long as there are some for each.
    int64_t columns = kRowBytes / kAccessBytes * width;
    int64_t lanes = kWarpLanes / (columns / width), warps = 8;
    while (warps > 1 && getKnown(sizes.depth) <= warps / 2 * lanes * width)
      warps /= 2;
    return GPUDotsAttr::get(context, rows, columns, warps, width);
  }
  constexpr int64_t warps = 4;
  int64_t columns = rows > kDotRows / 2 ? 2 : 4;
  auto countBlocks = [&] {
    return getKnown(sizes.batch) *
           llvm::divideCeil(getKnown(sizes.columns), columns * warps);
  };
  while (columns > 1 &&
         countBlocks() < static_cast<uint64_t>(gpu.multiprocessors))
    columns /= 2;
  return GPUDotsAttr::get(context, rows, columns, warps, width);
}

Route attn::selectGPUProduct(Type lhs, Type rhs, FloatType compute,
                             const GPUProductSizes &sizes, bool rhsTransposed,
                             const TargetDescription &target) {
  MLIRContext *context = compute.getContext();
  if (!ShapedType::isDynamic(sizes.rows) && sizes.rows <= kDotRows)
    return makeProductRoute(
        selectDots(context, sizes, rhs, rhsTransposed, *target.gpu),
        RemarkId::ContractionRoute, describeGPUProducts(compute));
  bool isHalf = lhs == rhs && getBytes(lhs) == 2 && compute.isF32();
  return selectTile(sizes, isHalf ? lhs : Type(compute), compute, *target.gpu);
}

Route attn::selectGPURoute(LinearOp op, const TargetDescription &target) {
  Type element = getElementTypeOrSelf(op.getWeight().getType());
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element)) {
    std::string type;
    llvm::raw_string_ostream(type) << element;
    return {{}, {Remark(RemarkId::UncoveredElementType, {{"type", type}})}};
  }
  LinearSizes sizes(op);
  return selectGPUProduct(element, element, op.getComputeType(),
                          {/*batch=*/1, sizes.rows, sizes.columns, sizes.depth},
                          sizes.isTransposed, target);
}
