//===- Weights.cpp - Initial weights and their parameterisation -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Analysis/Report.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

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

namespace {
/// A product with a weight: a linear layer, or a contraction.
struct Layer {
  Operation *op;
  Value weight;
  int64_t fan, inDim;
  bool isNtk;
};
} // namespace

static Value getRoot(Value weight) { return findSource(weight, isView); }

/// The factor that all elements of the product are multiplied by, as far as its
/// reader says.
static double getFactor(Context &context, Value product) {
  SmallVector<Operation *> readers = getReaders(product);
  if (readers.size() != 1 || readers.front()->getNumResults() != 1)
    return 1.0;
  Operation *reader = readers.front();
  bool isScaled = isa<arith::MulFOp, arith::DivFOp>(reader) ||
                  (raise::isElementwise(reader) &&
                   raise::hasInBody<arith::MulFOp, arith::DivFOp>(reader));
  auto before = context.getSecondMoment(product);
  auto after = context.getSecondMoment(reader->getResult(0));
  return isScaled && before && after && *before > 0.0
             ? std::sqrt(*after / *before)
             : 1.0;
}

/// A contraction of rows with a matrix that was drawn, is a constant, or whose
/// moments are stated.
static std::optional<Layer> matchContraction(Context &context,
                                             linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) || op.getNumDpsInputs() != 2 ||
      op.getNumReductionLoops() != 1)
    return std::nullopt;
  OpOperand *weight = op.getDpsInputOperand(1);
  AffineMap map = op.getMatchingIndexingMap(weight);
  Value root = getRoot(weight->get());
  auto argument = dyn_cast<BlockArgument>(root);
  bool isStated =
      argument && argument.getOwner() == &context.flat.get().front() &&
      context.flat.get().getArgAttr(argument.getArgNumber(), kMomentsAttrName);
  if (map.getNumResults() != 2 || !(isStated || root.getDefiningOp<InitOp>() ||
                                    matchPattern(root, m_Constant())))
    return std::nullopt;
  Layer layer{op, weight->get(), ShapedType::kDynamic, 0, false};
  for (unsigned i : getReducedDims(op, weight)) {
    layer.inDim = i;
    layer.fan = cast<ShapedType>(weight->get().getType()).getDimSize(i);
  }
  double factor = getFactor(context, op->getResult(0));
  layer.isNtk = !ShapedType::isDynamic(layer.fan) &&
                std::fabs(factor * factor * double(layer.fan) - 1.0) < 0.1;
  return layer;
}

static std::optional<Layer> matchLayer(Context &context, Operation *op) {
  if (auto linear = dyn_cast<LinearOp>(op)) {
    // The products of rows with each other have no weights.
    if (getRoot(linear.getWeight()) == getRoot(linear.getInput()))
      return std::nullopt;
    auto type = cast<ShapedType>(linear.getWeight().getType());
    unsigned dim = linear.getWeightInDim();
    return Layer{op, linear.getWeight(), type.getDimSize(dim), dim,
                 linear.isNtk()};
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return matchContraction(context, structured);
  return std::nullopt;
}

/// The attn.init that a weight comes from, through views, if only layers of the
/// same parameterisation read it.
static InitOp getOwnInit(Context &context, const Layer &layer) {
  auto init = getRoot(layer.weight).getDefiningOp<InitOp>();
  if (!init)
    return {};
  bool isOwn =
      llvm::all_of(getReaders(init.getResult()), [&](Operation *reader) {
        std::optional<Layer> other = matchLayer(context, reader);
        return other && other->isNtk == layer.isNtk;
      });
  return isOwn ? init : InitOp();
}

void setVariance(InitOp init, VarianceRule rule, double variance,
                 std::optional<Function> function) {
  MLIRContext *context = init.getContext();
  bool isConstant = rule == VarianceRule::Constant;
  init.setVarianceAttr(VarianceRuleAttr::get(context, rule));
  init.setValueAttr(isConstant ? Builder(context).getF64FloatAttr(variance)
                               : FloatAttr());
  init.setFunctionAttr(function ? FunctionAttr::get(context, *function)
                                : FunctionAttr());
  init.removeHeadDimAttr();
  init.removeFanOutAttr();
  if (isConstant || rule == VarianceRule::Zero)
    init.removeFanInAttr();
}

InitOp getOnlyInit(Context &context, LinearOp linear) {
  auto flat = linear.getWeight().getDefiningOp<InitOp>();
  auto init =
      dyn_cast_or_null<InitOp>(flat ? context.flat.getOrigin(flat) : nullptr);
  return init && init->hasOneUse() ? init : InitOp();
}

static void setParameterisation(Operation *op, bool ntk) {
  Parameterisation value =
      ntk ? Parameterisation::Ntk : Parameterisation::Standard;
  llvm::TypeSwitch<Operation *>(op)
      .Case<LinearOp, MultiHeadAttentionOp, FeedForwardOp>(
          [&](auto layer) { layer.setParameterisation(value); });
}

/// What mends the layer: its own initial weights, or else its parameterisation.
/// Returns the op of the module that changes.
static Operation *addMend(Context &context, LintWarning &warning,
                          const Layer &layer, double variance) {
  bool toNtk = !layer.isNtk;
  InitOp flat = getOwnInit(context, layer);
  auto init =
      dyn_cast_or_null<InitOp>(flat ? context.flat.getOrigin(flat) : nullptr);
  if (!init) {
    warning.mend =
        toNtk ? "parameterisation(ntk)" : "parameterisation(standard)";
    if (isa<linalg::LinalgOp>(layer.op))
      warning.refusal = "a product that is no attn.linear has no attribute for "
                        "it";
    warning.fix = [op = warning.op, toNtk](RewriterBase &) {
      setParameterisation(op, toNtk);
    };
    return warning.op;
  }
  // Rank 2 has its fan in by default.
  bool lecun = toNtk && init.getOutput().getType().getRank() == 2 &&
               !init.getFanIn() && layer.inDim == 0 &&
               layer.weight == flat.getResult();
  warning.mend = lecun ? "variance(lecun) of its attn.init"
                       : "variance(constant) value(" + formatNumber(variance) +
                             ") of its attn.init";
  warning.fix = [init, variance, lecun](RewriterBase &) {
    setVariance(init, lecun ? VarianceRule::LeCun : VarianceRule::Constant,
                variance);
  };
  return init;
}

static void checkLayer(Context &context, const Layer &layer) {
  Operation *origin = context.flat.getOrigin(layer.op);
  std::optional<double> moment = context.getSecondMoment(layer.weight);
  if (!origin || !moment || ShapedType::isDynamic(layer.fan) ||
      layer.fan < kSmallestFan)
    return;
  auto fan = double(layer.fan);
  WarningId id = layer.isNtk ? WarningId::NtkWithScaledInit
                             : WarningId::StandardWithUnitInit;
  // Factor on the second moment of the input, and what it should be about.
  double factor = layer.isNtk ? *moment : *moment * fan;
  if (!isAbout(layer.isNtk ? factor * fan : factor / fan, 1.0)) {
    context.findings.addFine(id, origin);
    if (auto init = getRoot(layer.weight).getDefiningOp<InitOp>())
      context.findings.addFine(id, context.flat.getOrigin(init));
    return;
  }
  LintWarning warning{id,
                      origin,
                      {{"fan", std::to_string(layer.fan)},
                       {"moment", formatNumber(*moment)},
                       {"factor", formatNumber(factor)}}};
  Operation *part = addMend(context, warning, layer,
                            layer.isNtk ? *moment * fan : *moment / fan);
  context.findings.addFault(std::move(warning), part);
}

/// Products that are scores of a softmax: checkScores asks whether their rows
/// are too long.
static DenseSet<Operation *> findScores(Context &context) {
  DenseSet<Operation *> products;
  context.flat.get().walk([&](Operation *op) {
    if (!isa<AttentionOp>(op) && context.moments.scores.lookup(op))
      if (std::optional<ScoreProduct> product = findScoreProduct(op))
        products.insert(product->op);
  });
  return products;
}

void checkWeights(Context &context) {
  DenseSet<Operation *> scores = findScores(context);
  context.flat.get().walk([&](Operation *op) {
    std::optional<Layer> layer = matchLayer(context, op);
    if (layer && (layer->isNtk || !scores.contains(op)))
      checkLayer(context, *layer);
  });
}

} // namespace attn::lint_checks
