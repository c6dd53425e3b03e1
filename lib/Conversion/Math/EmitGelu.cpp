//===- EmitGelu.cpp - x times the normal distribution function ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With b = -|x|, Phi(b) = exp(-x^2 / 2) R(b), where R is a quotient of two
// polynomials none of whose terms cancel. Its relative error is below 1e-7 at 0
// and grows with x^2, no faster than that of an exponential of a rounded
// square. Then x Phi(x) = max(x, 0) + b Phi(b) for both signs of x: one
// exponential, one division and no choice between ranges.
//
//===----------------------------------------------------------------------===//

#include "FloatEmitter.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using arith::CmpFPredicate;

namespace attn {
namespace {

/// R as utils/fit-gelu.py finds it, in powers of -b.
constexpr double kNumerator[] = {0.49999997, 0.340934902, 0.107570633,
                                 0.0142492922};
constexpr double kDenominator[] = {1.0, 1.47975171, 0.895842433, 0.269236863,
                                   0.0357299298};
/// From here on b Phi(b) is below the smallest number, and 2^-126 or less is
/// the power of two in it.
constexpr double kEnd = 13.27;
constexpr double kLog2E = 1.4426950408889634074;

/// The same polynomial of the negated variable.
SmallVector<double> negateVariable(ArrayRef<double> coefficients) {
  SmallVector<double> result(coefficients);
  for (size_t i = 1; i < result.size(); i += 2)
    result[i] = -result[i];
  return result;
}

Value minimum(FloatEmitter &e, Value a, Value b) {
  return e.select(e.compare(CmpFPredicate::OLT, a, b), a, b);
}
Value maximum(FloatEmitter &e, Value a, Value b) {
  return e.select(e.compare(CmpFPredicate::OGT, a, b), a, b);
}

Value emitSingle(FloatEmitter &e, Value x) {
  Value magnitude = math::AbsFOp::create(e.builder, e.loc, x);
  Value b = maximum(e, arith::NegFOp::create(e.builder, e.loc, magnitude),
                    e.constant(-kEnd));
  // 2^n for the integer n nearest to y = -x^2 log2(e) / 2, from the low bits of
  // the sum; the smallest n gives 0. y - n is computed with the opposite sign,
  // so that neither product has a second use and both may be fused.
  Value square = e.mul(b, b);
  Value magic = e.constant(12582912.0 + 127.0);
  Value biased = e.mulAdd(square, e.constant(-0.5 * kLog2E), magic);
  Value n = e.subExact(biased, magic);
  Value minusRest = e.mulAdd(square, e.constant(0.5 * kLog2E), n);
  Value power = e.polynomial(
      minusRest, negateVariable(getExp2Coefficients(/*isDouble=*/false, 5)));
  Value scale = e.fromBits(e.toExponent(e.bits(biased)));
  // The quotient is found beside the power, not after it.
  Value quotient =
      e.div(e.polynomialByPairs(b, square, negateVariable(kNumerator)),
            e.polynomialByPairs(b, square, negateVariable(kDenominator)));
  // b again, but -inf where x is: its product with 0 is NaN, as is that of
  // x and Phi(x). The quotient comes last and is the last factor.
  Value weight = e.mul(e.mul(minimum(e, x, b), scale), power);
  return e.mulAdd(weight, quotient, maximum(e, e.constant(0.0), x));
}

} // namespace

// The exponential of a rounded square is as good as that of the other form.
Value emitDeviceGelu(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  Value magnitude = math::AbsFOp::create(builder, loc, x);
  Value b = arith::MaxNumFOp::create(
      builder, loc, arith::NegFOp::create(builder, loc, magnitude),
      e.constant(-kEnd));
  Value square = e.mul(b, b);
  Value power =
      emitDeviceExp2(builder, loc, e.mul(square, e.constant(-0.5 * kLog2E)));
  Value inverse = emitDeviceReciprocal(
      builder, loc,
      e.polynomialByPairs(b, square, negateVariable(kDenominator)));
  Value weight = e.mul(arith::MinNumFOp::create(builder, loc, x, b), power);
  Value quotient = e.mul(
      e.polynomialByPairs(b, square, negateVariable(kNumerator)), inverse);
  // A NaN is that of x.
  Value positive = arith::MaximumFOp::create(builder, loc, x, e.constant(0.0));
  return e.mulAdd(weight, quotient, positive);
}

Value emitGelu(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  if (!e.isDouble())
    return emitSingle(e, x);
  Value z = e.mul(x, e.constant(-std::sqrt(0.5)));
  return e.mul(e.mul(x, e.constant(0.5)), emitErfc(builder, loc, z));
}

} // namespace attn
