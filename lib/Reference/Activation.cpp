//===- Activation.cpp - Activation functions in f64 -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activation.h"
#include "ElementOps.h"

#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

static const double pi = std::acos(-1.0);

Activation::Activation(Function function, bool centered, bool unitMoment)
    : function(function) {
  if (function == Function::Selu) {
    // Klambauer and others, "Self-normalizing neural networks" (2017), in
    // closed form.
    double e = std::erfc(std::sqrt(0.5)) * std::exp(0.5);
    double e2 = std::erfc(std::sqrt(2.0)) * std::exp(2.0);
    double alpha = std::sqrt(2.0 / pi) / (1.0 - e);
    // E (exp(z) - 1)^2 [z < 0] = e2 / 2 - e + 1 / 2.
    above = 1.0 / std::sqrt(0.5 + alpha * alpha * (0.5 * e2 - e + 0.5));
    below = above * alpha;
  }
  double mean = centered ? moment(1) : 0.0;
  if (unitMoment)
    gain = 1.0 / std::sqrt(moment(2) - mean * mean);
  center = mean;
}

static double round(double value, Quantum quantum) {
  quantise(&value, 1, quantum);
  return value;
}

double Activation::operator()(double x, Quantum quantum) const {
  double shifted = round(plain(x, quantum) - center, quantum);
  return round(shifted * gain, quantum);
}

double Activation::plain(double x, Quantum quantum) const {
  auto r = [quantum](double value) { return round(value, quantum); };
  switch (function) {
  case Function::Relu:
    return x < 0.0 ? 0.0 : x;
  case Function::Elu:
  case Function::Selu:
    return x > 0.0 ? r(above * x) : r(below * r(std::expm1(x)));
  case Function::Gelu:
    return r(0.5 * x * r(std::erfc(r(-x / std::sqrt(2.0)))));
  case Function::GeluTanh: {
    double u = r(std::sqrt(2.0 / pi) * r(x + r(0.044715 * r(x * r(x * x)))));
    return r(0.5 * x * r(1.0 + r(std::tanh(u))));
  }
  case Function::Silu:
    return r(x / r(1.0 + r(std::exp(-x))));
  case Function::Sigmoid:
    return r(1.0 / r(1.0 + r(std::exp(-x))));
  case Function::Tanh:
    return r(std::tanh(x));
  case Function::Softplus:
    return r(std::max(x, 0.0) + r(std::log1p(r(std::exp(-std::abs(x))))));
  case Function::QuickGelu:
    return r(x / r(1.0 + r(std::exp(r(-1.702 * x)))));
  case Function::HardSwish: {
    double gate = r(x + 3.0) < 0.0 ? 0.0 : r(x + 3.0);
    return r(r(x * (gate > 6.0 ? 6.0 : gate)) / 6.0);
  }
  case Function::Mish:
    return r(x * r(std::tanh(r(std::log1p(r(std::exp(x)))))));
  case Function::ReluSquared:
    return x < 0.0 ? 0.0 : r(x * x);
  case Function::LeakyRelu:
    return x > 0.0 ? x : r(x / 100.0);
  case Function::Relu6:
    return x < 0.0 ? 0.0 : x > 6.0 ? 6.0 : x;
  case Function::HardSigmoid: {
    double gate = r(x + 3.0) < 0.0 ? 0.0 : r(x + 3.0);
    return r((gate > 6.0 ? 6.0 : gate) / 6.0);
  }
  case Function::Softsign:
    return r(x / r(1.0 + std::abs(x)));
  }
  llvm_unreachable("all functions are handled");
}

double Activation::moment(int k, double sigma) const {
  auto weighted = [&](double z) {
    return std::pow(plain(sigma * z, Quantum::None), k) *
           std::exp(-0.5 * z * z);
  };
  // Simpson's rule between the kinks, which are at 0, at -3 and 3 of hard_swish
  // and hard_sigmoid, and at 6 of relu6.
  const int steps = 12000;
  double kink = std::min(3.0 / sigma, 6.0), sum = 0.0;
  const double ends[] = {-12.0, -kink, 0.0, kink, std::min(6.0 / sigma, 9.0),
                         12.0};
  for (int part = 0; part < 5; ++part) {
    double low = ends[part], h = (ends[part + 1] - low) / steps;
    for (int i = 0; i <= steps; ++i) {
      double weight = i == 0 || i == steps ? 1.0 : i % 2 ? 4.0 : 2.0;
      sum += weight * weighted(low + i * h) * h;
    }
  }
  return sum / 3.0 / std::sqrt(2.0 * pi);
}

LogicalResult emitActivation(ScalarProgram &program, Operation *op) {
  auto activation = dyn_cast<ActivationOp>(op);
  if (!activation)
    return failure();
  Activation f(activation.getFunction(), activation.getCentered(),
               activation.getUnitMoment());
  // Narrow types are computed in f32.
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Quantum storage = getQuantum(element, program.getRounding());
  Quantum step = storage.getWide();
  program.emit<double, double>(op, [f, step, storage](double x) {
    double y = f(x, step);
    quantise(&y, 1, storage);
    return y;
  });
  return success();
}

} // namespace attn::reference::detail
