//===- SelectGPUAttention.cpp - Which attentions are kernels --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURoles.h"
#include "Route.h"

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

/// Warps of a block at most: they share the keys that lie in shared memory.
/// With two fragments of rows each, a block has half of them at least, so that
/// another one keeps the multiprocessor busy.
constexpr int64_t kWarps = 8;
constexpr int64_t kThreadsPerWarp = 32;
/// Registers of a thread that hold no matrix: addresses, states of rows; more
/// addresses where the query stays in shared memory.
constexpr int64_t kOtherRegisters = 80, kQueryAddresses = 10;
/// The same where nothing is masked or added: some, and more for each fragment
/// of columns, as ptxas counts.
constexpr int64_t kPlainRegisters = 24, kColumnRegisters = 5;
/// Rows of a key head at most where keys are split, and tiles of keys that a
/// range has at least, so that its state costs little beside them.
constexpr int64_t kMostDecodedRows = 64, kLeastRangeTiles = 4;
/// What rows are taken for that are not known: so many that the last round of
/// blocks does not count.
constexpr int64_t kUnknownRows = int64_t(1) << 20;

namespace {

/// The sizes of heads, rounded up to whole fragments, and of their elements.
struct HeadSizes {
  int64_t head, value, bytes;
  /// Those of sums.
  int64_t sumBytes;
  /// Whether scores are products, and nothing else is done with them than what
  /// every softmax does.
  bool isPlain;

  bool keepsQuery() const { return bytes == 2 && head <= 128; }
};

/// What a block computes at once: so many keys for the rows of its warps, of
/// which each has some fragments.
struct Tile {
  int64_t warps, fragments, keys;

  int64_t getRows() const { return warps * fragments * kFragmentSize; }
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

/// Registers of a thread: accumulators, the query where it is short, scores and
/// weights of a tile of keys, and `others`.
static int64_t countRegisters(const HeadSizes &sizes, int64_t fragments,
                              int64_t keys, int64_t others) {
  auto getWords = [](int64_t columns, int64_t bytes) {
    return kFragmentSize * columns * bytes / (4 * kThreadsPerWarp);
  };
  int64_t scores = getWords(keys, sizes.sumBytes);
  int64_t ofFragment = getWords(sizes.value, sizes.sumBytes) + scores;
  if (sizes.keepsQuery())
    ofFragment += getWords(sizes.head, sizes.bytes);
  else
    others += kQueryAddresses;
  // What exponentials make of scores stands beside them, one fragment after the
  // other: three quarters more, as ptxas counts.
  return fragments * ofFragment + scores * 3 / 4 + getWords(keys, sizes.bytes) +
         others;
}

/// Shared memory of a block at most: query or output, weights, keys, values,
/// and norms of keys.
static int64_t countShared(const HeadSizes &sizes, const Tile &tile) {
  int64_t ofRow = std::max(sizes.head, sizes.value) + tile.keys;
  return (tile.getRows() * ofRow + tile.keys * (sizes.head + sizes.value)) *
             sizes.bytes +
         tile.keys * sizes.sumBytes;
}

/// What a block takes. What masks, biases and regions need is not known.
static BlockNeeds getNeeds(const HeadSizes &sizes, const Tile &tile,
                           const GPUDescription &gpu) {
  int64_t registers = gpu.registersThread;
  if (sizes.isPlain)
    registers =
        std::min(registers, countRegisters(sizes, tile.fragments, tile.keys,
                                           kPlainRegisters +
                                               kColumnRegisters * sizes.head /
                                                   kFragmentSize));
  return {tile.warps, registers, countShared(sizes, tile)};
}

/// What a block does for each key. Matrix instructions wait for what they read
/// of shared memory: each warp reads all of a tile, but once for all of its
/// fragments.
static BlockWork getWork(const HeadSizes &sizes, const Tile &tile,
                         const GPUDescription &gpu) {
  auto rows = static_cast<double>(tile.getRows());
  auto columns = static_cast<double>(sizes.head + sizes.value);
  auto bytes = static_cast<double>(sizes.bytes);
  BlockWork work;
  work.matrix =
      rows * columns / static_cast<double>(getProductRate(gpu, sizes.bytes));
  work.functions = rows / static_cast<double>(gpu.exponentials);
  work.reads = columns * bytes / kCacheBytesPerCycle;
  auto copies = static_cast<double>(tile.warps + 1);
  if (sizes.bytes == 2)
    work.matrix =
        std::max(work.matrix, copies * columns * bytes / kSharedBytesPerCycle);
  return work;
}

/// Blocks of the grid, whose rows are those of one head each; sizes that are
/// not known count as kUnknownRows.
static int64_t countBlocks(AttentionOp op, const Tile &tile) {
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
        blocks, isRow ? llvm::divideCeil(size, tile.getRows()) : size);
    blocks = std::min(blocks, kMostIndices);
  }
  return std::max<int64_t>(blocks, 1);
}

/// Whether a warp's registers take two fragments of rows.
static bool takesTwoFragments(const HeadSizes &sizes, const Tile &tile,
                              const GPUDescription &gpu) {
  return sizes.isPlain && tile.warps * 2 >= kWarps &&
         getNeeds(sizes, tile, gpu).registers < gpu.registersThread;
}

/// As many rows as fill the machine best: more of them share what they read,
/// fewer leave less of it without a block.
static Tile selectTile(AttentionOp op, const HeadSizes &sizes, int64_t rows,
                       int64_t keys, const GPUDescription &gpu) {
  Tile best = {1, 1, keys};
  double least = std::numeric_limits<double>::infinity();
  for (int64_t warps = kWarps; warps >= 1; warps /= 2)
    for (int64_t fragments : {2, 1}) {
      Tile tile = {warps, fragments, keys};
      BlockNeeds needs = getNeeds(sizes, tile, gpu);
      bool isIdle = tile.getRows() > kFragmentSize &&
                    !ShapedType::isDynamic(rows) && rows <= tile.getRows() / 2;
      if (isIdle || needs.sharedBytes > gpu.sharedBytesBlock ||
          (fragments == 2 && !takesTwoFragments(sizes, tile, gpu)))
        continue;
      double cycles = getLaunchCycles(gpu, countBlocks(op, tile), needs,
                                      getWork(sizes, tile, gpu));
      if (cycles < kTileGain * least) {
        least = cycles;
        best = tile;
      }
    }
  return best;
}

static GPUAttentionAttr makeSchedule(AttentionOp op, const HeadSizes &sizes,
                                     const Tile &tile,
                                     const GPUDescription &gpu,
                                     int64_t splitKeys, int64_t items) {
  int64_t blocks = countResidentBlocks(gpu, getNeeds(sizes, tile, gpu));
  return GPUAttentionAttr::get(op.getContext(), tile.getRows(), tile.keys,
                               tile.warps, blocks, /*stages=*/1, splitKeys,
                               items);
}

/// How the launch fills the machine, where its size is known.
static void explainLaunch(Route &route, AttentionOp op, const HeadSizes &sizes,
                          const Tile &tile, const GPUDescription &gpu) {
  if (!cast<ShapedType>(op.getQuery().getType()).hasStaticShape())
    return;
  route.remarks.push_back(
      describeLaunch(gpu, countBlocks(op, tile), getNeeds(sizes, tile, gpu)));
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
  Tile tile = {static_cast<int64_t>(llvm::divideCeil(rows, kFragmentSize)), 1,
               keys};
  int64_t items = gpu.multiprocessors *
                  countResidentBlocks(gpu, getNeeds(sizes, tile, gpu));
  return makeSchedule(op, sizes, tile, gpu, kLeastRangeTiles * keys, items);
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
                     self.getComputeType().getIntOrFloatBitWidth() / 8,
                     /*isPlain=*/false};
  sizes.isPlain = sizes.keepsQuery() && self.isScoreLinear() &&
                  op.getMasks().empty() && !self.isCosine() &&
                  self.getStatisticKinds().empty();
  int64_t keys = 64;
  while (keys > kFragmentSize &&
         countRegisters(sizes, /*fragments=*/1, keys, kOtherRegisters) >
             target.gpu->registersThread)
    keys /= 2;
  int64_t rows = getExtent(op.getQuery(), self.getInputMap(0), op.getRowDim());
  if (int64_t decoded = countDecodedRows(op, rows)) {
    GPUAttentionAttr split =
        selectDecode(op, sizes, decoded, keys, *target.gpu);
    if (!needsNoRanges(op, decoded, headDim, split))
      return makeProductRoute(split, RemarkId::DecodeRoute,
                              describeGPUProducts(element));
  }
  Route missed;
  if (auto roles = selectRoles(missed, op, headDim, valueDim, target)) {
    Route route =
        makeProductRoute(roles, RemarkId::TileRoute, "products by wgmma");
    route.remarks.push_back(Remark(RemarkId::RolesWhere));
    return route;
  }
  Tile tile = selectTile(op, sizes, rows, keys, *target.gpu);
  Route route =
      makeProductRoute(makeSchedule(op, sizes, tile, *target.gpu,
                                    /*splitKeys=*/0, /*items=*/1),
                       RemarkId::TileRoute, describeGPUProducts(element));
  llvm::append_range(route.remarks, missed.remarks);
  explainLaunch(route, op, sizes, tile, *target.gpu);
  return route;
}
