//===- LaneBuilder.cpp - Arithmetic on a scalar or on lanes ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/LaneBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include <limits>

using namespace mlir;
using namespace attn;

LaneBuilder::LaneBuilder(OpBuilder &builder, Location loc, FloatType floatType,
                         int64_t lanes, LaneOptions options)
    : builder(builder), loc(loc), element(floatType), lanes(lanes),
      options(options) {}

Type LaneBuilder::lanesOf(Type type) const {
  return isVector() ? Type(VectorType::get({lanes}, type)) : type;
}

Type LaneBuilder::getFloatType() const { return lanesOf(element); }

Type LaneBuilder::getIntType() const {
  return isVector() || options.narrowInts ? lanesOf(builder.getI32Type())
                                          : Type(builder.getIndexType());
}

Type LaneBuilder::getBoolType() const { return lanesOf(builder.getI1Type()); }

//===----------------------------------------------------------------------===//
// Constants and conversions
//===----------------------------------------------------------------------===//

/// A scalar or splat constant of `type`.
static Value createConstant(OpBuilder &builder, Location loc, Type type,
                            TypedAttr scalar) {
  TypedAttr value = scalar;
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(scalar));
  return arith::ConstantOp::create(builder, loc, value);
}

Value LaneBuilder::constant(double value) {
  return createConstant(builder, loc, getFloatType(),
                        builder.getFloatAttr(element, value));
}

Value LaneBuilder::integer(int64_t value) {
  Type scalar = getElementTypeOrSelf(getIntType());
  return createConstant(builder, loc, getIntType(),
                        builder.getIntegerAttr(scalar, value));
}

Value LaneBuilder::boolean(bool value) {
  return createConstant(builder, loc, getBoolType(),
                        builder.getIntegerAttr(builder.getI1Type(), value));
}

Value LaneBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value LaneBuilder::splat(Value scalar) {
  if (!isVector())
    return scalar;
  return vector::BroadcastOp::create(builder, loc, lanesOf(scalar.getType()),
                                     scalar);
}

Value LaneBuilder::toFloatLanes(Value scalar) {
  Type type = scalar.getType();
  if (type.isIndex()) {
    scalar =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), scalar);
    type = scalar.getType();
  }
  if (isa<IntegerType>(type)) {
    scalar = arith::SIToFPOp::create(builder, loc, element, scalar);
  } else if (type != element) {
    if (type.getIntOrFloatBitWidth() < element.getWidth())
      scalar = arith::ExtFOp::create(builder, loc, element, scalar);
    else
      scalar = arith::TruncFOp::create(builder, loc, element, scalar);
  }
  return splat(scalar);
}

Value LaneBuilder::toIntLanes(Value scalar) {
  Type wanted = getElementTypeOrSelf(getIntType());
  if (scalar.getType() != wanted) {
    bool index = wanted.isIndex() || scalar.getType().isIndex();
    unsigned from = index ? 0 : scalar.getType().getIntOrFloatBitWidth();
    if (index)
      scalar = arith::IndexCastOp::create(builder, loc, wanted, scalar);
    else if (from < 32)
      scalar = arith::ExtSIOp::create(builder, loc, wanted, scalar);
    else
      scalar = arith::TruncIOp::create(builder, loc, wanted, scalar);
  }
  return splat(scalar);
}

Value LaneBuilder::toBoolLanes(Value scalar) {
  if (!scalar.getType().isInteger(1)) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(scalar.getType(), 0));
    scalar = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                   scalar, zero);
  }
  return splat(scalar);
}

Value LaneBuilder::iota() {
  if (!isVector())
    return integer(0);
  SmallVector<int32_t> values(lanes);
  for (int64_t i = 0; i < lanes; ++i)
    values[i] = i;
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(cast<VectorType>(getIntType()), ArrayRef(values)));
}

Value LaneBuilder::intToFloat(Value ints) {
  if (isVector())
    return arith::SIToFPOp::create(builder, loc, getFloatType(), ints);
  return toFloatLanes(ints);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

#define ATTN_LANES_BINARY(NAME, FLOAT_OP, INT_OP)                              \
  Value LaneBuilder::NAME(Value a, Value b) {                                  \
    if (isFloat(a))                                                            \
      return FLOAT_OP::create(builder, loc, a, b);                             \
    return INT_OP::create(builder, loc, a, b);                                 \
  }
ATTN_LANES_BINARY(add, arith::AddFOp, arith::AddIOp)
ATTN_LANES_BINARY(sub, arith::SubFOp, arith::SubIOp)
ATTN_LANES_BINARY(mul, arith::MulFOp, arith::MulIOp)
ATTN_LANES_BINARY(div, arith::DivFOp, arith::DivSIOp)
#undef ATTN_LANES_BINARY

Value LaneBuilder::fma(Value a, Value b, Value c) {
  return math::FmaOp::create(builder, loc, a, b, c);
}

Value LaneBuilder::mulFinite(Value a, double factor) {
  if (factor == 1.0)
    return a;
  Value product = mul(a, constant(factor));
  Value lowest = constant(-std::numeric_limits<double>::infinity());
  Value overflows = cmp(arith::CmpFPredicate::OEQ, product, lowest);
  return select(overflows, a, product);
}

Value LaneBuilder::neg(Value a) {
  return isFloat(a) ? Value(arith::NegFOp::create(builder, loc, a))
                    : sub(integer(0), a);
}

Value LaneBuilder::abs(Value a) {
  return isFloat(a) ? Value(math::AbsFOp::create(builder, loc, a))
                    : max(a, neg(a));
}

// Compare and select become one machine instruction; arith.maximumf would add
// the handling of NaN and signed zeros.
Value LaneBuilder::max(Value a, Value b) {
  if (isFloat(a) && options.numericExtrema)
    return arith::MaxNumFOp::create(builder, loc, a, b);
  if (isFloat(a))
    return select(cmp(arith::CmpFPredicate::OGT, a, b), a, b);
  return arith::MaxSIOp::create(builder, loc, a, b);
}

Value LaneBuilder::min(Value a, Value b) {
  if (isFloat(a) && options.numericExtrema)
    return arith::MinNumFOp::create(builder, loc, a, b);
  if (isFloat(a))
    return select(cmp(arith::CmpFPredicate::OLT, a, b), a, b);
  return arith::MinSIOp::create(builder, loc, a, b);
}

#define ATTN_LANES_UNARY(NAME, OP)                                             \
  Value LaneBuilder::NAME(Value a) { return OP::create(builder, loc, a); }
ATTN_LANES_UNARY(sqrt, math::SqrtOp)
ATTN_LANES_UNARY(exp, math::ExpOp)
ATTN_LANES_UNARY(exp2, math::Exp2Op)
ATTN_LANES_UNARY(log, math::LogOp)
ATTN_LANES_UNARY(log2, math::Log2Op)
ATTN_LANES_UNARY(tanh, math::TanhOp)
#undef ATTN_LANES_UNARY

Value LaneBuilder::cmp(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}

Value LaneBuilder::cmp(arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, predicate, a, b);
}

Value LaneBuilder::bitAnd(Value a, Value b) {
  return arith::AndIOp::create(builder, loc, a, b);
}

Value LaneBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

Value LaneBuilder::cloneBody(Block &body, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &inner : body.without_terminator()) {
    Operation *clone = builder.clone(inner, mapping);
    if (!isVector())
      continue;
    // Constants are spread over the lanes; every other op is elementwise.
    if (clone->hasTrait<OpTrait::ConstantLike>()) {
      mapping.map(inner.getResult(0), splat(clone->getResult(0)));
      continue;
    }
    for (OpResult result : clone->getResults())
      result.setType(VectorType::get({lanes}, result.getType()));
  }
  return mapping.lookup(body.getTerminator()->getOperand(0));
}
