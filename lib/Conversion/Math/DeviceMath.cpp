//===- DeviceMath.cpp - Functions that a host has in its C library --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU has no C library, and libdevice comes with the CUDA toolkit only. What
// the processor leaves to libm is computed in f64 here: it is rare, and wide
// enough for f32 and narrower to be right to the last digits.
//
//===----------------------------------------------------------------------===//

#include "FloatEmitter.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace attn {
namespace {

Value emitSine(OpBuilder &builder, Location loc, ValueRange x) {
  return emitSineAndCosine(builder, loc, x[0], /*isFused=*/true).sine;
}

Value emitCosine(OpBuilder &builder, Location loc, ValueRange x) {
  return emitSineAndCosine(builder, loc, x[0], /*isFused=*/true).cosine;
}

Value emitTangent(OpBuilder &builder, Location loc, ValueRange x) {
  SineAndCosine both = emitSineAndCosine(builder, loc, x[0], /*isFused=*/true);
  return arith::DivFOp::create(builder, loc, both.sine, both.cosine);
}

/// (e^x - e^-x) / 2 by m = e^x - 1, which loses nothing near 0: the sum of m
/// and m / (1 + m), halved. Where m is infinite the quotient is 1.
Value emitSinh(OpBuilder &builder, Location loc, ValueRange x) {
  FloatEmitter e(builder, loc, x[0].getType());
  Value size = math::AbsFOp::create(builder, loc, x[0]);
  Value m = emitExpM1(builder, loc, size);
  Value ratio =
      arith::DivFOp::create(builder, loc, m, e.add(m, e.constant(1.0)));
  Value isLarge = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                        m, e.constant(0x1p60));
  ratio = e.select(isLarge, e.constant(1.0), ratio);
  Value half = e.mul(e.add(m, ratio), e.constant(0.5));
  return math::CopySignOp::create(builder, loc, half, x[0]);
}

Value emitCosh(OpBuilder &builder, Location loc, ValueRange x) {
  FloatEmitter e(builder, loc, x[0].getType());
  Value size = math::AbsFOp::create(builder, loc, x[0]);
  Value power = emitExp(builder, loc, size);
  Value inverse = arith::DivFOp::create(builder, loc, e.constant(1.0), power);
  return e.mul(e.add(power, inverse), e.constant(0.5));
}

Value emitLog10(OpBuilder &builder, Location loc, ValueRange x) {
  FloatEmitter e(builder, loc, x[0].getType());
  return e.mul(emitLog2(builder, loc, x[0]), e.constant(M_LN2 / M_LN10));
}

/// Whether `y` is an integer, and an odd one.
std::pair<Value, Value> emitParity(FloatEmitter &e, Value y) {
  auto isWhole = [&](Value value) -> Value {
    Value floor = math::FloorOp::create(e.builder, e.loc, value);
    return arith::CmpFOp::create(e.builder, e.loc, arith::CmpFPredicate::OEQ,
                                 floor, value);
  };
  Value whole = isWhole(y), even = isWhole(e.mul(y, e.constant(0.5)));
  Value yes = arith::ConstantOp::create(e.builder, e.loc,
                                        e.builder.getOneAttr(even.getType()));
  Value odd =
      arith::AndIOp::create(e.builder, e.loc, whole,
                            arith::XOrIOp::create(e.builder, e.loc, even, yes));
  return {whole, odd};
}

/// e^(y log |x|) with the special cases of C's pow. In f64 the error is that
/// of the exponent, some |y log x| ulp.
Value emitPow(OpBuilder &builder, Location loc, ValueRange operands) {
  Value x = operands[0], y = operands[1];
  FloatEmitter e(builder, loc, x.getType());
  auto compare = [&](arith::CmpFPredicate predicate, Value a, double b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, e.constant(b))
        .getResult();
  };
  using P = arith::CmpFPredicate;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value size = math::AbsFOp::create(builder, loc, x);
  Value power = emitExp(builder, loc, e.mul(y, emitLog(builder, loc, size)));
  auto [whole, odd] = emitParity(e, y);
  Value negative = compare(P::OLT, x, 0.0);
  // Of -0, too, an odd power has the sign.
  Value signedPower = math::CopySignOp::create(builder, loc, power, x);
  Value result = e.select(odd, signedPower, power);
  Value finite = compare(P::ONE, size, infinity);
  Value undefined = arith::AndIOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, negative, finite),
      arith::XOrIOp::create(
          builder, loc, whole,
          arith::ConstantOp::create(builder, loc,
                                    builder.getOneAttr(whole.getType()))));
  result = e.select(undefined, e.constant(NAN), result);
  // Whatever the other one is.
  Value unit = arith::AndIOp::create(
      builder, loc, compare(P::OEQ, size, 1.0),
      compare(P::OEQ, math::AbsFOp::create(builder, loc, y), infinity));
  Value one = arith::OrIOp::create(builder, loc, compare(P::OEQ, y, 0.0),
                                   compare(P::OEQ, x, 1.0));
  one = arith::OrIOp::create(builder, loc, one, unit);
  return e.select(one, e.constant(1.0), result);
}

using Emitter = Value (*)(OpBuilder &, Location, ValueRange);

/// By way of f64.
template <typename OpTy> struct ExpandInF64 : OpRewritePattern<OpTy> {
  ExpandInF64(MLIRContext *context, Emitter emitter)
      : OpRewritePattern<OpTy>(context, /*benefit=*/0), emitter(emitter) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), wide = rewriter.getF64Type();
    if (auto vector = dyn_cast<VectorType>(type)) {
      if (vector.isScalable())
        return rewriter.notifyMatchFailure(op, "scalable vectors");
      wide = vector.clone(wide);
    }
    SmallVector<Value> operands(op->getOperands());
    if (type != wide)
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(rewriter, op.getLoc(), wide, operand);
    Value result = emitter(rewriter, op.getLoc(), operands);
    if (type != wide)
      result = arith::TruncFOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

  Emitter emitter;
};

/// An intrinsic of f32 on each element.
Value emitOfElements(OpBuilder &builder, Location loc, StringRef intrinsic,
                     Value x) {
  auto emit = [&](Value element) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loc, element.getType(),
                                         builder.getStringAttr(intrinsic),
                                         element)
        .getResult(0);
  };
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type)
    return emit(x);
  SmallVector<Value> elements(
      vector::ToElementsOp::create(builder, loc, x).getElements());
  for (Value &element : elements)
    element = emit(element);
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

} // namespace

Value emitDeviceExp2(OpBuilder &builder, Location loc, Value x) {
  return emitOfElements(builder, loc, "llvm.nvvm.ex2.approx.ftz.f", x);
}

Value emitDeviceReciprocal(OpBuilder &builder, Location loc, Value x) {
  return emitOfElements(builder, loc, "llvm.nvvm.rcp.approx.ftz.f", x);
}

void populateDeviceMathPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandInF64<math::SinOp>>(context, emitSine);
  patterns.add<ExpandInF64<math::CosOp>>(context, emitCosine);
  patterns.add<ExpandInF64<math::TanOp>>(context, emitTangent);
  patterns.add<ExpandInF64<math::SinhOp>>(context, emitSinh);
  patterns.add<ExpandInF64<math::CoshOp>>(context, emitCosh);
  patterns.add<ExpandInF64<math::Log10Op>>(context, emitLog10);
  patterns.add<ExpandInF64<math::PowFOp>>(context, emitPow);
}

} // namespace attn
