//===- FollowResidual.cpp - Residual blocks and their streams -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "attn/Analysis/ScoreProduct.h"
#include <cmath>

using namespace mlir;

namespace attn::moments {

Expr Follower::followRegion(Region &region, Expr input) {
  Block &block = region.front();
  streamEnds.erase(block.getArgument(0));
  values[block.getArgument(0)] = input;
  followBlock(block);
  return lookup(block.getTerminator()->getOperand(0));
}

bool Follower::followResidual(ResidualOp op) {
  streamEnds.erase(op.getResult());
  Expr x = lookup(op.getInput());
  ResidualPolicy policy = op.getPolicy();
  // A norm starts again behind what is not followed.
  if (!x) {
    if (policy == ResidualPolicy::Pre)
      followRegion(op.getBranch(), followRegion(op.getNorm(), x));
    return false;
  }
  Expr inside = x;
  if (policy == ResidualPolicy::Pre)
    inside = followRegion(op.getNorm(), x);
  Expr branch = inside ? followRegion(op.getBranch(), inside) : nullptr;
  if (!branch)
    return false;
  Expr factor = nullptr;
  if (policy == ResidualPolicy::ReZero)
    factor = view(op.getAlpha(), SmallVector<int>(4, kNoDim));
  if (policy == ResidualPolicy::Scheduled) {
    // alpha_t of an unknown t is that of the first step.
    Expr time = view(op.getTime(), SmallVector<int>(4, kNoDim));
    if (!time)
      return false;
    factor = engine.apply(
        Fn::Min, {engine.graph.constant(1.0),
                  engine.graph.scale(time, op.getStep()->convertToDouble())});
  }
  if (policy == ResidualPolicy::ReZero && !factor)
    return false;
  if (factor)
    branch = engine.multiply(branch, factor);
  Expr sum = engine.graph.add(x, branch);
  if (policy == ResidualPolicy::InvSqrt2)
    sum = engine.graph.scale(sum, std::sqrt(0.5));
  engine.assume("a branch is independent of its input unless it is a function "
                "of each element");
  Expr result = sum;
  if (policy == ResidualPolicy::Post)
    result = followRegion(op.getNorm(), sum);
  if (!result)
    return false;
  set(op.getResult(), result);
  recordResidual(*matchResidualBlock(op), engine.getSecond(branch));
  return true;
}

void Follower::recordSums(Operation *op) {
  if (op->getNumResults() == 0 || isa<ResidualOp>(op))
    return;
  auto [known, isNew] = sums.try_emplace(op);
  if (isNew)
    known->second = matchResidualBlock(op);
  // The norm of a post block comes later.
  if (known->second)
    openSums[known->second->result.getDefiningOp()].push_back(*known->second);
  for (const ResidualBlock &block : openSums.lookup(op)) {
    Expr x = lookup(block.input), sum = lookup(block.op->getResult(0));
    if (!x || !sum || !lookup(block.branch) || !lookup(block.result))
      continue;
    // The branch with its factor is what the sum has beside x.
    Expr branch = lookup(block.branch);
    if ((block.isScaled || block.inputFactor != 1.0) &&
        block.resultFactor != 0.0) {
      bool isWithin = block.result == block.op->getResult(0);
      Expr whole =
          isWithin ? engine.graph.scale(sum, 1.0 / block.resultFactor) : sum;
      branch = engine.graph.subtract(whole,
                                     engine.graph.scale(x, block.inputFactor));
    }
    recordResidual(block, engine.getSecond(branch));
  }
  openSums.erase(op);
}

void Follower::recordResidual(const ResidualBlock &block, double branch) {
  ResidualMoments record;
  record.block = block;
  record.inputSecondMoment = engine.getSecond(lookup(block.input));
  record.branchSecondMoment = branch;
  record.resultSecondMoment = engine.getSecond(lookup(block.result));
  if (std::optional<unsigned> before = streamEnds.lookup(block.input)) {
    record.stream = residuals[*before].stream;
    record.depth = residuals[*before].depth + 1;
    record.shares = residuals[*before].shares;
  } else {
    for (const ResidualMoments &other : residuals)
      record.stream = std::max(record.stream, other.stream + 1);
    record.shares.push_back(1.0);
  }
  double input =
      block.inputFactor * block.inputFactor * record.inputSecondMoment;
  double kept = input + branch > 0.0 ? input / (input + branch) : 1.0;
  for (double &share : record.shares)
    share *= kept;
  record.shares.push_back(1.0 - kept);
  streamEnds[block.result] = residuals.size();
  residuals.push_back(std::move(record));
}

void Follower::passStream(Operation *op) {
  // These know where their results come from.
  if (isa<ResidualOp, scf::ForOp, func::CallOp>(op) ||
      CompositeBody::isComposite(op))
    return;
  for (Value result : op->getResults())
    streamEnds.erase(result);
  if (isa<NormOp>(op) || isView(op))
    streamEnds[op->getResult(0)] = streamEnds.lookup(op->getOperand(0));
}

void Follower::forgetBlocks(size_t count) {
  residuals.truncate(count);
  for (auto &[value, block] : streamEnds)
    if (block >= count)
      block.reset();
}

} // namespace attn::moments
