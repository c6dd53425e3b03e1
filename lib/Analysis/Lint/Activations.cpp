//===- Activations.cpp - Functions that lose second moment ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Analysis/Report.h"
#include "attn/Analysis/ResidualBlock.h"
#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "attn/Dialect/Attn/IR/GenericBuilder.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace attn::lint_checks {

/// How far the second moment may be from the input's.
static constexpr double kTolerance = 0.05;
/// What a layer behind a function loses at least, to be worth a rule of its
/// own.
static constexpr double kLeastLoss = 0.25;

static bool losesMoment(Function function) {
  return function == Function::Sigmoid || function == Function::Tanh ||
         function == Function::Softplus || function == Function::HardSigmoid ||
         function == Function::Softsign;
}

void addGain(RewriterBase &rewriter, Value value, double gain) {
  rewriter.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  auto element = cast<FloatType>(type.getElementType());
  GenericBuilder generics(rewriter, loc, type.getRank(), element);
  Value factor = arith::ConstantOp::create(
      rewriter, loc, rewriter.getFloatAttr(element, gain));
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
  MappedTensor scaled =
      generics.create({{value, generics.getIdentity()}},
                      generics.createEmpty(value, all, element),
                      [&](LaneBuilder &lanes, ValueRange at) {
                        return lanes.mul(at[0], factor);
                      });
  rewriter.replaceUsesWithIf(value, scaled.tensor, [&](OpOperand &use) {
    return use.getOwner() != scaled.tensor.getDefiningOp() &&
           !isa<tensor::DimOp>(use.getOwner());
  });
}

static void addMend(LintWarning &warning, ActivationOp op, Operation *origin,
                    Context &context) {
  warning.mend = "unit_moment";
  if (isa<ActivationOp, FeedForwardOp>(origin)) {
    warning.fix = [origin](RewriterBase &) {
      llvm::TypeSwitch<Operation *>(origin).Case<ActivationOp, FeedForwardOp>(
          [](auto layer) { layer.setUnitMoment(true); });
    };
    return;
  }
  double gain = computeOutputScale(op.getFunction(), false, true).gain;
  warning.mend = "a factor of " + formatNumber(gain) + " behind it";
  Value name = context.flat.getNames(op.getResult()).front();
  warning.fix = [name, gain](RewriterBase &rewriter) {
    addGain(rewriter, name, gain);
  };
}

/// Whether a layer is the last of a residual branch, or of the function: how
/// large that is says nothing of a depth.
static bool isLast(Operation *layer) {
  return llvm::all_of(getReaders(layer->getResult(0)), [](Operation *reader) {
    return reader->hasTrait<OpTrait::IsTerminator>() ||
           matchResidualBlock(reader);
  });
}

/// relu and its like between layers halve the second moment, which He's rule or
/// `solved` makes up for.
static void checkInitial(Context &context, ActivationOp op) {
  Function function = op.getFunction();
  std::optional<double> input = context.getSecondMoment(op.getInput());
  if (op.getUnitMoment() || !input || *input < 0.25 || *input > 4.0)
    return;
  for (Operation *reader : getReaders(op.getResult())) {
    auto linear = dyn_cast<LinearOp>(reader);
    if (!linear || !linear.getResult() || linear.isNtk() || isLast(reader) ||
        !readsAsInput(reader, op.getResult()))
      continue;
    auto flat = linear.getWeight().getDefiningOp<InitOp>();
    Operation *origin = context.flat.getOrigin(linear);
    std::optional<double> layer = context.getSecondMoment(linear.getResult());
    if (!flat || !origin || !layer ||
        !llvm::is_contained({VarianceRule::LeCun, VarianceRule::Xavier},
                            flat.getVariance()))
      continue;
    if (*layer > (1.0 - kLeastLoss) * *input) {
      context.findings.addFine(WarningId::InitOfActivation, origin);
      continue;
    }
    bool isRelu = function == Function::Relu;
    LintWarning warning{
        WarningId::InitOfActivation,
        origin,
        {{"function", stringifyFunction(function).str()},
         {"input", formatNumber(*input)},
         {"layer", formatNumber(*layer)},
         {"rule", stringifyVarianceRule(flat.getVariance()).str()}},
        isRelu ? "variance(he) of its attn.init"
               : "variance(solved) of(" + stringifyFunction(function).str() +
                     ") of its attn.init"};
    InitOp init = getOnlyInit(context, linear);
    if (!init)
      warning.refusal = "others read this weight, too";
    warning.fix = [init, isRelu, function](RewriterBase &) {
      if (isRelu)
        setVariance(init, VarianceRule::He);
      else
        setVariance(init, VarianceRule::Solved, 0.0, function);
    };
    context.findings.addFault(std::move(warning), init ? init : origin);
  }
}

static void checkActivation(Context &context, ActivationOp op) {
  Operation *origin = context.flat.getOrigin(op);
  Function function = op.getFunction();
  if (!losesMoment(function))
    return checkInitial(context, op);
  if (op.getUnitMoment() || !origin)
    return;
  Value result = op.getResult();
  std::optional<double> input = context.getSecondMoment(op.getInput());
  std::optional<double> output = context.getSecondMoment(result);
  // Where the input itself is far from 1, something before is to be mended.
  if (!input || !output || *input < 0.25 || *input > 4.0)
    return;
  // A gate or a probability is read by a product, or by nobody here.
  for (Operation *reader : getReaders(result)) {
    if (!isLayer(reader) || !readsAsInput(reader, result) ||
        reader->getNumResults() != 1)
      continue;
    std::optional<double> layer = context.getSecondMoment(reader->getResult(0));
    if (!layer || std::fabs(*layer / *input - 1.0) <= kTolerance)
      continue;
    LintWarning warning{WarningId::NoGain,
                        origin,
                        {{"function", stringifyFunction(function).str()},
                         {"input", formatNumber(*input)},
                         {"output", formatNumber(*output)},
                         {"layer", formatNumber(*layer)}}};
    addMend(warning, op, origin, context);
    return context.findings.addFault(std::move(warning), origin);
  }
  context.findings.addFine(WarningId::NoGain, origin);
}

void checkActivations(Context &context) {
  context.flat.get().walk([&](ActivationOp op) {
    if (isa<RankedTensorType>(op.getType()))
      checkActivation(context, op);
  });
}

} // namespace attn::lint_checks
