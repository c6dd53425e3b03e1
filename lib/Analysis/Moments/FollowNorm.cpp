//===- FollowNorm.cpp - Norms ---------------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include <cmath>

using namespace mlir;

namespace attn::moments {

/// x - mu, with mu the mean over `dims`, of which E mu^2 is given.
static Expr centre(Engine &engine, Expr x, ArrayRef<int> dims,
                   double secondOfMean) {
  double mean = engine.getMean(x), variance = engine.getVariance(x);
  double left = std::max(0.0, engine.getSecond(x) - secondOfMean);
  if (left <= 0.0)
    return engine.graph.constant(0.0);
  // Rows of independent elements have means near the expected one.
  if (secondOfMean - mean * mean < 0.05 * variance) {
    double factor = std::sqrt(left / variance);
    return engine.graph.affine(-factor * mean, factor, x);
  }
  Source source{Shape::Normal, 0.0, left};
  SmallVector<int> varying = getVaryingDims(x);
  for (int dim : varying) {
    SmallVector<int> both(dims);
    both.push_back(dim);
    double cross = llvm::is_contained(dims, dim)
                       ? 0.0
                       : engine.getCross(x, dim) - engine.getCross(x, both);
    source.correlations.push_back(correlate(cross, left));
  }
  return engine.graph.draw(std::move(source), varying);
}

/// Results of a norm beside the first one: the sum, and running statistics. `x`
/// is what was normed, or null.
void Follower::followNormSides(NormOp op, Expr x, double variance) {
  unsigned next = 1;
  if (!x) {
    while (next < op->getNumResults())
      miss(op->getResult(next++), "beside a norm of what is not followed");
    return;
  }
  if (op.getSum())
    set(op->getResult(next++), x);
  // Running statistics of a batch.
  double momentum =
      op.getMomentum() ? op.getMomentum()->convertToDouble() : 0.0;
  for (auto [running, batch] :
       {std::pair(op.getRunningMean(), engine.getMean(x)),
        std::pair(op.getRunningVariance(), variance)}) {
    if (!running)
      continue;
    if (Expr old = lookup(running))
      set(op->getResult(next),
          engine.graph.affine(momentum * batch, 1.0 - momentum, old));
    else
      miss(op->getResult(next), "running statistics");
    ++next;
  }
}

bool Follower::followNorm(NormOp op) {
  Expr x = lookup(op.getInput());
  if (Value residual = op.getResidual()) {
    Expr other = lookup(residual);
    if (Value factor = op.getFactor(); factor && other) {
      Expr scale = view(factor, SmallVector<int>(4, kNoDim));
      other = scale ? engine.multiply(other, scale) : nullptr;
    }
    x = x && other ? engine.graph.add(x, other) : nullptr;
  }
  if (!x && op.hasGivenStatistics())
    return false;
  bool isKnown = x != nullptr;
  if (!isKnown) {
    engine.assume("what a norm reads that is not followed are independent "
                  "numbers of mean 0");
    x = drawTensor(op.getInput(), 0.0, 1.0);
  }
  SmallVector<int> dims(op.getAxes().begin(), op.getAxes().end());
  SmallVector<double> extents;
  for (int dim : dims)
    extents.push_back(getSize(op.getInput(), dim));
  double count = llvm::product_of(extents);
  SmallVector<int64_t> affine = op.getAffineDims();
  SmallVector<int> affineDims(affine.begin(), affine.end());
  double eps = op.getEps().convertToDouble();
  engine.assume("the statistics of a norm are their expectations");
  Expr y = nullptr;
  double variance = 0.0;
  if (op.hasGivenStatistics()) {
    Expr given = view(op.getVariance(), affineDims);
    Expr mean = op.getMean() ? view(op.getMean(), affineDims)
                             : engine.graph.constant(0.0);
    if (!given || !mean)
      return false;
    Expr shifted = engine.graph.add(given, engine.graph.constant(eps));
    y = engine.multiply(engine.graph.subtract(x, mean),
                        engine.apply(Fn::Rsqrt, shifted));
  } else {
    Expr rest = x;
    if (op.isCentered())
      rest = centre(engine, x, dims,
                    engine.sumPairs(x, dims, extents, 1.0) / count);
    variance = engine.getSecond(rest);
    double v = op.usesMean() ? variance : count * variance;
    double r = op.getEpsMode() == EpsMode::MaxNorm ? std::max(std::sqrt(v), eps)
                                                   : std::sqrt(v + eps);
    y = engine.graph.scale(rest, r > 0.0 ? 1.0 / r : 0.0);
  }
  if (Value gamma = op.getGamma()) {
    Expr factor = view(gamma, affineDims);
    if (!factor)
      return false;
    y = engine.multiply(y, factor);
  }
  if (Value beta = op.getBeta()) {
    Expr term = view(beta, affineDims);
    if (!term)
      return false;
    y = engine.graph.add(y, term);
  }
  set(op->getResult(0), y);
  followNormSides(op, isKnown ? x : nullptr, variance);
  return true;
}

} // namespace attn::moments
