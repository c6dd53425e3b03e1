//===- FollowLinalg.cpp - Structured ops ----------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <utility>

using namespace mlir;

namespace attn::moments {

/// What a reduction's body does with the running value.
enum class Combiner { Add, Max, Min, And, Or };

static std::optional<Combiner> getCombiner(Operation *op) {
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return Combiner::Add;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(op))
    return Combiner::Max;
  if (isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(op))
    return Combiner::Min;
  bool isBoolean = op->getResult(0).getType().isInteger(1);
  if (isBoolean && isa<arith::AndIOp>(op))
    return Combiner::And;
  if (isBoolean && isa<arith::OrIOp>(op))
    return Combiner::Or;
  return std::nullopt;
}

bool Follower::followReduction(linalg::LinalgOp op, unsigned result,
                               Scope &body) {
  Block &block = *op.getBlock();
  Value running = op.getRegionOutputArgs()[result];
  Operation *combine =
      block.getTerminator()->getOperand(result).getDefiningOp();
  if (!combine || combine->getNumOperands() != 2)
    return false;
  std::optional<Combiner> combiner = getCombiner(combine);
  unsigned side = combine->getOperand(0) == running ? 0 : 1;
  if (!combiner || combine->getOperand(side) != running)
    return false;
  Expr term = lookupIn(body, combine->getOperand(1 - side));
  Expr init = lookup(op.getDpsInits()[result]);
  if (!term || !init)
    return false;
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  SmallVector<int> dims(loops.begin(), loops.end());
  SmallVector<double> extents;
  for (int dim : dims)
    extents.push_back(getExtent(op, dim));
  AffineMap map = op.getIndexingMapsArray()[op.getNumDpsInputs() + result];
  if (*combiner == Combiner::And || *combiner == Combiner::Or) {
    bool isAnd = *combiner == Combiner::And;
    Expr extremum = engine.maximum(term, dims, extents, /*isMinimum=*/isAnd);
    set(op->getResult(result), chance(engine.getMean(extremum),
                                      getVaryingDims(unview(extremum, map))));
    return true;
  }
  Expr total = nullptr;
  if (*combiner == Combiner::Add)
    total = engine.sum(term, dims, extents);
  else
    total = engine.maximum(term, dims, extents, *combiner == Combiner::Min);
  total = unview(total, map);
  // The identity of a maximum is infinite.
  if (*combiner == Combiner::Add)
    total = engine.graph.add(total, init);
  else if (!init->isConstant() || std::isfinite(init->number))
    total = engine.apply(*combiner == Combiner::Max ? Fn::MaxNum : Fn::MinNum,
                         {total, init});
  set(op->getResult(result), total);
  return true;
}

double Follower::getExtent(ArrayRef<Value> operands, ArrayRef<AffineMap> maps,
                           unsigned dim) {
  std::optional<std::pair<Value, unsigned>> first;
  for (auto [operand, map] : llvm::zip(operands, maps)) {
    AffineExpr expr = getAffineDimExpr(dim, map.getContext());
    std::optional<unsigned> position = map.getResultPosition(expr);
    if (position && sizes->getSize(operand, *position))
      return getSize(operand, *position);
    if (position && !first)
      first = {operand, *position};
  }
  return first ? getSize(first->first, first->second) : options.unknownSize;
}

double Follower::getExtent(linalg::LinalgOp op, unsigned loop) {
  return getExtent(llvm::to_vector(op->getOperands()),
                   op.getIndexingMapsArray(), loop);
}

bool Follower::followLinalg(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return false;
  Scope body;
  SmallVector<double> extents;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    extents.push_back(getExtent(op, loop));
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (i >= op->getOpOperands().size())
      break;
    Expr expr = isa<RankedTensorType>(operand.getType())
                    ? view(operand, maps[i])
                    : lookup(operand);
    BlockArgument argument = op.getMatchingBlockArgument(&op->getOpOperand(i));
    bool isRunning =
        int64_t(i) >= op.getNumDpsInputs() && op.getNumReductionLoops() > 0;
    if (expr && argument && !isRunning)
      body[argument] = expr;
  }
  followBody(*op.getBlock(), body, extents);

  bool any = false;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    Value result = op->getResult(i);
    if (op.getNumReductionLoops() > 0) {
      any |= followReduction(op, i, body);
      continue;
    }
    Value yielded = op.getBlock()->getTerminator()->getOperand(i);
    if (Expr expr = lookupIn(body, yielded)) {
      set(result, unview(expr, maps[op.getNumDpsInputs() + i]));
      any = true;
    }
  }
  // Indices beside a maximum may be left out; everything else is listed.
  for (Value result : op->getResults())
    if (any && !lookup(result) && isFloat(result.getType()))
      miss(result, "no rule for what this op computes");
  return any;
}

Expr Follower::followOp(linalg::SoftmaxOp op) {
  Expr scores = lookup(op.getInput());
  if (!scores)
    return nullptr;
  int key = op.getDimension();
  double keys = getSize(op.getInput(), key);
  RowPlan plan;
  plan.rows.push_back({keys});
  plan.visible = keys;
  return weigh(op, scores, key, keys, key, plan, 0.0);
}

void Follower::noteSoftmax(Operation *op) {
  std::optional<SpelledSoftmax> softmax =
      std::exchange(engine.spelledSoftmax, std::nullopt);
  if (!softmax || isa<AttentionOp, SoftmaxOp, scf::ForOp, func::CallOp>(op))
    return;
  ScoreMoments record;
  // What a row has in common went with its maximum.
  record.rowVariance = atLeastZero(engine.getVariance(softmax->scores));
  record.secondMoment = record.rowVariance;
  record.keys = softmax->keys;
  record.visibleKeys = softmax->visible;
  record.weightSum = softmax->weights.sum;
  record.squaredWeightSum = softmax->weights.sumOfSquares;
  if (std::isfinite(record.rowVariance))
    scores[op] = record;
}

} // namespace attn::moments
