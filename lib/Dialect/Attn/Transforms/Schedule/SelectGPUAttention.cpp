//===- SelectGPUAttention.cpp - Which attentions are kernels --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

/// Warps of a block at most, each with one fragment of rows: they share the
/// keys that lie in shared memory.
constexpr int64_t kWarps = 8;
constexpr int64_t kThreadsPerWarp = 32;
/// Registers of a thread that hold no matrix: addresses, states of rows; more
/// addresses where the query stays in shared memory.
constexpr int64_t kOtherRegisters = 80, kQueryAddresses = 10;
/// Rows of a key head at most where keys are split, and tiles of keys that a
/// range has at least, so that its state costs little beside them.
constexpr int64_t kMostDecodedRows = 64, kLeastRangeTiles = 4;
/// What rows are taken for that are not known: so many that the last round of
/// blocks does not count.
constexpr int64_t kUnknownRows = 65536;

namespace {

/// The sizes of heads, rounded up to whole fragments, and of their elements.
struct HeadSizes {
  int64_t head, value, bytes;
  /// Those of sums.
  int64_t sumBytes;
};

} // namespace

/// What no kernel takes; none where one takes all.
static std::optional<Remark> findObstacle(AttentionOp op, int64_t headDim,
                                          int64_t valueDim,
                                          const TargetDescription &target) {
  if (ShapedType::isDynamic(headDim) || ShapedType::isDynamic(valueDim))
    return Remark(RemarkId::DynamicHeadDim);
  if (headDim == 0 || valueDim == 0)
    return Remark(RemarkId::EmptyHeadDim);
  auto refuse = [&](const Twine &reason) {
    return Remark(RemarkId::NoAttentionKernel,
                  {{"target", target.name}, {"reason", reason.str()}});
  };
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element)) {
    std::string type;
    llvm::raw_string_ostream(type) << element;
    return refuse("elements of " + type);
  }
  for (Value operand :
       {Value(op.getKey()), Value(op.getValue()), op.getOutput()})
    if (getElementTypeOrSelf(operand.getType()) != element)
      return refuse("operands of several types");
  if (std::max(headDim, valueDim) > kMostFragmentHeadDim)
    return refuse("heads of more than " + Twine(kMostFragmentHeadDim));
  return std::nullopt;
}

/// Registers of a thread with one fragment of 16 rows: accumulators, the query
/// where it is short, scores and weights of a tile of `keys`.
static int64_t countRegisters(const HeadSizes &sizes, int64_t keys) {
  auto getWords = [](int64_t columns, int64_t bytes) {
    return kFragmentSize * columns * bytes / (4 * kThreadsPerWarp);
  };
  bool keepsQuery = sizes.bytes == 2 && sizes.head <= 128;
  // What masks and exponentials make of scores stands beside them: three
  // quarters more, as ptxas counts.
  return getWords(sizes.value, sizes.sumBytes) +
         (keepsQuery ? getWords(sizes.head, sizes.bytes) : kQueryAddresses) +
         getWords(keys, sizes.sumBytes) * 7 / 4 + getWords(keys, sizes.bytes) +
         kOtherRegisters;
}

/// Shared memory of a block at most: query or output, weights, keys, values,
/// and norms of keys.
static int64_t countShared(const HeadSizes &sizes, int64_t rows, int64_t keys) {
  int64_t ofRow = std::max(sizes.head, sizes.value) + keys;
  return (rows * ofRow + keys * (sizes.head + sizes.value)) * sizes.bytes +
         keys * sizes.sumBytes;
}

/// What a block takes whose warps have one fragment of rows each.
static BlockNeeds getNeeds(const HeadSizes &sizes, int64_t warps, int64_t keys,
                           const GPUDescription &gpu) {
  return {warps, std::min(countRegisters(sizes, keys), gpu.registersThread),
          countShared(sizes, warps * kFragmentSize, keys)};
}

/// What a block does for each key.
static BlockWork getWork(const HeadSizes &sizes, int64_t warps,
                         const GPUDescription &gpu) {
  auto rows = static_cast<double>(warps * kFragmentSize);
  auto columns = static_cast<double>(sizes.head + sizes.value);
  auto bytes = static_cast<double>(sizes.bytes);
  int64_t rate = getProductRate(gpu, sizes.bytes);
  return {rows * columns / static_cast<double>(rate),
          rows / static_cast<double>(gpu.exponentials),
          columns * bytes / kCacheBytesPerCycle};
}

/// Blocks of the grid, whose rows are those of one head each; sizes that are
/// not known count as kUnknownRows.
static int64_t countBlocks(AttentionOp op, int64_t warps) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  auto query = cast<ShapedType>(op.getQuery().getType());
  int64_t blocks = 1;
  for (auto [expr, extent] :
       llvm::zip_equal(self.getInputMap(0).getResults(), query.getShape())) {
    if (expr.isFunctionOfDim(op.getHeadDimDim()))
      continue;
    bool isRow = expr.isFunctionOfDim(op.getRowDim());
    int64_t size = extent;
    if (ShapedType::isDynamic(size))
      size = isRow ? kUnknownRows : 1;
    blocks = llvm::SaturatingMultiply<uint64_t>(
        blocks, isRow ? llvm::divideCeil(size, warps * kFragmentSize) : size);
    blocks = std::min(blocks, kMostIndices);
  }
  return std::max<int64_t>(blocks, 1);
}

/// As many warps as fill the machine best: more of them share what they read,
/// fewer leave less of it without a block.
static int64_t selectWarps(AttentionOp op, const HeadSizes &sizes, int64_t rows,
                           int64_t keys, const GPUDescription &gpu) {
  int64_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int64_t warps = kWarps; warps >= 1; warps /= 2) {
    BlockNeeds needs = getNeeds(sizes, warps, keys, gpu);
    bool isIdle = warps > 1 && !ShapedType::isDynamic(rows) &&
                  rows <= warps / 2 * kFragmentSize;
    if (isIdle || needs.sharedBytes > gpu.sharedBytesBlock)
      continue;
    double cycles = getLaunchCycles(gpu, countBlocks(op, warps), needs,
                                    getWork(sizes, warps, gpu));
    if (cycles < kTileGain * least) {
      least = cycles;
      best = warps;
    }
  }
  return best;
}

/// How the launch fills the machine, where its size is known.
static void explainLaunch(Route &route, AttentionOp op, const HeadSizes &sizes,
                          const GPUDescription &gpu) {
  if (!cast<ShapedType>(op.getQuery().getType()).hasStaticShape())
    return;
  auto schedule = cast<GPUAttentionAttr>(route.schedule);
  int64_t warps = schedule.getWarps();
  route.remarks.push_back(
      describeLaunch(gpu, countBlocks(op, warps),
                     getNeeds(sizes, warps, schedule.getKeys(), gpu)));
}

/// Rows of all query heads of a key head, where they are known and so few that
/// the grid's blocks would be too few for the machine: 0 otherwise.
static int64_t countDecodedRows(AttentionOp op, int64_t rows) {
  if (ShapedType::isDynamic(rows))
    return 0;
  int64_t all = rows * getHeadGroup(op);
  return all <= kMostDecodedRows ? all : 0;
}

/// Whether sizes are known, and leave nothing to split: few keys, or blocks for
/// all multiprocessors without.
static bool needsNoRanges(AttentionOp op, int64_t headRows, int64_t headDim,
                          GPUAttentionAttr schedule) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  int64_t keys = getExtent(op.getKey(), self.getInputMap(1), op.getKeyDim());
  if (!ShapedType::isDynamic(keys) && keys <= schedule.getSplitKeys())
    return true;
  auto query = cast<ShapedType>(op.getQuery().getType());
  return query.hasStaticShape() &&
         query.getNumElements() >= schedule.getItems() * headRows * headDim;
}

/// Few rows: keys are split until all multiprocessors have work.
static GPUAttentionAttr selectDecode(AttentionOp op, const HeadSizes &sizes,
                                     int64_t rows, int64_t keys,
                                     const GPUDescription &gpu) {
  int64_t warps = llvm::divideCeil(rows, kFragmentSize);
  int64_t tileRows = warps * kFragmentSize;
  int64_t items = gpu.multiprocessors *
                  countResidentBlocks(gpu, getNeeds(sizes, warps, keys, gpu));
  return GPUAttentionAttr::get(op.getContext(), tileRows, keys, warps,
                               /*stages=*/1, kLeastRangeTiles * keys, items);
}

Route attn::selectGPURoute(AttentionOp op, const TargetDescription &target) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  int64_t headDim =
      getExtent(op.getQuery(), self.getInputMap(0), op.getHeadDimDim());
  int64_t valueDim =
      getExtent(op.getValue(), self.getInputMap(2), op.getValueDim());
  if (auto obstacle = findObstacle(op, headDim, valueDim, target))
    return {{}, {*obstacle}};
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  auto pad = [](int64_t size) {
    return static_cast<int64_t>(llvm::alignTo(size, kFragmentSize));
  };
  HeadSizes sizes = {pad(headDim), pad(valueDim),
                     element.getIntOrFloatBitWidth() / 8,
                     self.getComputeType().getIntOrFloatBitWidth() / 8};
  int64_t keys = 64;
  while (keys > kFragmentSize &&
         countRegisters(sizes, keys) > target.gpu->registersThread)
    keys /= 2;
  int64_t rows = getExtent(op.getQuery(), self.getInputMap(0), op.getRowDim());
  if (int64_t decoded = countDecodedRows(op, rows)) {
    GPUAttentionAttr split =
        selectDecode(op, sizes, decoded, keys, *target.gpu);
    if (!needsNoRanges(op, decoded, headDim, split))
      return makeRoute(split, RemarkId::DecodeRoute);
  }
  int64_t warps = selectWarps(op, sizes, rows, keys, *target.gpu);
  auto schedule = GPUAttentionAttr::get(op.getContext(), warps * kFragmentSize,
                                        keys, warps, /*stages=*/1,
                                        /*splitKeys=*/0, /*items=*/1);
  Route route = makeRoute(schedule, RemarkId::TileRoute);
  explainLaunch(route, op, sizes, *target.gpu);
  return route;
}
