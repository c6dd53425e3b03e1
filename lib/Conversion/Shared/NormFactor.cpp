//===- NormFactor.cpp - What a norm multiplies with -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormFactor.h"
#include "ConvertFloat.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

Value attn::emitNormFactor(LaneBuilder &lanes, NormOp op, Value variance) {
  return emitNormFactor(lanes, op.getEps().convertToDouble(), op.getEpsMode(),
                        variance);
}

Value attn::emitNormFactor(LaneBuilder &lanes, double eps, EpsMode mode,
                           Value variance) {
  // The inverse of a smaller number would be infinite, and 0 times it no
  // number.
  if (mode == EpsMode::MaxNorm && eps > 0 &&
      getElementTypeOrSelf(lanes.getFloatType()).isF32())
    eps = std::max<double>(eps, std::numeric_limits<float>::min());
  Value bound = lanes.constant(eps);
  // The maximum returns its second argument where that is NaN.
  Value root = mode == EpsMode::RsqrtSum
                   ? lanes.sqrt(lanes.add(variance, bound))
                   : lanes.max(bound, lanes.sqrt(variance));
  Value zero = lanes.constant(0.0);
  Value isZero = lanes.cmp(arith::CmpFPredicate::OEQ, root, zero);
  return lanes.select(isZero, zero, lanes.div(lanes.constant(1.0), root));
}

Value attn::emitNormFactor(LaneBuilder &lanes, CosineAttr cosine,
                           Value squares) {
  return emitNormFactor(lanes, cosine.getEps(), cosine.getMode(), squares);
}

Value attn::emitScaledSum(LaneBuilder &lanes, Value x, Value residual,
                          Value factor) {
  if (factor)
    residual = lanes.mul(lanes.toFloatLanes(factor), residual);
  return lanes.add(x, residual);
}

Value attn::emitResidualSum(LaneBuilder &lanes, NormOp op, Value x,
                            Value residual) {
  Value sum = emitScaledSum(lanes, x, residual, op.getFactor());
  Type stored = getElementTypeOrSelf(op.getInput()), wide = sum.getType();
  if (lanes.isVector())
    stored = VectorType::get(lanes.getLanes(), stored);
  OpBuilder &b = lanes.getBuilder();
  Location loc = lanes.getLoc();
  return convertFloat(b, loc, convertFloat(b, loc, sum, stored), wide);
}

Value attn::emitRunning(LaneBuilder &lanes, NormOp op, Value running,
                        Value batch) {
  double momentum = op.getMomentum()->convertToDouble();
  return lanes.add(lanes.mul(lanes.constant(1.0 - momentum), running),
                   lanes.mul(lanes.constant(momentum), batch));
}

void attn::emitRunningUpdates(
    LaneBuilder &lanes, NormOp op, Value mean, Value variance, Value count,
    llvm::function_ref<void(Value memref, Value batch)> update) {
  if (op.getRunningMean())
    update(op.getRunningMean(), mean);
  if (!op.getRunningVariance())
    return;
  if (op.getUnbiased()) {
    LaneBuilder scalars(lanes.getBuilder(), lanes.getLoc(),
                        lanes.getElementType());
    Value factor = emitUnbiased(scalars, count);
    variance = lanes.mul(variance, lanes.toFloatLanes(factor));
  }
  update(op.getRunningVariance(), variance);
}

Value attn::emitUnbiased(LaneBuilder &lanes, Value count) {
  return lanes.div(count, lanes.sub(count, lanes.constant(1.0)));
}

void attn::emitUnbiasedCheck(OpBuilder &builder, NormOp op, Value count) {
  auto type = cast<ShapedType>(op.getInput().getType());
  bool isKnown = llvm::none_of(
      op.getAxes(), [&](int64_t axis) { return type.isDynamicDim(axis); });
  if (!op.getUnbiased() || isKnown)
    return;
  Location loc = op.getLoc();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value several =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, count, one);
  cf::AssertOp::create(builder, loc, several,
                       "the unbiased variance of one sample does not exist");
}

Value attn::emitNormalised(LaneBuilder &lanes, Value x, Value mean,
                           Value factor, Value gamma, Value beta) {
  Value result = lanes.mul(mean ? lanes.sub(x, mean) : x, factor);
  if (gamma && beta)
    return lanes.fma(result, gamma, beta);
  if (gamma)
    return lanes.mul(result, gamma);
  return beta ? lanes.add(result, beta) : result;
}
