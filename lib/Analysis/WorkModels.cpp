//===- WorkModels.cpp - What each attn op costs ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpWork.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace attn;

#include "attn/Analysis/WorkOpInterface.cpp.inc"

/// Those of `params` that hold trained numbers, by their specs.
static void addTrained(SmallVectorImpl<Value> &trained,
                       ArrayRef<ParamSpec> specs, ValueRange params) {
  for (auto [spec, param] : llvm::zip(specs, params))
    if (spec.element == ParamElement::Float)
      trained.push_back(param);
}

static void addScale(SmallVectorImpl<Value> &trained,
                     ScalePolicyAttrInterface scale, ValueRange params) {
  if (scale.isTrained())
    addTrained(trained, scale.getParamSpecs(), params);
}

static void addPresent(SmallVectorImpl<Value> &trained,
                       ArrayRef<Value> operands) {
  for (Value operand : operands)
    if (operand)
      trained.push_back(operand);
}

namespace {

template <typename ModelT, typename OpTy>
using Model = WorkOpInterface::ExternalModel<ModelT, OpTy>;

struct AttentionWork : Model<AttentionWork, AttentionOp> {
  Count countOperations(Operation *op, SizeEvaluator &sizes) const {
    return countFlops(cast<AttentionOp>(op), sizes);
  }
  SmallVector<Value> getTrained(Operation *op) const {
    auto attention = cast<AttentionOp>(op);
    auto slice = [&](ParamRange range) {
      return ValueRange(attention.getParams()).slice(range.first, range.count);
    };
    SmallVector<Value> trained;
    addScale(trained, attention.getScale(), slice(attention.getScaleParams()));
    addTrained(trained, attention.getNormalizer().getParamSpecs(),
               slice(attention.getNormalizerParams()));
    return trained;
  }
};

struct LinearWork : Model<LinearWork, LinearOp> {
  Count countOperations(Operation *op, SizeEvaluator &sizes) const {
    auto linear = cast<LinearOp>(op);
    Count outputs = countElements(linear.getOutput(), sizes);
    std::optional<int64_t> terms =
        sizes.getSize(linear.getWeight(), linear.getWeightInDim());
    if (!outputs || !terms)
      return std::nullopt;
    double perOutput =
        2.0 * *terms + (linear.getBias() ? 1 : 0) + (linear.isNtk() ? 1 : 0);
    // An epilogue is arithmetic on each output.
    if (Block *epilogue = linear.getEpilogueBody())
      perOutput += countBody(*epilogue);
    return *outputs * perOutput;
  }
  SmallVector<Value> getTrained(Operation *op) const {
    auto linear = cast<LinearOp>(op);
    SmallVector<Value> trained;
    addPresent(trained, {linear.getWeight(), linear.getBias()});
    return trained;
  }
};

struct NormWork : Model<NormWork, NormOp> {
  Count countOperations(Operation *op, SizeEvaluator &sizes) const {
    auto norm = cast<NormOp>(op);
    // A square and its sum, the division; what centring and the operands add.
    double perElement = 3 + (norm.isCentered() ? 2 : 0) +
                        (norm.getResidual() ? 1 : 0) +
                        (norm.getFactor() ? 1 : 0) + (norm.getGamma() ? 1 : 0) +
                        (norm.getBeta() ? 1 : 0);
    if (norm.hasGivenStatistics())
      perElement -= 2 + (norm.isCentered() ? 1 : 0);
    return times(countElements(norm.getInput(), sizes), perElement);
  }
  SmallVector<Value> getTrained(Operation *op) const {
    auto norm = cast<NormOp>(op);
    SmallVector<Value> trained;
    addPresent(trained, {norm.getGamma(), norm.getBeta()});
    return trained;
  }
};

struct ResidualWork : Model<ResidualWork, ResidualOp> {
  Count countOperations(Operation *op, SizeEvaluator &sizes) const {
    auto residual = cast<ResidualOp>(op);
    ResidualPolicy policy = residual.getPolicy();
    bool scaled = policy == ResidualPolicy::ReZero ||
                  policy == ResidualPolicy::Scheduled ||
                  policy == ResidualPolicy::InvSqrt2;
    return times(countElements(residual.getInput(), sizes), scaled ? 2 : 1);
  }
  SmallVector<Value> getTrained(Operation *op) const {
    SmallVector<Value> trained;
    addPresent(trained, {cast<ResidualOp>(op).getAlpha()});
    return trained;
  }
};

struct RopeWork : Model<RopeWork, RopeOp> {
  Count countOperations(Operation *op, SizeEvaluator &sizes) const {
    auto rope = cast<RopeOp>(op);
    Count elements = countElements(rope.getInput(), sizes);
    auto type = cast<ShapedType>(rope.getInput().getType());
    std::optional<int64_t> row =
        sizes.getSize(rope.getInput(), unsigned(type.getRank() - 1));
    if (!elements || !row || *row == 0)
      return elements;
    // Four products and two sums turn a pair.
    return *elements / *row * rope.getNumRotated() * 3;
  }
};

struct ActivationWork : Model<ActivationWork, ActivationOp> {
  Count countOperations(Operation *op, SizeEvaluator &sizes) const {
    auto activation = cast<ActivationOp>(op);
    double perElement = 1 + (activation.getCentered() ? 1 : 0) +
                        (activation.getUnitMoment() ? 1 : 0);
    return isa<ShapedType>(activation.getInput().getType())
               ? times(countElements(activation.getInput(), sizes), perElement)
               : Count(perElement);
  }
};

struct SoftmaxWork : Model<SoftmaxWork, SoftmaxOp> {
  Count countOperations(Operation *op, SizeEvaluator &sizes) const {
    // Maximum and exp are one each, and the shift, the sum and the division; a
    // scale is one more.
    auto softmax = cast<SoftmaxOp>(op);
    return times(countElements(softmax.getInput(), sizes),
                 softmax.getScale().getFixed() == 1.0 ? 5 : 6);
  }
  SmallVector<Value> getTrained(Operation *op) const {
    auto softmax = cast<SoftmaxOp>(op);
    ValueRange params = softmax.getParams();
    size_t count = softmax.getScale().getParamSpecs().size();
    SmallVector<Value> trained;
    addScale(trained, softmax.getScale(), params.take_front(count));
    addTrained(trained, softmax.getNormalizer().getParamSpecs(),
               params.drop_front(count));
    return trained;
  }
};

struct StatisticsWork : Model<StatisticsWork, StatisticsOp> {
  Count countOperations(Operation *op, SizeEvaluator &sizes) const {
    auto statistics = cast<StatisticsOp>(op);
    return times(countElements(statistics.getInput(), sizes),
                 statistics.getMeasure() == Measure::Kurtosis ? 6 : 1);
  }
};

/// Draws, sines and cosines are made once.
template <typename OpTy> struct MadeOnceWork : Model<MadeOnceWork<OpTy>, OpTy> {
  Count countOperations(Operation *, SizeEvaluator &) const { return 0.0; }
};

} // namespace

void attn::registerWorkOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    ActivationOp::attachInterface<ActivationWork>(*context);
    AttentionOp::attachInterface<AttentionWork>(*context);
    InitOp::attachInterface<MadeOnceWork<InitOp>>(*context);
    LinearOp::attachInterface<LinearWork>(*context);
    NormOp::attachInterface<NormWork>(*context);
    ResidualOp::attachInterface<ResidualWork>(*context);
    RopeOp::attachInterface<RopeWork>(*context);
    SinusoidalPositionsOp::attachInterface<MadeOnceWork<SinusoidalPositionsOp>>(
        *context);
    SoftmaxOp::attachInterface<SoftmaxWork>(*context);
    StatisticsOp::attachInterface<StatisticsWork>(*context);
  });
}
