//===- FormGelu.cpp - Products with an error function as one function -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x/2 erfc(-x / sqrt 2), as attn.activation has it, and x/2 (1 + erf(x /
// sqrt 2)), as frameworks export it, with the products in any order.
//
//===----------------------------------------------------------------------===//

#include "EmitGeluTable.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;

namespace attn {
namespace {

/// A number, or a vector of one.
std::optional<double> getConstant(Value value) {
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValueAsDouble();
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<APFloat>().convertToDouble();
  return std::nullopt;
}

/// factor * base.
struct Scaled {
  Value base;
  double factor;
};

/// Takes a factor, a divisor or a sign off a value.
std::optional<Scaled> takeFactor(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::NegFOp>(op))
    return Scaled{op->getOperand(0), -1.0};
  if (!isa<arith::MulFOp, arith::DivFOp>(op))
    return std::nullopt;
  if (std::optional<double> right = getConstant(op->getOperand(1)))
    return Scaled{op->getOperand(0),
                  isa<arith::MulFOp>(op) ? *right : 1.0 / *right};
  if (std::optional<double> left = getConstant(op->getOperand(0));
      left && isa<arith::MulFOp>(op))
    return Scaled{op->getOperand(1), *left};
  return std::nullopt;
}

/// Whether these are the same but for the rounding of a few operations.
bool isNear(double a, double b, Type type) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  double unit = std::ldexp(1.0, -int(element.getFPMantissaWidth()));
  return std::abs(a - b) <= 2.0 * unit * std::abs(b);
}

/// The x of an error function of x / sqrt 2 times `sign`.
Value getArgument(Value argument, double sign) {
  double factor = sign;
  // -(x c) and (-x) c, at most.
  for (int i = 0; i < 3; ++i) {
    std::optional<Scaled> scaled = takeFactor(argument);
    if (!scaled)
      return {};
    factor *= scaled->factor;
    argument = scaled->base;
    if (isNear(factor, std::sqrt(0.5), argument.getType()))
      return argument;
  }
  return {};
}

/// Follows the only uses of `value`, which is 2 Phi(x), up to where it has been
/// multiplied by x / 2; null if that does not happen.
Operation *findProduct(Value value, Value x) {
  double factor = 2.0;
  bool hasX = false;
  Operation *last = nullptr;
  while (!hasX || factor != 1.0) {
    if (!value.hasOneUse())
      return nullptr;
    last = *value.user_begin();
    if (std::optional<Scaled> scaled = takeFactor(
            last->getNumResults() == 1 ? last->getResult(0) : Value());
        scaled && scaled->base == value) {
      factor *= scaled->factor;
    } else if (isa<arith::MulFOp>(last) && !hasX) {
      Value other = last->getOperand(last->getOperand(0) == value ? 1 : 0);
      if (other != x) {
        std::optional<Scaled> part = takeFactor(other);
        if (!part || part->base != x)
          return nullptr;
        factor *= part->factor;
      }
      hasX = true;
    } else {
      return nullptr;
    }
    value = last->getResult(0);
  }
  return last;
}

/// These come before the error functions become arithmetic.
constexpr unsigned kBeforeArithmetic = 2;

bool isSupported(Type type) {
  Type element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  return (element.isF32() || element.isF16() || element.isBF16()) &&
         !(vector && vector.isScalable());
}

enum class GeluForm { Quotient, Table, Device };

Value emitForm(PatternRewriter &rewriter, Location loc, Value x,
               GeluForm form) {
  if (form == GeluForm::Device)
    return emitDeviceGelu(rewriter, loc, x);
  return form == GeluForm::Table && canEmitGeluByTable(x.getType())
             ? emitGeluByTable(rewriter, loc, x)
             : emitGelu(rewriter, loc, x);
}

/// Replaces the product that `value`, 2 Phi(x), gets into.
LogicalResult formGelu(PatternRewriter &rewriter, Value value, Value x,
                       GeluForm form) {
  Operation *product = x ? findProduct(value, x) : nullptr;
  if (!product)
    return failure();
  rewriter.setInsertionPoint(product);
  Location loc = product->getLoc();
  Type type = x.getType();
  if (getElementTypeOrSelf(type).isF32()) {
    rewriter.replaceOp(product, emitForm(rewriter, loc, x, form));
    return success();
  }
  Type wide = rewriter.getF32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  x = arith::ExtFOp::create(rewriter, loc, wide, x);
  Value y = emitForm(rewriter, loc, x, form);
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(product, type, y);
  return success();
}

/// The table where the target has its instructions and the op may be less
/// accurate far below 0.
GeluForm getForm(const TargetDescription &target,
                 arith::ArithFastMathInterface op) {
  if (target.gpu)
    return GeluForm::Device;
  bool mayUseTable = arith::bitEnumContainsAll(
      op.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn);
  return target.hasAVX512 && mayUseTable ? GeluForm::Table : GeluForm::Quotient;
}

struct FormFromErfc : OpRewritePattern<math::ErfcOp> {
  FormFromErfc(MLIRContext *context, const TargetDescription &target)
      : OpRewritePattern(context, kBeforeArithmetic), target(target) {}

  LogicalResult matchAndRewrite(math::ErfcOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSupported(op.getType()))
      return rewriter.notifyMatchFailure(op, "no gelu of this type");
    return formGelu(rewriter, op, getArgument(op.getOperand(), -1.0),
                    getForm(target, op));
  }

  TargetDescription target;
};

struct FormFromErf : OpRewritePattern<math::ErfOp> {
  FormFromErf(MLIRContext *context, const TargetDescription &target)
      : OpRewritePattern(context, kBeforeArithmetic), target(target) {}

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSupported(op.getType()) || !op->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no gelu of this type or use");
    auto sum = dyn_cast<arith::AddFOp>(*op->user_begin());
    if (!sum ||
        getConstant(sum.getLhs() == op.getResult() ? sum.getRhs()
                                                   : sum.getLhs()) != 1.0)
      return rewriter.notifyMatchFailure(op, "not 1 + erf");
    return formGelu(rewriter, sum, getArgument(op.getOperand(), 1.0),
                    getForm(target, op));
  }

  TargetDescription target;
};

} // namespace

void populateGeluPatterns(RewritePatternSet &patterns,
                          const TargetDescription &target) {
  patterns.add<FormFromErfc, FormFromErf>(patterns.getContext(), target);
}

} // namespace attn
