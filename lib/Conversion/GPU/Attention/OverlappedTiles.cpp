//===- OverlappedTiles.cpp - Products while a softmax is computed ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a group computes the weights of a tile, the tensor cores multiply the
// weights of the tile before by its values. Groups may take turns: one starts
// its products when the one before it has started its own, so that tensor cores
// have one's products while the other one has its softmax.
//
//===----------------------------------------------------------------------===//

#include "AttentionRoles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// The named barriers of turns, one a group, after those of all consumers and
/// of groups. One group waits at each, and another one arrives.
static constexpr int64_t kTurnBarrier = 8, kTurnThreads = 256;

AttentionRoles::Values AttentionRoles::flatten(const Overlap &overlap) {
  Values values = flatten(overlap.progress);
  values.append({overlap.before.stage, overlap.before.phase});
  for (ArrayRef<Value> registers : overlap.lhs)
    llvm::append_range(values, registers);
  return values;
}

AttentionRoles::Overlap AttentionRoles::restoreOverlap(ValueRange values) {
  constexpr int64_t registers = 4;
  int64_t count = shape.getKeys() / outputProduct.getShape().k;
  Overlap overlap;
  for (Value part : values.take_back(count * registers)) {
    if (overlap.lhs.empty() || overlap.lhs.back().size() == registers)
      overlap.lhs.emplace_back();
    overlap.lhs.back().push_back(part);
  }
  values = values.drop_back(count * registers);
  overlap.before = {values[values.size() - 2], values[values.size() - 1]};
  overlap.progress = restore(values.drop_back(2));
  return overlap;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

void AttentionRoles::awaitTurn() {
  Value group = kernel.div(place.warp, kGroupWarps);
  kernel.barrier(kernel.add(group, kernel.constant(kTurnBarrier)),
                 kTurnThreads);
}

/// The turn of the next group, after the last one that of the first.
void AttentionRoles::passTurn() {
  Value next =
      kernel.add(kernel.div(place.warp, kGroupWarps), kernel.constant(1));
  Value isLast = kernel.equal(next, kernel.constant(shape.getGroups()));
  next = kernel.select(isLast, kernel.constant(0), next);
  kernel.arrive(kernel.add(next, kernel.constant(kTurnBarrier)), kTurnThreads);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// What similarities of a tile do to the state, but for its accumulators:
/// `rescale` gets what those of a row are to be multiplied by, before the row's
/// exponentials. Gives the weights.
AttentionRoles::Values AttentionRoles::emitSoftmax(
    const Tile &tile, Values similarities, State &state,
    function_ref<void(unsigned row, Value factor)> rescale) {
  Value end = tile.edge ? limit : Value();
  ScoreEmitter::Column column = scores.getColumn(tile.first, columns, end);
  Values weights;
  for (unsigned row = 0; row < rows.size(); ++row) {
    Value visible;
    Value rowScores =
        scores.emitScores(similarities[row], row, column, end, visible);
    weights.push_back(softmax.updateSums(
        state, row, rowScores, [&](Value factor) { rescale(row, factor); }));
  }
  return weights;
}

AttentionRoles::Overlap AttentionRoles::emitFirst(const Tile &tile,
                                                  const Progress &progress) {
  Overlap overlap = {progress, progress.at, {}};
  keyRing.emitWait(kernel, progress.at);
  emitGroupFence(kernel, {});
  Values similarities = emitScores(getQueries(), getKeys(progress.at.stage));
  similarities = finishScores(similarities, progress.at, /*pending=*/0);
  State &state = overlap.progress.state;
  Values weights =
      emitSoftmax(tile, similarities, state, [](unsigned, Value) {});
  narrow(weights);
  overlap.lhs = scoreProduct.emitReuse(kernel, weights);
  valueRing.emitWait(kernel, progress.at);
  // Sums of the output are still zero.
  settleValues(tile, progress.at, state, weights);
  overlap.progress.at = keyRing.emitNext(kernel, progress.at);
  return overlap;
}

AttentionRoles::Overlap AttentionRoles::emitNext(const Tile &tile,
                                                 Overlap overlap) {
  State &state = overlap.progress.state;
  StageRing::Position at = overlap.progress.at;
  SmallVector<Values> lhs = overlap.lhs;
  // Little is left to do in a turn, and waits come first: the assembler wants
  // the fence right before products.
  PanelOperand queries = getQueries(), keys = getKeys(at.stage);
  PanelOperand values = getValues(overlap.before.stage);
  keyRing.emitWait(kernel, at);
  awaitTurn();
  Values sums = emitGroupFence(kernel, state.output, lhs);
  Values similarities = emitScores(queries, keys);
  sums = outputProduct.emit(kernel, lhs, values, sums);
  emitGroupCommit(kernel);
  passTurn();
  similarities = finishScores(similarities, at, /*pending=*/1);
  // The assembler computes exponentials after the wait, wherever that stands. A
  // wait between rows keeps it from moving all factors behind them: so each
  // row's are multiplied while the machine computes its exponentials.
  auto rescale = [&](unsigned row, Value factor) {
    if (row == 0) {
      state.output = emitGroupWait(kernel, sums, /*pending=*/0, lhs);
      valueRing.emitRelease(kernel, overlap.before, place.lane);
    }
    if (row + 1 == rows.size())
      valueRing.emitWait(kernel, at);
    softmax.rescale(state, row, factor);
  };
  Values weights = emitSoftmax(tile, similarities, state, rescale);
  // Into the registers of the ones before, which are not read any more.
  narrow(weights);
  overlap.lhs = scoreProduct.emitReuse(kernel, weights);
  settleValues(tile, at, state, weights);
  overlap.before = at;
  overlap.progress.at = keyRing.emitNext(kernel, at);
  return overlap;
}

AttentionRoles::Progress AttentionRoles::emitLast(Overlap overlap) {
  State &state = overlap.progress.state;
  Values sums = emitGroupFence(kernel, state.output, overlap.lhs);
  sums = outputProduct.emit(kernel, overlap.lhs,
                            getValues(overlap.before.stage), sums);
  emitGroupCommit(kernel);
  state.output = emitGroupWait(kernel, sums, 0, overlap.lhs);
  valueRing.emitRelease(kernel, overlap.before, place.lane);
  return overlap.progress;
}

/// Edges by number, or full tiles by their first keys.
AttentionRoles::Overlap AttentionRoles::emitSteps(Value lower, Value upper,
                                                  bool edge,
                                                  const Overlap &overlap) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t step = edge ? 1 : shape.getKeys();
  auto loop = scf::ForOp::create(b, loc, lower, upper, kernel.constant(step),
                                 flatten(overlap));
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  Overlap next = emitNext({edge ? getEdge(at) : at, edge},
                          restoreOverlap(loop.getRegionIterArgs()));
  scf::YieldOp::create(b, loc, flatten(next));
  return restoreOverlap(loop.getResults());
}

AttentionRoles::Progress
AttentionRoles::emitOverlapped(const Progress &progress) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value zero = kernel.constant(0);
  Values before = flatten(progress);
  auto branch = scf::IfOp::create(b, loc, ValueRange(before).getTypes(),
                                  kernel.less(zero, order.tiles), true);
  OpBuilder::InsertionGuard outside(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, before);
  b.setInsertionPointToStart(branch.thenBlock());
  // Where there is no edge, masks leave the first full tile as it is.
  Overlap overlap = emitFirst({getTile(zero), /*edge=*/true}, progress);
  Value group = kernel.div(place.warp, kGroupWarps);
  Value isFirst = kernel.equal(group, zero);
  Value isLast = kernel.equal(group, kernel.constant(shape.getGroups() - 1));
  kernel.emitIf(isLast, [&] { passTurn(); });
  if (hasEdgeLoop())
    overlap =
        emitSteps(kernel.constant(1), order.edges, /*edge=*/true, overlap);
  Value lower = ranges.every.lower;
  Value second = kernel.add(lower, kernel.constant(shape.getKeys()));
  lower = kernel.select(kernel.equal(order.edges, zero), second, lower);
  overlap = emitSteps(lower, ranges.every.upper, /*edge=*/false, overlap);
  // As many have waited for each turn as have passed it.
  kernel.emitIf(isFirst, [&] { awaitTurn(); });
  Progress after = emitLast(overlap);
  scf::YieldOp::create(b, loc, flatten(after));
  b.setInsertionPointAfter(branch);
  return restore(branch.getResults());
}
