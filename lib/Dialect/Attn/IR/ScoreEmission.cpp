//===- ScoreEmission.cpp - Biases and normalisers as IR -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Biases
//===----------------------------------------------------------------------===//

/// A row of nothing but the lowest number weighs its keys alike, so no finite
/// bias may become -inf.
Value DenseBiasAttr::emitBias(LaneBuilder &lanes,
                              const ElementInputs &where) const {
  return lanes.mulFinite(where.params[0], where.unit);
}

/// log2 of the slope of head h of H: with P the largest power of two <= H,
/// -8 (h + 1) / P for h < P, then every second slope of 2P:
/// -4 (2 (h - P) + 1) / P.
static Value emitAlibiSlopeExponent(LaneBuilder &lanes, Value head,
                                    Value numHeads) {
  OpBuilder &builder = lanes.getBuilder();
  Location loc = lanes.getLoc();
  Type i64 = builder.getI64Type();
  Value heads = arith::IndexCastOp::create(builder, loc, i64, numHeads);
  Value zeros = math::CountLeadingZerosOp::create(builder, loc, heads);
  Value top = arith::SubIOp::create(
      builder, loc,
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(63)),
      zeros);
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  Value power = lanes.toIntLanes(arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      arith::ShLIOp::create(builder, loc, one, top)));

  Value next = lanes.add(head, lanes.integer(1));
  Value low = lanes.mul(next, lanes.integer(-8));
  Value past = lanes.sub(head, power);
  Value odd = lanes.add(lanes.add(past, past), lanes.integer(1));
  Value high = lanes.mul(odd, lanes.integer(-4));
  Value inFirst = lanes.cmp(arith::CmpIPredicate::slt, head, power);
  Value numerator = lanes.select(inFirst, low, high);
  return lanes.div(lanes.intToFloat(numerator), lanes.intToFloat(power));
}

/// The negated slope.
Value AlibiAttr::prepareBias(LaneBuilder &lanes,
                             const ElementInputs &where) const {
  Value slope = getOperandSlopes() ? where.params[0]
                                   : lanes.exp2(emitAlibiSlopeExponent(
                                         lanes, where.head, where.numHeads));
  return lanes.mul(slope, lanes.constant(-where.unit));
}

SmallVector<double> AlibiAttr::getSlopes(int64_t heads) const {
  auto power = int64_t(llvm::bit_floor(uint64_t(heads)));
  return llvm::map_to_vector(llvm::seq(heads), [&](int64_t head) {
    int64_t exponent =
        head < power ? -8 * (head + 1) : -4 * (2 * (head - power) + 1);
    return std::exp2(double(exponent) / double(power));
  });
}

Value AlibiAttr::emitBias(LaneBuilder &lanes,
                          const ElementInputs &where) const {
  Value slope = where.prepared ? where.prepared : prepareBias(lanes, where);
  return lanes.mul(slope, where.distance);
}

//===----------------------------------------------------------------------===//
// Normalisers
//===----------------------------------------------------------------------===//

std::optional<double> SoftmaxNormAttr::evaluate() const { return 0.0; }
std::optional<double> Softmax1Attr::evaluate() const { return 1.0; }
std::optional<double> SoftmaxNAttr::evaluate() const { return getCount(); }

Value SoftmaxNormAttr::emitLogExtra(LaneBuilder &, ValueRange) const {
  return {};
}

Value Softmax1Attr::emitLogExtra(LaneBuilder &lanes, ValueRange) const {
  return lanes.constant(0.0);
}

Value SoftmaxNAttr::emitLogExtra(LaneBuilder &lanes, ValueRange) const {
  return getCount() == 0.0 ? Value() : lanes.constant(std::log(getCount()));
}

Value SinkAttr::emitLogExtra(LaneBuilder &, ValueRange params) const {
  return params[0];
}
