//===- Weights.cpp - Initial weights and their parameterisation -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Analysis/Report.h"
#include "attn/Dialect/Attn/IR/Attn.h"

#include <cmath>

using namespace mlir;

namespace attn::lint_checks {

/// Below this fan in, 1/m is not told from 1.
static constexpr int64_t kSmallestFan = 16;

/// Whether two numbers are of one size: the factors of He, Xavier and LeCun lie
/// within this.
static bool isAbout(double number, double expected) {
  return number >= expected / 4 && number <= expected * 4;
}

/// The attn.init that a weight comes from, through views, if only linear layers
/// of the same parameterisation read it.
static InitOp getOwnInit(LinearOp linear) {
  Value root = linear.getWeight();
  while (root.getDefiningOp() && isView(root.getDefiningOp()))
    root = root.getDefiningOp()->getOperand(0);
  auto init = root.getDefiningOp<InitOp>();
  if (!init)
    return {};
  bool isOwn = llvm::all_of(getReaders(root), [&](Operation *reader) {
    auto other = dyn_cast<LinearOp>(reader);
    return other && other.isNtk() == linear.isNtk();
  });
  return isOwn ? init : InitOp();
}

/// Gives `init` the variance as a number; LeCun's rule where it is that.
static void setVariance(InitOp init, double variance, bool lecun) {
  MLIRContext *context = init.getContext();
  OpBuilder builder(context);
  init.setVarianceAttr(VarianceRuleAttr::get(
      context, lecun ? VarianceRule::LeCun : VarianceRule::Constant));
  if (lecun)
    init.removeValueAttr();
  else
    init.setValueAttr(builder.getF64FloatAttr(variance));
  init.removeFunctionAttr();
  init.removeHeadDimAttr();
  init.removeFanOutAttr();
  if (!lecun)
    init.removeFanInAttr();
}

/// What mends the layer: its own initial weights, or else its parameterisation.
static void addMend(LintWarning &warning, LinearOp linear, double variance) {
  bool toNtk = !linear.isNtk();
  InitOp init = getOwnInit(linear);
  if (!init) {
    warning.mend =
        toNtk ? "parameterisation(ntk)" : "parameterisation(standard)";
    warning.fix = [linear, toNtk](RewriterBase &) mutable {
      linear.setParameterisation(toNtk ? Parameterisation::Ntk
                                       : Parameterisation::Standard);
    };
    return;
  }
  // Rank 2 has its fan in by default.
  bool lecun = toNtk && init.getOutput().getType().getRank() == 2 &&
               !init.getFanIn() && linear.getWeightInDim() == 0 &&
               linear.getWeight() == init.getResult();
  warning.mend = lecun ? "variance(lecun) of its attn.init"
                       : "variance(constant) value(" + formatNumber(variance) +
                             ") of its attn.init";
  warning.fix = [init, variance, lecun](RewriterBase &) {
    setVariance(init, variance, lecun);
  };
}

void checkWeights(Context &context) {
  context.function.walk([&](LinearOp op) {
    auto type = cast<ShapedType>(op.getWeight().getType());
    int64_t fan = type.getDimSize(op.getWeightInDim());
    std::optional<double> moment = context.getSecondMoment(op.getWeight());
    if (!moment || ShapedType::isDynamic(fan) || fan < kSmallestFan)
      return;
    // Factor on the second moment of the input, and what it should be about.
    double factor = op.isNtk() ? *moment : *moment * fan;
    bool isFault = isAbout(op.isNtk() ? factor * fan : factor / fan, 1.0);
    if (!isFault)
      return;
    LintWarning warning{op.isNtk() ? WarningId::NtkWithScaledInit
                                   : WarningId::StandardWithUnitInit,
                        op,
                        {{"fan", std::to_string(fan)},
                         {"moment", formatNumber(*moment)},
                         {"factor", formatNumber(factor)}},
                        "",
                        {}};
    addMend(warning, op, op.isNtk() ? *moment * fan : *moment / fan);
    context.warnings.push_back(std::move(warning));
  });
}

} // namespace attn::lint_checks
