//===- InitOps.cpp - Initial weights ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace attn;

SmallVector<int64_t> InitOp::getFanInDims() {
  return getFanIn() ? llvm::to_vector(*getFanIn()) : SmallVector<int64_t>{0};
}

SmallVector<int64_t> InitOp::getFanOutDims() {
  return getFanOut() ? llvm::to_vector(*getFanOut()) : SmallVector<int64_t>{1};
}

std::pair<double, double> InitOp::getCutInterval() {
  if (getCut())
    return {(*getCut())[0], (*getCut())[1]};
  return {-2.0, 2.0};
}

bool InitOp::usesFanIn() {
  VarianceRule rule = getVariance();
  return rule != VarianceRule::Constant && rule != VarianceRule::Zero;
}

LogicalResult InitOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getOutput()));
  return success();
}

//===----------------------------------------------------------------------===//
// Constraints, labelled as in docs/Spec.md
//===----------------------------------------------------------------------===//

/// init_c3: fans are stated or customary, and lie in the tensor.
static LogicalResult verifyFans(InitOp op) {
  int64_t rank = op.getOutput().getType().getRank();
  bool usesFanOut = op.getVariance() == VarianceRule::Xavier;
  if ((!op.usesFanIn() && op.getFanIn()) || (!usesFanOut && op.getFanOut()))
    return op.emitOpError("init_c3: the variance does not depend on the fan "
                          "that is stated");
  if ((op.usesFanIn() && !op.getFanIn() && rank != 2) ||
      (usesFanOut && !op.getFanOut() && rank != 2))
    return op.emitOpError("init_c3: a tensor that has not rank 2 needs "
                          "'fan_in', and 'fan_out' for xavier");
  auto isBad = [&](ArrayRef<int64_t> dims) {
    llvm::SmallDenseSet<int64_t> seen;
    return llvm::any_of(dims, [&](int64_t dim) {
      return dim < 0 || dim >= rank || !seen.insert(dim).second;
    });
  };
  if ((op.getFanIn() && isBad(*op.getFanIn())) ||
      (op.getFanOut() && isBad(*op.getFanOut())))
    return op.emitOpError("init_c3: a fan lists dimensions of the tensor, each "
                          "once");
  return success();
}

/// init_c4: the interval has an inside that is not too rare to draw from.
static LogicalResult verifyCut(InitOp op) {
  if (!op.getCut())
    return success();
  if (op.getDistribution() != Distribution::TruncatedNormal)
    return op.emitOpError("init_c4: only a truncated normal has a cut");
  ArrayRef<double> cut = *op.getCut();
  auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  if (cut.size() != 2 || !(cut[0] < cut[1]) ||
      !(below(cut[1]) - below(cut[0]) >= 1e-3))
    return op.emitOpError(
        "init_c4: a cut has two increasing numbers with at "
        "least 0.001 of the normal distribution between them");
  return success();
}

/// Whether |f| is at most 1 everywhere, and its second moment so below 1.
static bool isBounded(Function function) {
  return function == Function::Tanh || function == Function::Sigmoid ||
         function == Function::HardSigmoid || function == Function::Softsign;
}

LogicalResult InitOp::verify() {
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          getOutput().getType().getElementType()))
    return emitOpError("init_c1: elements are f16, bf16, f32 or f64");
  VarianceRule rule = getVariance();
  if ((rule == VarianceRule::Constant) != bool(getValue()) ||
      (rule == VarianceRule::Solved) != bool(getFunction()) ||
      (rule == VarianceRule::T5) != bool(getHeadDim()))
    return emitOpError("init_c2: constant has 'value', solved has 'of', t5 has "
                       "'head_dim', the other rules none of them");
  auto isFinite = [](std::optional<APFloat> x) { return !x || x->isFinite(); };
  if (!isFinite(getMean()) || !isFinite(getValue()) ||
      (getValue() && getValue()->isNegative()) ||
      (getHeadDim() && *getHeadDim() < 1))
    return emitOpError("init_c2: the mean is finite, 'value' finite and not "
                       "negative, 'head_dim' positive");
  if (failed(verifyFans(*this)) || failed(verifyCut(*this)))
    return failure();
  if (getFunction() && isBounded(*getFunction()))
    return emitOpError("init_c5: E f(sigma z)^2 = 1 has no solution for ")
           << stringifyFunction(*getFunction())
           << ", which stays below 1 in magnitude";
  return success();
}
