//===- WorkModels.cpp - What each attn op costs ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpWork.h"
#include "attn/Dialect/Attn/IR/OpList.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace attn;

#include "attn/Analysis/WorkOpInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static Count countWork(AttentionOp op, SizeEvaluator &sizes) {
  return countFlops(op, sizes);
}

static Count countWork(LinearOp op, SizeEvaluator &sizes) {
  double more = (op.getBias() ? 1 : 0) + (op.isNtk() ? 1 : 0);
  // An epilogue is arithmetic on each output.
  if (Block *epilogue = op.getEpilogueBody())
    more += countBody(*epilogue);
  return add(countProducts(op, sizes),
             times(countElements(op.getOutput(), sizes), more));
}

static Count countWork(NormOp op, SizeEvaluator &sizes) {
  // A square and its sum, the division; what centring and the operands add.
  double perElement = 3 + (op.isCentered() ? 2 : 0) +
                      (op.getResidual() ? 1 : 0) + (op.getFactor() ? 1 : 0) +
                      (op.getGamma() ? 1 : 0) + (op.getBeta() ? 1 : 0);
  if (op.hasGivenStatistics())
    perElement -= 2 + (op.isCentered() ? 1 : 0);
  return times(countElements(op.getInput(), sizes), perElement);
}

static Count countWork(ResidualOp op, SizeEvaluator &sizes) {
  bool scaled =
      llvm::is_contained({ResidualPolicy::ReZero, ResidualPolicy::Scheduled,
                          ResidualPolicy::InvSqrt2},
                         op.getPolicy());
  return times(countElements(op.getInput(), sizes), scaled ? 2 : 1);
}

static Count countWork(RopeOp op, SizeEvaluator &sizes) {
  Count elements = countElements(op.getInput(), sizes);
  auto type = cast<ShapedType>(op.getInput().getType());
  std::optional<int64_t> row =
      sizes.getSize(op.getInput(), unsigned(type.getRank() - 1));
  if (!elements || !row || *row == 0)
    return elements;
  // Four products and two sums turn a pair.
  return *elements / *row * op.getNumRotated() * 3;
}

static Count countWork(ActivationOp op, SizeEvaluator &sizes) {
  double perElement =
      1 + (op.getCentered() ? 1 : 0) + (op.getUnitMoment() ? 1 : 0);
  return isa<ShapedType>(op.getInput().getType())
             ? times(countElements(op.getInput(), sizes), perElement)
             : Count(perElement);
}

static Count countWork(SoftmaxOp op, SizeEvaluator &sizes) {
  // Maximum and exp are one each, and the shift, the sum and the division; a
  // scale is one more.
  return times(countElements(op.getInput(), sizes),
               op.getScale().getFixed() == 1.0 ? 5 : 6);
}

static Count countWork(StatisticsOp op, SizeEvaluator &sizes) {
  return times(countElements(op.getInput(), sizes),
               op.getMeasure() == Measure::Kurtosis ? 6 : 1);
}

/// Draws, sines and cosines are made once.
static Count countWork(InitOp, SizeEvaluator &) { return 0.0; }
static Count countWork(SinusoidalPositionsOp, SizeEvaluator &) { return 0.0; }

//===----------------------------------------------------------------------===//
// Operands that are trained
//===----------------------------------------------------------------------===//

static SmallVector<Value> getPresent(ArrayRef<Value> operands) {
  return llvm::filter_to_vector(operands, [](Value one) { return bool(one); });
}

/// The params of a scale policy and of a normaliser that hold trained numbers.
static SmallVector<Value> getTrained(ScalePolicyAttrInterface scale,
                                     ValueRange scaleParams,
                                     NormalizerAttrInterface normalizer,
                                     ValueRange params) {
  SmallVector<Value> trained;
  auto add = [&](ArrayRef<ParamSpec> specs, ValueRange params) {
    for (auto [spec, param] : llvm::zip(specs, params))
      if (spec.element == ParamElement::Float)
        trained.push_back(param);
  };
  if (scale.isTrained())
    add(scale.getParamSpecs(), scaleParams);
  add(normalizer.getParamSpecs(), params);
  return trained;
}

static SmallVector<Value> getTrained(AttentionOp op) {
  auto slice = [&](ParamRange range) {
    return ValueRange(op.getParams()).slice(range.first, range.count);
  };
  return getTrained(op.getScale(), slice(op.getScaleParams()),
                    op.getNormalizer(), slice(op.getNormalizerParams()));
}

static SmallVector<Value> getTrained(SoftmaxOp op) {
  ValueRange params = op.getParams();
  size_t count = op.getScale().getParamSpecs().size();
  return getTrained(op.getScale(), params.take_front(count), op.getNormalizer(),
                    params.drop_front(count));
}

static SmallVector<Value> getTrained(LinearOp op) {
  return getPresent({op.getWeight(), op.getBias()});
}

static SmallVector<Value> getTrained(NormOp op) {
  return getPresent({op.getGamma(), op.getBeta()});
}

static SmallVector<Value> getTrained(ResidualOp op) {
  return getPresent({op.getAlpha()});
}

static SmallVector<Value> getTrained(Operation *) { return {}; }

namespace {
template <typename OpTy>
struct OpWorkModel : WorkOpInterface::ExternalModel<OpWorkModel<OpTy>, OpTy> {
  Count countOperations(Operation *op, SizeEvaluator &sizes) const {
    return countWork(cast<OpTy>(op), sizes);
  }
  SmallVector<Value> getTrained(Operation *op) const {
    return ::getTrained(cast<OpTy>(op));
  }
};
} // namespace

/// An op with an overload of `countWork` says what it costs.
template <typename OpTy>
using CountOf =
    decltype(countWork(std::declval<OpTy>(), std::declval<SizeEvaluator &>()));

void attn::registerWorkOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    AllOps::forEach([&](auto op) {
      using OpTy = typename decltype(op)::type;
      if constexpr (llvm::is_detected<CountOf, OpTy>::value)
        OpTy::template attachInterface<OpWorkModel<OpTy>>(*context);
    });
  });
}
