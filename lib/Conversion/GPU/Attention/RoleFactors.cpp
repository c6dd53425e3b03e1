//===- RoleFactors.cpp - Norms of keys, by warps of their own -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One warp copies, and the others of its group have nothing to do. Where
// similarity is cosine, they read a tile of keys when it has come, and write
// 1 / norm of each beside it, while others multiply. A key's factor is there as
// long as the key.
//
//===----------------------------------------------------------------------===//

#include "AttentionRoles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Keys that a warp measures at once: four lanes each.
static constexpr int64_t kWarpKeys = 8;

Value AttentionRoles::getFactors(Value stage) {
  return getStage(memory.factors, stage, memory.factorBytes);
}

void AttentionRoles::emitKeyFactors() {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  StageRing::Position start = keyRing.getStart(kernel);
  auto loop = scf::ForOp::create(b, loc, kernel.constant(0), order.tiles,
                                 kernel.constant(1),
                                 ValueRange{start.stage, start.phase});
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(loop.getBody());
  StageRing::Position at = {loop.getRegionIterArgs()[0],
                            loop.getRegionIterArgs()[1]};
  keyRing.emitWait(kernel, at);
  Value first = kernel.sub(place.warp, kernel.constant(shape.getWarps() + 1));
  auto steps = scf::ForOp::create(b, loc, first,
                                  kernel.constant(shape.getKeys() / kWarpKeys),
                                  kernel.constant(kFactorWarps));
  {
    OpBuilder::InsertionGuard inStep(b);
    b.setInsertionPointToStart(steps.getBody());
    Value key = kernel.add(
        kernel.mul(steps.getInductionVar(), kernel.constant(kWarpKeys)),
        kernel.div(place.lane, 32 / kWarpKeys));
    PanelTile keys =
        operands.key.getTile(getStage(memory.keys, at.stage, memory.keyBytes));
    Value factor = emitRowFactor(getPanels(keys), key, /*arePanels=*/true);
    storeKeyFactor(getFactors(at.stage), key, factor, /*exists=*/Value());
  }
  factorRing.emitFilled(kernel, at, place.lane);
  StageRing::Position next = keyRing.emitNext(kernel, at);
  scf::YieldOp::create(b, loc, ValueRange{next.stage, next.phase});
}

/// Similarities of a tile, when their products are over: keys are needed no
/// more, nor their factors.
AttentionRoles::Values
AttentionRoles::finishScores(ValueRange inFlight, const StageRing::Position &at,
                             int64_t pending) {
  Values similarities = emitGroupWait(kernel, inFlight, pending);
  if (shape.isCosine) {
    factorRing.emitWait(kernel, at);
    scaleByNorms(similarities, getFactors(at.stage));
    // One lane gives back what all of them have read.
    kernel.warpBarrier();
  }
  keyRing.emitRelease(kernel, at, place.lane);
  return similarities;
}
