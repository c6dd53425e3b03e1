//===- ResidualOps.cpp - Residual blocks --------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

#include <cmath>

using namespace mlir;
using namespace attn;

/// The constraint residual_c3 for one region.
static LogicalResult verifyRegion(ResidualOp op, Region &region,
                                  StringRef name) {
  Type type = op.getInput().getType();
  auto error = [&] {
    return op.emitOpError("residual_c3: region '")
           << name << "' takes one " << type << " and yields one";
  };
  if (!region.hasOneBlock() || region.getNumArguments() != 1 ||
      region.getArgument(0).getType() != type)
    return error();
  auto yield = dyn_cast_or_null<YieldOp>(
      region.front().empty() ? nullptr : &region.front().back());
  if (!yield || yield.getScore().getType() != type)
    return error();
  return success();
}

LogicalResult ResidualOp::verify() {
  ResidualPolicy policy = getPolicy();
  bool hasNorm =
      policy == ResidualPolicy::Pre || policy == ResidualPolicy::Post;
  if (hasNorm == getNorm().empty())
    return emitOpError("residual_c1: pre and post have a region 'norm', the "
                       "other policies none");
  if ((policy == ResidualPolicy::ReZero) != bool(getAlpha()) ||
      (policy == ResidualPolicy::Scheduled) != bool(getTime()) ||
      (policy == ResidualPolicy::Scheduled) != bool(getStep()))
    return emitOpError("residual_c2: rezero has 'alpha', scheduled has 'time' "
                       "and 'step', the other policies none of them");
  if ((hasNorm && failed(verifyRegion(*this, getNorm(), "norm"))) ||
      failed(verifyRegion(*this, getBranch(), "branch")))
    return failure();
  auto isScalar = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getRank() == 0 : value.getType().isIntOrIndexOrFloat();
  };
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  if ((getAlpha() &&
       (!isScalar(getAlpha()) || !isa<FloatType>(elementOf(getAlpha())))) ||
      (getTime() &&
       (!isScalar(getTime()) || !elementOf(getTime()).isIntOrIndex())) ||
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          elementOf(getInput())))
    return emitOpError("residual_c4: the input has float elements, alpha is "
                       "one float, time one integer");
  if (getStep()) {
    double step = getStep()->convertToDouble();
    if (!(step > 0.0) || std::isinf(step))
      return emitOpError("residual_c5: step must be positive and finite");
  }
  return success();
}
