//===- SoftmaxRow.cpp - What the rows of a softmax share ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxRow.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace attn;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// n, where it is known now.
static std::optional<double> getFixedLength(SoftmaxOp op, LengthAttr length) {
  if (!length)
    return 1.0;
  if (std::optional<double> constant = length.getConstant())
    return constant;
  int64_t keys =
      cast<ShapedType>(op.getInput().getType()).getDimSize(op.getKeyDim());
  bool counts = length.getKind() == LengthKind::Keys ||
                length.getKind() == LengthKind::Visible ||
                length.getKind() == LengthKind::Seen;
  if (counts && !ShapedType::isDynamic(keys))
    return std::max<double>(1.0, keys);
  return std::nullopt;
}

/// n of the row as a float of at least 1.
static Value emitLength(LaneBuilder &lanes, SoftmaxOp op, LengthAttr length,
                        ValueRange params, const SoftmaxPlace &place) {
  if (std::optional<double> fixed = getFixedLength(op, length))
    return lanes.constant(*fixed);
  auto sizeOf = [&](unsigned dim) {
    return lanes.toIntLanes(place.getSize(dim));
  };
  Value count;
  if (length.getKind() == LengthKind::PositionOperand) {
    // The largest number has no next one.
    Value position = lanes.min(params.back(), lanes.integer(INT32_MAX - 1));
    count = lanes.add(position, lanes.integer(1));
  } else if (length.getKind() == LengthKind::Position) {
    count = lanes.add(place.getRow(), lanes.integer(1));
    if (op.getAlign() == Alignment::BottomRight)
      count = lanes.add(
          count, lanes.sub(sizeOf(op.getKeyDim()), sizeOf(*op.getRowDim())));
  } else {
    count = sizeOf(op.getKeyDim());
  }
  return lanes.intToFloat(lanes.max(count, lanes.integer(1)));
}

Value attn::emitSoftmaxScale(LaneBuilder &lanes, SoftmaxOp op,
                             ValueRange params, const SoftmaxPlace &place) {
  auto scale = cast<ScalePolicyAttrInterface>(op.getScale());
  int64_t headDim = op.getHeadDim() ? *op.getHeadDim() : ShapedType::kDynamic;
  LengthAttr length = scale.getLength();
  // Whatever is known now is computed now, in f64.
  if (std::optional<double> fixed = getFixedLength(op, length))
    if (auto lambda = scale.evaluate(double(headDim), *fixed))
      return lanes.constant(*lambda);
  bool hasPosition = length && length.getKind() == LengthKind::PositionOperand;
  ScaleInputs inputs;
  inputs.staticHeadDim = headDim;
  inputs.headDim = lanes.constant(double(headDim));
  if (length)
    inputs.length = emitLength(lanes, op, length, params, place);
  llvm::append_range(inputs.params, params.drop_back(hasPosition ? 1 : 0));
  // A scalar formula may read a table by a loop's index: a tensor, which
  // memrefs come too late for. As one lane it is a straight line of constants.
  bool mayReadTensors = isa<RankedTensorType>(op.getInput().getType());
  if (lanes.isVector() || mayReadTensors || !length)
    return scale.emitScale(lanes, inputs);
  LaneBuilder lane(lanes.getBuilder(), lanes.getLoc(), lanes.getElementType(),
                   /*lanes=*/1);
  inputs.headDim = lane.toFloatLanes(inputs.headDim);
  inputs.length = lane.toFloatLanes(inputs.length);
  for (Value &param : inputs.params)
    param = lane.toFloatLanes(param);
  Value lambda = scale.emitScale(lane, inputs);
  return vector::ExtractOp::create(lanes.getBuilder(), lanes.getLoc(), lambda,
                                   ArrayRef<int64_t>{0});
}

Value attn::emitSoftmaxLogExtra(LaneBuilder &lanes, SoftmaxOp op,
                                ValueRange params) {
  auto normalizer = cast<NormalizerAttrInterface>(op.getNormalizer());
  Value extra = normalizer.emitLogExtra(lanes, params);
  return extra ? extra : lanes.constant(-kInfinity);
}

/// Known scales are constants, and products with 1 fold.
static std::optional<double> getKnown(Value value) {
  Attribute known;
  if (!matchPattern(value, m_Constant(&known)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(known))
    known = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(known);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

Value attn::emitSoftmaxSign(LaneBuilder &lanes, Value scale) {
  if (std::optional<double> known = getKnown(scale))
    return lanes.constant(*known < 0.0 ? -1.0 : 1.0);
  Value isNegative =
      lanes.cmp(arith::CmpFPredicate::OLT, scale, lanes.constant(0.0));
  return lanes.select(isNegative, lanes.constant(-1.0), lanes.constant(1.0));
}

/// Weights of at most exp(kFlat) are neither too large to be added up nor too
/// small beside what e0 may be; those below exp(-kFlat) are nothing beside 1.
constexpr double kFlat = 40.0;

/// Whether a score may be further from `top` than the largest number, though
/// lambda times that distance is not; null where it cannot be. The scores wait
/// for this: so the product with lambda is turned into a bound.
static Value emitIsFarAndFlat(LaneBuilder &lanes, Value scale, Value top) {
  const llvm::fltSemantics &semantics =
      lanes.getElementType().getFloatSemantics();
  // Half of the largest number's last digit.
  double far =
      std::ldexp(1.0, llvm::APFloat::semanticsMaxExponent(semantics) -
                          int(llvm::APFloat::semanticsPrecision(semantics)));
  std::optional<double> known = getKnown(scale);
  if (known && std::abs(*known) * far > kFlat)
    return {};
  Value bound = lanes.div(lanes.constant(kFlat), lanes.abs(scale));
  Value size = lanes.abs(top);
  return arith::AndIOp::create(
      lanes.getBuilder(), lanes.getLoc(),
      lanes.cmp(arith::CmpFPredicate::OGE, size, lanes.constant(far)),
      lanes.cmp(arith::CmpFPredicate::OLE, size, bound));
}

SoftmaxWeighting attn::emitSoftmaxWeighting(LaneBuilder &lanes, Value scale,
                                            Value maximum) {
  Value isFromZero =
      lanes.cmp(arith::CmpFPredicate::OEQ, maximum, lanes.constant(-kInfinity));
  if (Value isFar = emitIsFarAndFlat(lanes, scale, maximum))
    isFromZero = arith::OrIOp::create(lanes.getBuilder(), lanes.getLoc(),
                                      isFromZero, isFar);
  Value top = lanes.select(isFromZero, lanes.constant(0.0), maximum);
  return {lanes.neg(lanes.mul(top, emitSoftmaxSign(lanes, scale))), scale};
}

Value attn::emitSoftmaxDistance(LaneBuilder &lanes, Value x,
                                const SoftmaxWeighting &row) {
  auto spread = [&](Value value) {
    return isa<VectorType>(value.getType()) ? value : lanes.toFloatLanes(value);
  };
  return lanes.mul(lanes.add(x, spread(row.shift)), spread(row.scale));
}

Value attn::emitSoftmaxExtra(LaneBuilder &lanes, Value logExtra,
                             const SoftmaxWeighting &row) {
  Value isNothing = lanes.cmp(arith::CmpFPredicate::OEQ, logExtra,
                              lanes.constant(-kInfinity));
  Value distance = lanes.mul(row.shift, row.scale);
  return lanes.select(isNothing, lanes.constant(0.0),
                      lanes.exp(lanes.add(logExtra, distance)));
}
