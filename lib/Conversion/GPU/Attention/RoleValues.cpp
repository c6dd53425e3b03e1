//===- RoleValues.cpp - Values that hidden keys have ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product adds the values of hidden keys with weight 0, and 0 times a number
// that is not finite is NaN. So all consumers together look at a tile's values
// first.
//
//===----------------------------------------------------------------------===//

#include "AttentionRoles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

/// The named barrier of all consumers; 0 is that of the whole block.
static constexpr int64_t kConsumerBarrier = 1;

/// The thread's chunks of the values of a stage: `fold` gets where each lies,
/// its number in a panel, and what it gave before.
Value AttentionRoles::foldValues(
    Value stage, Value start,
    function_ref<Value(Value address, Value chunk, Value before)> fold) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  PanelTile values =
      operands.value.getTile(getStage(memory.values, stage, memory.valueBytes));
  int64_t chunks = values.rows * PanelTile::kRowBytes / kChunkBytes;
  // All threads go round equally often: what comes after stays uniform.
  auto loop =
      scf::ForOp::create(b, loc, kernel.constant(0), kernel.constant(chunks),
                         kernel.constant(shape.getThreads()), start);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(loop.getBody());
  Value before = loop.getRegionIterArgs()[0];
  Value chunk = kernel.add(loop.getInductionVar(), place.thread);
  auto foldPanels = [&] {
    Value result = before;
    for (const SharedTile &panel : getPanels(values))
      result =
          fold(kernel.offset(panel.base,
                             kernel.mul(chunk, kernel.constant(kChunkBytes))),
               chunk, result);
    scf::YieldOp::create(b, loc, result);
  };
  if (chunks % shape.getThreads() == 0) {
    foldPanels();
    return loop.getResult(0);
  }
  // A warp's chunks are there, or none of them.
  Value ofWarp = kernel.add(loop.getInductionVar(),
                            kernel.mul(place.warp, kernel.constant(32)));
  auto branch =
      scf::IfOp::create(b, loc, before.getType(),
                        kernel.less(ofWarp, kernel.constant(chunks)), true);
  scf::YieldOp::create(b, loc, branch.getResults());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, before);
  b.setInsertionPointToStart(branch.thenBlock());
  foldPanels();
  return loop.getResult(0);
}

/// Zeroes the thread's chunks of values from key `limit` on, or all. Those
/// before it are written as they are: no branch keeps threads apart.
void AttentionRoles::zeroValues(Value firstKey, Value stage, Value limit) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t rowChunks = PanelTile::kRowBytes / kChunkBytes;
  auto type = VectorType::get({kChunkBytes / 4}, kernel.getI32());
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  foldValues(stage, zeros, [&](Value address, Value chunk, Value before) {
    Value stored = zeros;
    if (limit) {
      Value key = kernel.add(firstKey, kernel.div(chunk, rowChunks));
      stored = kernel.select(kernel.less(key, limit),
                             kernel.load(type, address, kChunkBytes), zeros);
    }
    kernel.store(stored, address, kChunkBytes);
    return before;
  });
  emitSharedFence(kernel);
}

/// One half of a vector.
static Value getHalf(KernelBuilder &kernel, Value vector, bool upper) {
  int64_t size = cast<VectorType>(vector.getType()).getNumElements() / 2;
  auto order =
      llvm::to_vector(llvm::seq<int64_t>(upper * size, (upper + 1) * size));
  return vector::ShuffleOp::create(kernel.getBuilder(), kernel.getLoc(), vector,
                                   vector, order);
}

/// Whether any consumer finds a value that is not finite.
Value AttentionRoles::emitHasOdd(Value stage) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t size = kChunkBytes / shape.getElementBytes();
  auto type = VectorType::get({size}, shape.element);
  // Two values at once where finite ones hardly have a product that is not.
  // Where they do, their tile is found odd, and its sums are right all the
  // same.
  bool inPairs = shape.element.isBF16();
  auto getZeros = [&](int64_t count) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getZeroAttr(VectorType::get({count}, shape.element)));
  };
  auto fold = [&](Value address, Value, Value before) -> Value {
    Value loaded = kernel.load(type, address, kChunkBytes);
    Value lhs = inPairs ? getHalf(kernel, loaded, false) : loaded;
    Value rhs = inPairs ? getHalf(kernel, loaded, true) : getZeros(size);
    return LLVM::FMAOp::create(b, loc, lhs, rhs, before);
  };
  if (inPairs)
    size /= 2;
  Value sums = foldValues(stage, getZeros(size), fold);
  for (size /= 2; size > 1; size /= 2)
    sums = LLVM::FMAOp::create(b, loc, getHalf(kernel, sums, false),
                               getZeros(size), getHalf(kernel, sums, true));
  // 0 times what is not finite is NaN.
  sums = LLVM::FMAOp::create(b, loc, sums, getZeros(2), getZeros(2));
  SmallVector<Value> last =
      kernel.unpack(kernel.convertFloat(sums, shape.compute));
  Value isOdd = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                      last[0], last[1]);
  Value any = kernel.barrierAny(isOdd, kernel.constant(kConsumerBarrier),
                                shape.getThreads());
  Value number = arith::ExtUIOp::create(b, loc, kernel.getI32(), any);
  return kernel.equal(kernel.uniform(number), kernel.constant(1));
}

/// Pairs of 16 bits as what the compiler cannot look into. It would take them
/// apart where they are made, in every tile, for what only rare ones need.
static Value hidePairs(KernelBuilder &kernel, Value pairs) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto type = cast<VectorType>(pairs.getType());
  auto words = VectorType::get({type.getNumElements() / 2}, kernel.getI32());
  SmallVector<Value> hidden;
  for (Value word :
       kernel.unpack(vector::BitCastOp::create(b, loc, words, pairs)))
    hidden.push_back(kernel.opaque(word));
  return vector::BitCastOp::create(b, loc, type, kernel.pack(hidden));
}

/// Adds a tile whose values are not all finite. That is rare: addresses are
/// computed here, and masks once more, rather than kept in registers.
void AttentionRoles::accumulateOdd(const Tile &tile, Value stage, State &state,
                                   ArrayRef<Value> weights) {
  Value lane = place.lane;
  SmallVector<Value> rowNumbers = rowsInBlock;
  place.lane = kernel.opaque(lane);
  for (Value &row : rowsInBlock)
    row = kernel.opaque(row);
  ScoreEmitter::Column column =
      scores.getColumn(kernel.uniform(tile.first), columns, limit);
  Values visible;
  for (unsigned row = 0; row < rows.size(); ++row)
    visible.push_back(scores.emitVisible(row, column, tile.edge));
  Values pairs = llvm::map_to_vector(
      weights, [&](Value ofRow) { return hidePairs(kernel, ofRow); });
  PanelTile values =
      operands.value.getTile(getStage(memory.values, stage, memory.valueBytes));
  accumulateSelected(
      state, getShared(memory.weights, shape.getRows(), shape.getKeys()),
      getPanels(values), pairs, visible);
  place.lane = lane;
  rowsInBlock = std::move(rowNumbers);
}

/// The values of a tile, which have come, are made such that products with
/// weights of 0 are 0. What no row of the block sees is zeroed, but past the
/// end of a tensor, where zeros are. If there are other numbers that are not
/// finite, the tile's share is added here, and products find zeros only.
void AttentionRoles::settleValues(const Tile &tile,
                                  const StageRing::Position &at, State &state,
                                  ArrayRef<Value> weights) {
  bool hides = hidesValues(tile);
  if (!hides && (!tile.edge || op.getMasks().empty()))
    return;
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value barrier = kernel.constant(kConsumerBarrier);
  if (tile.edge) {
    Value end = kernel.add(tile.first, kernel.constant(shape.getKeys()));
    kernel.emitIf(kernel.less(limit, end), [&] {
      zeroValues(tile.first, at.stage, limit);
      kernel.barrier(barrier, shape.getThreads());
    });
  }
  if (!hides)
    return;
  Value hasOdd = emitHasOdd(at.stage);
  SmallVector<Type> types(rows.size(), state.output[0].getType());
  auto branch = scf::IfOp::create(b, loc, types, hasOdd, true);
  {
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, state.output);
    b.setInsertionPointToStart(branch.thenBlock());
    accumulateOdd(tile, at.stage, state, weights);
    kernel.barrier(barrier, shape.getThreads());
    zeroValues(tile.first, at.stage, /*limit=*/Value());
    kernel.barrier(barrier, shape.getThreads());
    scf::YieldOp::create(b, loc, state.output);
  }
  state.output = Values(branch.getResults());
}
