//===- DecomposeActivation.cpp - Activations as arithmetic ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/AttnToLinalg/ElementOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;

namespace attn {
namespace {

/// Arithmetic on one number or vector.
struct FunctionEmitter {
  OpBuilder &builder;
  Location loc;
  Type type;

  Value constant(double value) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    TypedAttr attribute = builder.getFloatAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(builder, loc, attribute);
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, double b) { return mul(a, constant(b)); }
  Value div(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  Value neg(Value a) { return arith::NegFOp::create(builder, loc, a); }
  Value exp(Value a) { return math::ExpOp::create(builder, loc, a); }
  /// The larger of x and 0; NaN where x is NaN.
  Value relu(Value x) {
    return arith::MaximumFOp::create(builder, loc, x, constant(0.0));
  }
  /// `above` for x > 0, else `factor` (e^x - 1).
  Value elu(Value x, Value above, double factor) {
    Value below = math::ExpM1Op::create(builder, loc, x);
    if (factor != 1.0)
      below = mul(below, factor);
    Value positive = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGT, x, constant(0.0));
    return arith::SelectOp::create(builder, loc, positive, above, below);
  }
  /// 1 + e^(-x).
  Value onePlusExp(Value x) { return add(constant(1.0), exp(neg(x))); }
  /// x/2 erfc(-x / sqrt 2), without the cancellation of 1 + erf.
  Value gelu(Value x) {
    Value tail =
        math::ErfcOp::create(builder, loc, mul(x, -1.0 / std::sqrt(2.0)));
    return mul(mul(x, 0.5), tail);
  }
  /// (1 + tanh u) / 2 = 1 / (1 + e^(-2u)).
  Value geluTanh(Value x) {
    const double factor = 2.0 * std::sqrt(2.0 / std::acos(-1.0));
    Value cube = mul(mul(x, x), x);
    return div(x, onePlusExp(mul(add(x, mul(cube, 0.044715)), factor)));
  }
  Value softplus(Value x) {
    Value magnitude = math::AbsFOp::create(builder, loc, x);
    return add(relu(x),
               math::Log1pOp::create(builder, loc, exp(neg(magnitude))));
  }
  Value relu6(Value x) {
    return arith::MinimumFOp::create(builder, loc, relu(x), constant(6.0));
  }
  Value hardSwish(Value x) {
    return mul(mul(x, relu6(add(x, constant(3.0)))), 1.0 / 6.0);
  }
  Value leakyRelu(Value x) {
    Value positive = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGT, x, constant(0.0));
    return arith::SelectOp::create(builder, loc, positive, x, mul(x, 0.01));
  }
  Value softsign(Value x) {
    Value magnitude = math::AbsFOp::create(builder, loc, x);
    return div(x, add(constant(1.0), magnitude));
  }
  /// tanh log(1 + e^x) is n / (n + 2), n = e^x (e^x + 2); by e^(-|x|), which
  /// does not overflow.
  Value mish(Value x) {
    Value e = exp(neg(math::AbsFOp::create(builder, loc, x).getResult()));
    Value twice = mul(e, 2.0);
    Value positive = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGT, x, constant(0.0));
    Value square = mul(e, e);
    auto choose = [&](Value above, Value below) -> Value {
      return arith::SelectOp::create(builder, loc, positive, above, below);
    };
    Value above = add(constant(1.0), twice), below = add(square, twice);
    return div(
        mul(x, choose(above, below)),
        add(choose(above, below), mul(choose(square, constant(1.0)), 2.0)));
  }
  Value emit(Function function, Value x);
};

Value FunctionEmitter::emit(Function function, Value x) {
  switch (function) {
  case Function::Relu:
    return relu(x);
  case Function::Elu:
    return elu(x, x, 1.0);
  case Function::Selu: {
    SeluConstants selu = solveSelu();
    return elu(x, mul(x, selu.lambda), selu.lambda * selu.alpha);
  }
  case Function::Gelu:
    return gelu(x);
  case Function::GeluTanh:
    return geluTanh(x);
  case Function::Silu:
    return div(x, onePlusExp(x));
  case Function::Sigmoid:
    return div(constant(1.0), onePlusExp(x));
  case Function::Tanh:
    return math::TanhOp::create(builder, loc, x);
  case Function::Softplus:
    return softplus(x);
  case Function::QuickGelu:
    return div(x, onePlusExp(mul(x, 1.702)));
  case Function::HardSwish:
    return hardSwish(x);
  case Function::Mish:
    return mish(x);
  case Function::ReluSquared:
    return mul(relu(x), relu(x));
  case Function::LeakyRelu:
    return leakyRelu(x);
  case Function::Relu6:
    return relu6(x);
  case Function::HardSigmoid:
    return mul(relu6(add(x, constant(3.0))), 1.0 / 6.0);
  case Function::Softsign:
    return softsign(x);
  }
  llvm_unreachable("all functions are handled");
}

Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

} // namespace

Value emitActivation(OpBuilder &builder, Location loc, Function function,
                     const OutputScale &scale, Value x) {
  Type type = x.getType();
  Type element = getElementTypeOrSelf(type);
  bool isNarrow = element.isF16() || element.isBF16();
  Type wide = isNarrow ? withElement(type, builder.getF32Type()) : type;
  FunctionEmitter emitter{builder, loc, wide};
  if (isNarrow)
    x = arith::ExtFOp::create(builder, loc, wide, x);
  Value y = emitter.emit(function, x);
  if (scale.center != 0.0)
    y = emitter.sub(y, emitter.constant(scale.center));
  if (scale.gain != 1.0)
    y = emitter.mul(y, scale.gain);
  if (isNarrow)
    y = arith::TruncFOp::create(builder, loc, type, y);
  return y;
}

LogicalResult decompose(RewriterBase &rewriter, ActivationOp op) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Function function = op.getFunction();
  OutputScale scale =
      computeOutputScale(function, op.getCentered(), op.getUnitMoment());
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type) {
    rewriter.replaceOp(
        op, emitActivation(rewriter, loc, function, scale, op.getInput()));
    return success();
  }
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, op.getInput()),
      type.getElementType(), type.getEncoding());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location loc, ValueRange arguments) {
    Value y = emitActivation(builder, loc, function, scale, arguments[0]);
    linalg::YieldOp::create(builder, loc, y);
  };
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(op, type, op.getInput(), empty,
                                                 ArrayRef{identity, identity},
                                                 loops, body);
  return success();
}

} // namespace attn
