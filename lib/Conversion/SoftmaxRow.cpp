//===- SoftmaxRow.cpp - What the rows of a softmax share ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxRow.h"

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
                length.getKind() == LengthKind::Visible;
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
    count = lanes.add(params.back(), lanes.integer(1));
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
  return scale.emitScale(lanes, inputs);
}

Value attn::emitSoftmaxLogExtra(LaneBuilder &lanes, SoftmaxOp op,
                                ValueRange params) {
  auto normalizer = cast<NormalizerAttrInterface>(op.getNormalizer());
  Value extra = normalizer.emitLogExtra(lanes, params);
  return extra ? extra : lanes.constant(-kInfinity);
}

Value attn::emitSoftmaxShift(LaneBuilder &lanes, Value top) {
  Value isEmpty =
      lanes.cmp(arith::CmpFPredicate::OEQ, top, lanes.constant(-kInfinity));
  return lanes.neg(lanes.select(isEmpty, lanes.constant(0.0), top));
}

Value attn::emitSoftmaxExtra(LaneBuilder &lanes, Value logExtra, Value top) {
  Value zero = lanes.constant(0.0), one = lanes.constant(1.0);
  Value isTop = lanes.cmp(arith::CmpFPredicate::OEQ, logExtra, top);
  Value isNothing = lanes.cmp(arith::CmpFPredicate::OEQ, logExtra,
                              lanes.constant(-kInfinity));
  Value weight = lanes.exp(lanes.add(logExtra, emitSoftmaxShift(lanes, top)));
  Value extra = lanes.select(isTop, one, weight);
  return lanes.select(isNothing, zero, extra);
}
