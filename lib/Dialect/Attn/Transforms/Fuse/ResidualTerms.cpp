//===- ResidualTerms.cpp - The two terms of a residual sum ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResidualTerms.h"

#include "attn/Dialect/Attn/Transforms/TensorSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

/// Whether the one factor, if any, is a number outside of bodies.
static bool isSimple(const ScaledTensor &term) {
  auto isOutside = [](Value factor) {
    return getConstantNumber(factor) ||
           !isa<linalg::LinalgOp>(factor.getParentBlock()->getParentOp());
  };
  return term.tensor && term.factors.size() <= 1 &&
         llvm::all_of(term.factors, isOutside);
}

/// The product that a term is where nobody else needs it.
static void readProduct(ScaledTensor &term) {
  Value value = skipFloatCasts(term.tensor);
  if (!term.factors.empty() || !value.hasOneUse())
    return;
  std::optional<ScaledTensor> product =
      matchScaledTensor(value.getDefiningOp());
  if (product && isSimple(*product))
    term = *product;
}

std::optional<ResidualTerms> attn::readResidualTerms(Value sum,
                                                     std::string &reason) {
  std::optional<TensorSum> terms =
      matchTensorSum(skipFloatCasts(sum).getDefiningOp());
  if (!terms)
    return std::nullopt;
  if (!terms->factors.empty()) {
    reason = "the sum is multiplied before the norm";
    return std::nullopt;
  }
  auto &[x, branch, factors] = *terms;
  if (!isSimple(x) || !isSimple(branch)) {
    reason = "an addend is neither a tensor of the sum's shape nor its product "
             "with a number";
    return std::nullopt;
  }
  // A product may also be an op of its own.
  readProduct(x);
  readProduct(branch);
  // A tensor and a number are no residual sum.
  if (getSharedNumber(x.tensor) || getSharedNumber(branch.tensor))
    return std::nullopt;
  if (!x.factors.empty() && !branch.factors.empty()) {
    reason = "both addends have factors";
    return std::nullopt;
  }
  if (!x.factors.empty())
    std::swap(x, branch);
  // Neither of them is broadcast; what is widened for the sum alone is read as
  // it is.
  for (Value *tensor : {&x.tensor, &branch.tensor})
    if (tensor->getType() != sum.getType())
      *tensor = skipFloatCasts(*tensor);
  if (x.tensor.getType() != sum.getType() ||
      branch.tensor.getType() != sum.getType()) {
    reason = "an addend has another type than the sum";
    return std::nullopt;
  }
  return ResidualTerms{x.tensor, branch.tensor,
                       branch.factors.empty() ? Value() : branch.factors[0]};
}

Value attn::createFactor(OpBuilder &builder, Location loc, Value factor,
                         FloatType type) {
  if (std::optional<double> number = getConstantNumber(factor))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, *number));
  if (auto tensor = dyn_cast<RankedTensorType>(factor.getType())) {
    SmallVector<Value> zeros(tensor.getRank());
    for (Value &zero : zeros)
      zero = arith::ConstantIndexOp::create(builder, loc, 0);
    factor = tensor::ExtractOp::create(builder, loc, factor, zeros);
  }
  unsigned width = cast<FloatType>(factor.getType()).getWidth();
  if (width < type.getWidth())
    return arith::ExtFOp::create(builder, loc, type, factor);
  if (width > type.getWidth())
    return arith::TruncFOp::create(builder, loc, type, factor);
  return factor;
}
