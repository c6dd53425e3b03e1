//===- OverlappedTiles.cpp - Products while a softmax is computed ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a group computes the weights of a tile, the tensor cores multiply the
// weights of the tile before by its values.
//
//===----------------------------------------------------------------------===//

#include "AttentionRoles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// The widest heads whose exponentials come before the wait for products. Of
/// wider ones there are more accumulators to rescale than exponentials, so that
/// these are what the rescaling is hidden behind.
static constexpr int64_t kLateWaitColumns = 128;
/// Of more groups a thread has no registers for weights beside those that
/// products still read.
static constexpr int64_t kLateWaitGroups = 2;

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

/// The softmax of a tile while `sums`, the products of the one before, are
/// under way, and what it does to them.
///
/// The assembler computes exponentials after the wait for products, wherever
/// that stands, as long as both are in one block of its control flow. So where
/// exponentials come first, the wait for values, a loop, stands between.
AttentionRoles::Values
AttentionRoles::emitSoftmaxBeside(const Tile &tile, const Values &similarities,
                                  ValueRange sums, Overlap &overlap) {
  State &state = overlap.progress.state;
  StageRing::Position at = overlap.progress.at;
  auto finish = [&] {
    state.output = emitGroupWait(kernel, sums, /*pending=*/0, overlap.lhs);
    valueRing.emitRelease(kernel, overlap.before, place.lane);
  };
  // Loaded biases take registers, too, and so do masks.
  bool isLate = shape.getPaddedValue() <= kLateWaitColumns &&
                shape.getGroups() <= kLateWaitGroups && !scores.isNatural() &&
                !tile.edge;
  if (!isLate)
    // The wait keeps the assembler from moving all factors behind exponentials:
    // each row's are multiplied while the machine computes its exponentials.
    return emitSoftmax(tile, similarities, state,
                       [&](unsigned row, Value factor) {
                         if (row == 0) {
                           finish();
                           valueRing.emitWait(kernel, at);
                         }
                         softmax.rescale(state, row, factor);
                       });
  Values factors;
  Values weights =
      emitSoftmax(tile, similarities, state,
                  [&](unsigned, Value factor) { factors.push_back(factor); });
  valueRing.emitWait(kernel, at);
  finish();
  for (unsigned row = 0; row < rows.size(); ++row)
    softmax.rescale(state, row, factors[row]);
  return weights;
}

AttentionRoles::Overlap AttentionRoles::emitNext(const Tile &tile,
                                                 Overlap overlap) {
  State &state = overlap.progress.state;
  StageRing::Position at = overlap.progress.at;
  SmallVector<Values> lhs = overlap.lhs;
  // The assembler wants the fence right before products.
  PanelOperand queries = getQueries(), keys = getKeys(at.stage);
  PanelOperand values = getValues(overlap.before.stage);
  keyRing.emitWait(kernel, at);
  Values sums = emitGroupFence(kernel, state.output, lhs);
  overlap.lhs = lhs;
  Values similarities = emitScores(queries, keys);
  sums = outputProduct.emit(kernel, lhs, values, sums);
  emitGroupCommit(kernel);
  similarities = finishScores(similarities, at, /*pending=*/1);
  Values weights = emitSoftmaxBeside(tile, similarities, sums, overlap);
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
  if (hasEdgeLoop())
    overlap =
        emitSteps(kernel.constant(1), order.edges, /*edge=*/true, overlap);
  Value lower = ranges.every.lower;
  Value second = kernel.add(lower, kernel.constant(shape.getKeys()));
  lower = kernel.select(kernel.equal(order.edges, zero), second, lower);
  overlap = emitSteps(lower, ranges.every.upper, /*edge=*/false, overlap);
  Progress after = emitLast(overlap);
  scf::YieldOp::create(b, loc, flatten(after));
  b.setInsertionPointAfter(branch);
  return restore(branch.getResults());
}
