//===- ResidualSum.cpp - Sums and factors of residual blocks --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResidualSum.h"

#include "attn/Dialect/Attn/Transforms/TensorSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace attn;

bool attn::isSqrtHalf(double number) {
  return std::fabs(number - M_SQRT1_2) < 1e-3;
}

/// alpha_t is bounded by 1, a trained alpha is not.
static bool isBounded(Value factor) {
  Operation *op = skipFloatCasts(factor).getDefiningOp();
  return isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp, arith::SelectOp>(
             op) &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           return getConstantNumber(operand) == 1.0;
         });
}

static Scaling readFactors(const ScaledTensor &product) {
  Scaling scaling;
  scaling.tensor = product.tensor;
  for (Value factor : product.factors) {
    if (auto constant = getConstantNumber(skipFloatCasts(factor)))
      scaling.constant *= *constant;
    else
      scaling.policy = !scaling.policy && isBounded(factor)
                           ? ResidualPolicy::Scheduled
                           : ResidualPolicy::ReZero;
    scaling.hasFactor = true;
  }
  return scaling;
}

std::optional<ResidualSum> attn::matchResidualSum(Operation *op) {
  std::optional<TensorSum> found = matchTensorSum(op);
  if (!found || !found->a.tensor || !found->b.tensor)
    return std::nullopt;
  ResidualSum sum;
  for (Value factor : found->factors) {
    std::optional<double> constant =
        factor ? getConstantNumber(skipFloatCasts(factor)) : std::nullopt;
    if (!constant)
      return std::nullopt;
    sum.resultFactor *= *constant;
  }
  if (isSqrtHalf(sum.resultFactor))
    sum.policy = ResidualPolicy::InvSqrt2;
  Scaling left = readFactors(found->a), right = readFactors(found->b);
  if (left.policy || (left.hasFactor && !right.hasFactor))
    std::swap(left, right);
  // The stream may have a constant factor, no other one.
  if (left.policy || left.tensor.getType() != op->getResult(0).getType())
    return std::nullopt;
  sum.a = left.tensor;
  sum.b = right.tensor;
  sum.inputFactor = left.constant;
  sum.isScaled = right.hasFactor;
  if (!right.policy)
    sum.branchFactor = right.constant;
  if (!sum.policy)
    sum.policy = right.policy;
  return sum;
}

std::optional<Scaling> attn::matchScaling(Operation *op) {
  std::optional<ScaledTensor> product = matchScaledTensor(op);
  return product ? std::optional<Scaling>(readFactors(*product)) : std::nullopt;
}
