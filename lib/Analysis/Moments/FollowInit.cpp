//===- FollowInit.cpp - Weights before training ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "attn/Analysis/Report.h"
#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;

namespace attn::moments {

static std::optional<double> getInitVariance(InitOp op, double fanIn,
                                             double fanOut) {
  switch (op.getVariance()) {
  case VarianceRule::Constant:
    return op.getValue() ? op.getValue()->convertToDouble() : 0.0;
  case VarianceRule::LeCun:
    return 1.0 / fanIn;
  case VarianceRule::He:
    return 2.0 / fanIn;
  case VarianceRule::Xavier:
    return 2.0 / (fanIn + fanOut);
  case VarianceRule::T5:
    return 1.0 / (fanIn * std::sqrt(double(op.getHeadDim().value_or(1))));
  case VarianceRule::Zero:
    return 0.0;
  case VarianceRule::Solved:
    if (op.getFunction())
      if (auto variance = solveInitVariance(*op.getFunction()))
        return *variance / fanIn;
    return std::nullopt;
  }
  llvm_unreachable("all rules are handled");
}

Expr Follower::followOp(InitOp op) {
  double fanIn = 1.0, fanOut = 1.0;
  for (int64_t dim : op.getFanInDims())
    fanIn *= getSize(op.getResult(), dim);
  for (int64_t dim : op.getFanOutDims())
    fanOut *= getSize(op.getResult(), dim);
  std::optional<double> variance = getInitVariance(op, fanIn, fanOut);
  if (!variance)
    return nullptr;
  if (*variance <= 0.0)
    return engine.graph.constant(op.getMeanValue());
  // The numbers are a function of the seed and of the index alone.
  Expr seed = getSeed(op.getSeed());
  compareSeeds(op, seed);
  SmallVector<int64_t> sizes = getSizes(op.getResult());
  Expr &draw = inits[{seed, op->getAttrDictionary().getAsOpaquePointer(),
                      std::vector<int64_t>(sizes.begin(), sizes.end())}];
  if (!draw)
    draw = drawTensor(op.getResult(), op.getMeanValue(), *variance);
  return draw;
}

void Follower::compareSeeds(InitOp op, Expr seed) {
  SmallVector<Operation *, 1> &users = seedUsers[seed];
  if (llvm::is_contained(users, op.getOperation()))
    return;
  if (!users.empty()) {
    auto first = cast<InitOp>(users.front());
    bool isSame = first->getAttrDictionary() == op->getAttrDictionary() &&
                  getSizes(first.getResult()) == getSizes(op.getResult());
    engine.assume("attn.init at " + describeLocation(op.getLoc()) +
                  (isSame ? " draws the same tensor as"
                          : " is independent of, in spite of the same seed,") +
                  " the one at " + describeLocation(first.getLoc()));
  }
  users.push_back(op);
}

Expr Follower::getSeed(Value seed) {
  if (Expr known = lookup(seed); known && known->isConstant())
    return known;
  if (Expr known = seeds.lookup(seed))
    return known;
  Expr computed = computeSeed(seed);
  seeds[seed] = computed;
  return computed;
}

Expr Follower::computeSeed(Value seed) {
  Graph &graph = engine.graph;
  if (Operation *op = seed.getDefiningOp()) {
    if (isa<arith::AddIOp>(op))
      return graph.add(getSeed(op->getOperand(0)), getSeed(op->getOperand(1)));
    if (isa<arith::SubIOp>(op))
      return graph.subtract(getSeed(op->getOperand(0)),
                            getSeed(op->getOperand(1)));
    if (isa<arith::MulIOp>(op))
      return graph.multiply(getSeed(op->getOperand(0)),
                            getSeed(op->getOperand(1)));
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp>(op))
      return getSeed(op->getOperand(0));
  }
  return graph.draw(graph.addSource({Shape::Index, 0.5, 0.25, {}, 2.0}), {});
}

} // namespace attn::moments
