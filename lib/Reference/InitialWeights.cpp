//===- InitialWeights.cpp - attn.init on values ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activation.h"
#include "AttnOps.h"
#include "attn/Support/Philox.h"

#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

static const double pi = std::acos(-1.0);

/// A number in (0, 1) that depends on the seed and the position only.
static double drawUniform(uint64_t seed, uint64_t position) {
  PhiloxWords words =
      philox4x32({uint32_t(position), uint32_t(position >> 32), 0, 0},
                 {uint32_t(seed), uint32_t(seed >> 32)});
  uint64_t bits = uint64_t(words[1]) << 32 | words[0];
  return (double(bits >> 12) + 0.5) / 4503599627370496.0;
}

/// The z with erf(z / sqrt 2) = x, by Halley's method on the smaller tail.
static double findQuantile(double x) {
  double tail = 0.5 * (1.0 - std::fabs(x));
  // Abramowitz and Stegun 26.2.23, good to 4.5e-4, to start from.
  double t = std::sqrt(-2.0 * std::log(tail));
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int step = 0; step < 3; ++step) {
    double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * pi);
    double error = tail - 0.5 * std::erfc(z / std::sqrt(2.0));
    double newton = error / density;
    z -= newton / (1.0 + 0.5 * z * newton);
  }
  return std::copysign(z, x);
}

namespace {
/// Draws of mean 0 and variance 1.
class StandardDraw {
public:
  explicit StandardDraw(InitOp op) : distribution(op.getDistribution()) {
    if (distribution != Distribution::TruncatedNormal)
      return;
    auto [low, high] = op.getCutInterval();
    begin = std::erf(low / std::sqrt(2.0));
    end = std::erf(high / std::sqrt(2.0));
    auto density = [](double z) {
      return std::exp(-0.5 * z * z) / std::sqrt(2.0 * pi);
    };
    double mass = 0.5 * (end - begin);
    mean = (density(low) - density(high)) / mass;
    double variance =
        1.0 + (low * density(low) - high * density(high)) / mass - mean * mean;
    factor = 1.0 / std::sqrt(variance);
  }
  double operator()(double u) const {
    double x = begin + (end - begin) * u;
    if (distribution == Distribution::Uniform)
      return std::sqrt(3.0) * x;
    return (findQuantile(x) - mean) * factor;
  }

private:
  Distribution distribution;
  double begin = -1.0, end = 1.0, mean = 0.0, factor = 1.0;
};
} // namespace

/// sigma^2 with E f(sigma z)^2 = 1, by bisection.
static double solveVariance(Function function) {
  Activation f(function);
  double low = 0.0, high = 16.0;
  for (int step = 0; step < 60; ++step) {
    double middle = 0.5 * (low + high);
    (f.moment(2, middle) < 1.0 ? low : high) = middle;
  }
  return low * low;
}

static double getVariance(InitOp op, ArrayRef<int64_t> shape) {
  auto product = [&](ArrayRef<int64_t> dims) {
    double fan = 1.0;
    for (int64_t dim : dims)
      fan *= double(shape[dim]);
    return fan;
  };
  double m = op.usesFanIn() ? product(op.getFanInDims()) : 1.0;
  switch (op.getVariance()) {
  case VarianceRule::Constant:
    return op.getValue()->convertToDouble();
  case VarianceRule::LeCun:
    return 1.0 / m;
  case VarianceRule::He:
    return 2.0 / m;
  case VarianceRule::Xavier:
    return 2.0 / (m + product(op.getFanOutDims()));
  case VarianceRule::T5:
    return 1.0 / (m * std::sqrt(double(*op.getHeadDim())));
  case VarianceRule::Zero:
    return 0.0;
  case VarianceRule::Solved:
    return solveVariance(*op.getFunction()) / m;
  }
  llvm_unreachable("all rules are handled");
}

LogicalResult execute(Evaluator &evaluator, InitOp init) {
  std::shared_ptr<Tensor> result = evaluator.takeOrCopy(init.getOutput());
  double deviation = std::sqrt(getVariance(init, result->shape));
  uint64_t seed = evaluator.getIndex(init.getSeed());
  StandardDraw draw(init);
  for (auto [position, value] : llvm::enumerate(result->floats)) {
    value = init.getMeanValue();
    if (init.getVariance() != VarianceRule::Zero)
      value += deviation * draw(drawUniform(seed, position));
  }
  quantise(result->floats.data(), result->floats.size(),
           getQuantum(result->elementType, evaluator.getRounding()));
  return evaluator.set(init.getResult(), std::move(result));
}

} // namespace attn::reference::detail
