//===- FollowBlockOps.cpp - Linear, activation, statistics, positions -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace attn::moments {

bool Follower::followAttnOp(Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](NormOp op) { return followNorm(op); })
      .Case([&](ResidualOp op) { return followResidual(op); })
      .Case([&](AttentionOp op) { return followAttention(op); })
      .Case<MultiHeadAttentionOp, FeedForwardOp>(
          [&](Operation *op) { return followComposite(op); })
      .Case<LinearOp, ActivationOp, SoftmaxOp, InitOp, StatisticsOp, RopeOp,
            SinusoidalPositionsOp>(
          [&](auto op) { return setResult(op, followOp(op)); })
      .Default([](Operation *) { return false; });
}

Expr Follower::followOp(LinearOp op) {
  Value input = op.getInput();
  int rank = cast<ShapedType>(input.getType()).getRank();
  int terms = rank - 1, columns = rank;
  SmallVector<int> weightDims = {terms, columns};
  if (op.getWeightInDim() == 1)
    std::swap(weightDims[0], weightDims[1]);
  Expr x = lookup(input), w = view(op.getWeight(), weightDims);
  if (!x || !w)
    return nullptr;
  double fanIn = getSize(op.getWeight(), op.getWeightInDim());
  engine.assume("weights are independent of the data, and of each other");
  Expr y = engine.sum(engine.multiply(x, w), terms, fanIn);
  if (op.isNtk())
    y = engine.graph.scale(y, 1.0 / std::sqrt(fanIn));
  y = engine.graph.remap(y,
                         [&](int dim) { return dim == columns ? terms : dim; });
  if (Value bias = op.getBias()) {
    Expr b = view(bias, ArrayRef<int>{terms});
    if (!b)
      return nullptr;
    y = engine.graph.add(y, b);
  }
  return followEpilogue(op, y);
}

/// What a linear layer computes from each of its sums; its first argument is
/// the sum, the others are the operands before the output.
Expr Follower::followEpilogue(LinearOp op, Expr sum) {
  if (op->getNumRegions() == 0 || op->getRegion(0).empty())
    return sum;
  Block &block = op->getRegion(0).front();
  Scope known;
  known[block.getArgument(0)] = sum;
  unsigned extras = block.getNumArguments() - 1;
  unsigned first = op->getNumOperands() - 1 - extras;
  int rank = cast<ShapedType>(op.getInput().getType()).getRank();
  for (unsigned i = 0; i < extras; ++i) {
    Value extra = op->getOperand(first + i);
    auto type = dyn_cast<RankedTensorType>(extra.getType());
    SmallVector<int> dims;
    for (int dim = 0; type && dim < type.getRank(); ++dim)
      dims.push_back(rank - type.getRank() + dim);
    if (Expr expr = view(extra, dims))
      known[block.getArgument(1 + i)] = expr;
  }
  return followBody(block, known, {});
}

Expr Follower::activate(ActivationOp op, Expr x) {
  Function function = op.getFunction();
  OutputScale scale =
      computeOutputScale(function, op.getCentered(), op.getUnitMoment());
  Expr y = engine.apply(Fn::Activation, x, unsigned(function));
  return engine.graph.affine(-scale.center * scale.gain, scale.gain, y);
}

Expr Follower::followOp(ActivationOp op) {
  Expr x = lookup(op.getInput());
  return x ? activate(op, x) : nullptr;
}

//===----------------------------------------------------------------------===//
// Statistics, positions
//===----------------------------------------------------------------------===//

Expr Follower::followOp(StatisticsOp op) {
  Expr x = lookup(op.getInput());
  if (!x)
    return nullptr;
  int rank = cast<ShapedType>(op.getInput().getType()).getRank();
  SmallVector<int> dims, kept;
  SmallVector<double> extents;
  for (int dim = 0; dim < rank; ++dim) {
    if (!op.isReduced(dim)) {
      kept.push_back(dim);
      continue;
    }
    dims.push_back(dim);
    extents.push_back(getSize(op.getInput(), dim));
  }
  Expr result = nullptr;
  if (op.getMeasure() == Measure::InfinityNorm) {
    result = engine.maximum(engine.apply(Fn::Abs, x), dims, extents);
    result = engine.graph.remap(result, [&](int dim) {
      return int(llvm::find(kept, dim) - kept.begin());
    });
  } else {
    double mean = engine.getMean(x), fourth = 0.0;
    double variance = engine.getVariance(x);
    if (variance <= 0.0)
      return nullptr;
    for (auto [value, weight] : engine.sampleValues(engine.collapse(x)))
      fourth += weight * std::pow(value - mean, 4.0);
    result = engine.graph.constant(fourth / (variance * variance));
  }
  return result;
}

/// The mean over pairs of different positions and over angles of the cosine of
/// the angle between them.
static double getPositionCorrelation(double rows, double rotated, double base,
                                     double scale) {
  double total = 0.0;
  if (rows <= 1.0 || rotated < 2.0)
    return 1.0;
  int64_t pairs = rotated / 2;
  for (int64_t t = 0; t < pairs; ++t) {
    double step = scale * std::pow(base, -2.0 * t / rotated);
    double half = std::sin(0.5 * step);
    double ratio = half == 0.0 ? rows : std::sin(0.5 * step * rows) / half;
    total += (ratio * ratio - rows) / (rows * (rows - 1.0)) / pairs;
  }
  return total;
}

Expr Follower::followOp(RopeOp op) {
  Expr x = lookup(op.getInput());
  if (!x)
    return nullptr;
  if (op.hasTables())
    engine.assume("tables of rotations are those of positions from 0, as "
                  "without tables");
  int rank = cast<ShapedType>(op.getInput().getType()).getRank();
  double width = getSize(op.getInput(), rank - 1);
  double rotated = op.getNumRotated();
  double share = rotated / width;
  double turn = getPositionCorrelation(
      getSize(op.getInput(), op.getRowDimension()), rotated,
      op.getBase().convertToDouble(), op.getPositionScale().convertToDouble());
  // Turning keeps the squares of a pair; what is common to all rows turns, too.
  Source source{Shape::Normal, (1.0 - share) * engine.getMean(x), 0.0};
  source.variance = engine.getSecond(x) - source.mean * source.mean;
  if (x->draws.size() == 1) {
    source.summed = x->draws[0]->source->summed;
    source.terms = x->draws[0]->source->terms;
  }
  SmallVector<int> dims = getVaryingDims(x);
  if (!llvm::is_contained(dims, op.getRowDimension()))
    dims.push_back(op.getRowDimension());
  for (int dim : dims) {
    double cross = engine.getCross(x, dim);
    if (dim == op.getRowDimension())
      cross *= share * turn + 1.0 - share;
    source.correlations.push_back(
        correlate(cross - source.mean * source.mean, source.variance));
  }
  return engine.graph.draw(std::move(source), dims);
}

Expr Follower::followOp(SinusoidalPositionsOp op) {
  int rank = cast<ShapedType>(op.getResult().getType()).getRank();
  double rows = getSize(op.getResult(), rank - 2);
  double width = getSize(op.getResult(), rank - 1);
  double base = op.getBase().convertToDouble();
  double scale = op.getPositionScale().convertToDouble();
  double mean = 0.0;
  for (int64_t t = 0; t < width / 2; ++t)
    for (int64_t row = 0; row < rows; ++row) {
      double angle = row * scale * std::pow(base, -2.0 * t / width);
      mean += (std::sin(angle) + std::cos(angle)) / (width * rows);
    }
  engine.assume("positions start at 0");
  double turn = getPositionCorrelation(rows, width, base, scale);
  Source source{Shape::Normal, mean, 0.5 - mean * mean};
  source.correlations = {(0.5 * turn - mean * mean) / source.variance, 0.0};
  return engine.graph.draw(std::move(source), {rank - 2, rank - 1});
}

} // namespace attn::moments
