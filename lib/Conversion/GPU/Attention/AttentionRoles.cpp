//===- AttentionRoles.cpp - Attention on tensor cores of four warps -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRoles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

static constexpr int64_t kWarpThreads = 32;
/// Registers of a thread that only starts copies; those of the others are what
/// is left, by number of groups, in the steps of eight that there are.
static constexpr int64_t kProducerRegisters[] = {0, 24, 24, 32};
static constexpr int64_t kConsumerRegisters[] = {0, 240, 240, 160};
/// The named barrier of all consumers; 0 is that of the whole block. Those of
/// groups follow.
static constexpr int64_t kConsumerBarrier = 1, kGroupBarrier = 2;

int64_t AttentionRoles::getThreads(const AttentionShape &shape) {
  return kWarpThreads * (shape.getWarps() + kGroupWarps);
}

AttentionRoles::AttentionRoles(KernelBuilder &kernel, AttentionOp op,
                               const AttentionShape &shape,
                               ArrayRef<Value> sizes, const BlockPlace &place,
                               const RoleOperands &operands)
    : AttentionRows(kernel, op, shape, sizes, place, RangeStates(),
                    /*aligned=*/true),
      operands(operands), memory(shape),
      scoreProduct(shape.element, shape.getKeys()),
      outputProduct(shape.element, shape.getPaddedValue()),
      queryRing(kernel.offset(place.shared, memory.queryRing), 1),
      keyRing(kernel.offset(place.shared, memory.keyRing),
              shape.schedule.getStages()),
      valueRing(kernel.offset(place.shared, memory.valueRing),
                shape.schedule.getStages()) {}

void AttentionRoles::emit() {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  ranges = getKeyRanges();
  outputRows = emitGlobalRows(kernel, getOperandRows(op)[3], place.batch,
                              shape.valueDim);
  kernel.emitIf(kernel.equal(place.thread, kernel.constant(0)), [&] {
    queryRing.emitInit(kernel, shape.getWarps());
    keyRing.emitInit(kernel, shape.getWarps());
    valueRing.emitInit(kernel, shape.getWarps());
  });
  kernel.barrier();
  auto branch = scf::IfOp::create(
      b, loc, kernel.less(place.warp, kernel.constant(shape.getWarps())), true);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitConsumer();
  b.setInsertionPointToStart(branch.elseBlock());
  emitProducer();
}

Value AttentionRoles::getStage(int64_t offset, Value stage, int64_t bytes) {
  return kernel.offset(kernel.offset(place.shared, offset),
                       kernel.mul(stage, kernel.constant(bytes)));
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

// Blocks of other rows read the same keys, and nobody else these queries.
void AttentionRoles::emitProducer() {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  emitSetRegisters(kernel, kProducerRegisters[shape.getGroups()],
                   /*grows=*/false);
  Value first = kernel.constant(shape.getThreads());
  kernel.emitIf(kernel.equal(place.thread, first), [&] {
    StageRing::Position start = queryRing.getStart(kernel);
    Value barrier =
        queryRing.emitFill(kernel, start, operands.query.getTileBytes());
    operands.query.emitLoad(kernel, place.shared, place.batch, place.firstRow,
                            barrier, CacheHint::EvictFirst);
    auto loop = scf::ForOp::create(b, loc, ranges.some.lower, ranges.some.upper,
                                   kernel.constant(shape.getKeys()),
                                   ValueRange{start.stage, start.phase});
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    StageRing::Position at = {loop.getRegionIterArgs()[0],
                              loop.getRegionIterArgs()[1]};
    auto fill = [&](const StageRing &ring, const RoleOperand &operand,
                    int64_t offset, int64_t bytes) {
      Value full = ring.emitFill(kernel, at, bytes);
      operand.emitLoad(kernel, getStage(offset, at.stage, bytes), place.batch,
                       loop.getInductionVar(), full, CacheHint::EvictLast);
    };
    fill(keyRing, operands.key, memory.keys, memory.keyBytes);
    fill(valueRing, operands.value, memory.values, memory.valueBytes);
    StageRing::Position next = keyRing.emitNext(kernel, at);
    scf::YieldOp::create(b, loc, ValueRange{next.stage, next.phase});
  });
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

AttentionRoles::Values AttentionRoles::flatten(const Progress &progress) {
  Values values = softmax.flatten(progress.state);
  values.append({progress.at.stage, progress.at.phase});
  return values;
}

AttentionRoles::Progress AttentionRoles::restore(ValueRange values) {
  return {softmax.restore(values.drop_back(2)),
          {values[values.size() - 2], values[values.size() - 1]}};
}

SmallVector<SharedTile> AttentionRoles::getPanels(const PanelTile &tile) {
  SmallVector<SharedTile> panels;
  for (int64_t i = 0; i < tile.getPanels(); ++i)
    panels.push_back(tile.getPanel(kernel, i));
  return panels;
}

void AttentionRoles::emitConsumer() {
  emitSetRegisters(kernel, kConsumerRegisters[shape.getGroups()],
                   /*grows=*/true);
  addRows();
  queryRing.emitWait(kernel, queryRing.getStart(kernel));
  Progress progress = {softmax.getIdentity(), keyRing.getStart(kernel)};
  if (hidesEarlyKeys(op))
    progress = emitLoop(ranges.some.lower, ranges.every.lower, true, progress);
  Value lower = ranges.every.lower, upper = ranges.every.upper;
  if (hidesValues({lower, /*edge=*/false}))
    progress = emitLoop(lower, upper, false, progress);
  else
    progress = emitOverlapped(lower, upper, progress);
  progress = emitLoop(ranges.every.upper, ranges.some.upper, true, progress);
  // All warps of the group are done with its query.
  Value group = kernel.add(kernel.div(place.warp, kGroupWarps),
                           kernel.constant(kGroupBarrier));
  kernel.barrier(group, kGroupWarps * kWarpThreads);
  PanelTile output = {place.shared, shape.getRows(), shape.valueDim,
                      shape.element};
  storeRows(progress.state, getPanels(output));
}

AttentionRoles::Progress AttentionRoles::emitLoop(Value lower, Value upper,
                                                  bool edge,
                                                  const Progress &progress) {
  OpBuilder &b = kernel.getBuilder();
  auto loop =
      scf::ForOp::create(b, kernel.getLoc(), lower, upper,
                         kernel.constant(shape.getKeys()), flatten(progress));
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(loop.getBody());
  Progress next = emitTile({loop.getInductionVar(), edge},
                           restore(loop.getRegionIterArgs()));
  scf::YieldOp::create(b, kernel.getLoc(), flatten(next));
  return restore(loop.getResults());
}

/// Products of the group's queries with a tile of keys.
AttentionRoles::Values
AttentionRoles::emitScores(const StageRing::Position &at) {
  Value group = kernel.div(place.warp, kGroupWarps);
  PanelOperand query(kernel, operands.query.getTile(place.shared),
                     /*rowsAreTerms=*/false,
                     kernel.mul(group, kernel.constant(kGroupRows)));
  PanelOperand keys(
      kernel,
      operands.key.getTile(getStage(memory.keys, at.stage, memory.keyBytes)),
      /*rowsAreTerms=*/false);
  int64_t steps = shape.getPaddedHead() / scoreProduct.getShape().k;
  Values similarities = scoreProduct.emit(kernel, query, keys, steps, {});
  emitGroupCommit(kernel);
  return similarities;
}

AttentionRoles::Progress AttentionRoles::emitTile(const Tile &tile,
                                                  const Progress &progress) {
  Progress next = {progress.state, keyRing.emitNext(kernel, progress.at)};
  const StageRing::Position &at = progress.at;
  keyRing.emitWait(kernel, at);
  emitGroupFence(kernel, {});
  Values similarities = emitScores(at);
  similarities = emitGroupWait(kernel, similarities, 0);
  keyRing.emitRelease(kernel, at, place.lane);
  applySigns(similarities);
  Value end = tile.edge ? limit : Value();
  ScoreEmitter::Column column = scores.getColumn(tile.first, columns, end);
  Values weights, visible(rows.size());
  for (unsigned row = 0; row < rows.size(); ++row) {
    Value rowScores =
        scores.emitScores(similarities[row], row, column, end, visible[row]);
    weights.push_back(softmax.update(next.state, row, rowScores));
  }
  valueRing.emitWait(kernel, at);
  if (hidesValues(tile))
    emitOdd(next.state, at.stage, weights, visible,
            clearValues(tile, at.stage));
  else {
    if (tile.edge && !op.getMasks().empty())
      clearValues(tile, at.stage);
    emitOutput(next.state, weights, at.stage);
  }
  valueRing.emitRelease(kernel, at, place.lane);
  return next;
}

PanelOperand AttentionRoles::getValues(Value stage) {
  return PanelOperand(
      kernel,
      operands.value.getTile(getStage(memory.values, stage, memory.valueBytes)),
      /*rowsAreTerms=*/true);
}

void AttentionRoles::emitOutput(State &state, ArrayRef<Value> weights,
                                Value stage) {
  SmallVector<Values> lhs = scoreProduct.emitReuse(kernel, weights);
  Values sums = emitGroupFence(kernel, state.output, lhs);
  sums = outputProduct.emit(kernel, lhs, getValues(stage), sums);
  emitGroupCommit(kernel);
  state.output = emitGroupWait(kernel, sums, 0, lhs);
}

//===----------------------------------------------------------------------===//
// Hidden values
//===----------------------------------------------------------------------===//

/// All consumers together zero the values that no row of the block sees; gives
/// whether there are other ones that are not finite.
Value AttentionRoles::clearValues(const Tile &tile, Value stage) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  PanelTile values =
      operands.value.getTile(getStage(memory.values, stage, memory.valueBytes));
  int64_t rowChunks = PanelTile::kRowBytes / kChunkBytes;
  auto type =
      VectorType::get({kChunkBytes / shape.getElementBytes()}, shape.element);
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  auto loop = scf::ForOp::create(b, loc, place.thread,
                                 kernel.constant(values.rows * rowChunks),
                                 kernel.constant(shape.getThreads()), zeros);
  {
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    Value chunk = loop.getInductionVar(), sum = loop.getRegionIterArgs()[0];
    Value key = kernel.add(tile.first, kernel.div(chunk, rowChunks));
    for (const SharedTile &panel : getPanels(values)) {
      Value address = kernel.offset(
          panel.base, kernel.mul(chunk, kernel.constant(kChunkBytes)));
      Value loaded = kernel.load(type, address, kChunkBytes);
      if (tile.edge) {
        Value exists = kernel.less(key, limit);
        Value kept = kernel.select(exists, loaded, zeros);
        Value none = arith::XOrIOp::create(
            b, loc, exists, arith::ConstantIntOp::create(b, loc, 1, 1));
        kernel.emitIf(none, [&] { kernel.store(zeros, address, kChunkBytes); });
        loaded = kept;
      }
      sum = LLVM::FMAOp::create(b, loc, loaded, zeros, sum);
    }
    scf::YieldOp::create(b, loc, sum);
  }
  emitSharedFence(kernel);
  Value wide = kernel.convertFloat(loop.getResult(0), shape.compute), sum;
  for (Value element : kernel.unpack(wide))
    sum = sum ? Value(arith::AddFOp::create(b, loc, sum, element)) : element;
  Value isOdd =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, sum, sum);
  return kernel.barrierAny(isOdd, kernel.constant(kConsumerBarrier),
                           shape.getThreads());
}

/// The tile's share of the output, where hidden keys may meet values that are
/// not finite.
void AttentionRoles::emitOdd(State &state, Value stage, ArrayRef<Value> weights,
                             ArrayRef<Value> visible, Value hasOdd) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  SmallVector<Type> types(rows.size(), state.output[0].getType());
  auto branch = scf::IfOp::create(b, loc, types, hasOdd, true);
  for (bool odd : {true, false}) {
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(odd ? branch.thenBlock() : branch.elseBlock());
    State part = state;
    if (odd) {
      PanelTile values = operands.value.getTile(
          getStage(memory.values, stage, memory.valueBytes));
      accumulateSelected(
          part, getShared(memory.weights, shape.getRows(), shape.getKeys()),
          getPanels(values), weights, visible);
    } else {
      emitOutput(part, weights, stage);
    }
    scf::YieldOp::create(b, loc, part.output);
  }
  state.output = Values(branch.getResults());
}
