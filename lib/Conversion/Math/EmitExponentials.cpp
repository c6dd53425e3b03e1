//===- EmitExponentials.cpp - exp, exp2, powers, expm1,
// tanh----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x = n * step + r with n rounded to nearest by adding 1.5 * 2^(mantissa bits),
// which leaves n in the low bits of the sum: shifted left they are 2^n for the
// exponent field of a polynomial in r. Outside the range in which that holds
// the result is garbage, which a select discards.
//
//===----------------------------------------------------------------------===//

#include "FloatEmitter.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using arith::CmpFPredicate;

namespace attn {

/// Minimax polynomials for 2^r on [-0.5, 0.5] that are exactly 1 at 0, so that
/// 2^n is exact.
ArrayRef<double> getExp2Coefficients(bool isDouble, unsigned degree) {
  static constexpr double degree3[] = {1.0, 0.693282930428, 0.242210961789,
                                       0.0550089194793};
  static constexpr double degree4[] = {1.0, 0.693124193482, 0.240240986552,
                                       0.0559064244608, 0.0095828513629};
  static constexpr double degree5[] = {1.0,
                                       0.693146977636,
                                       0.240222420782,
                                       0.0555073370038,
                                       0.00967151297048,
                                       0.00132647387494};
  static constexpr double degree6[] = {1.0,
                                       0.693147202855,
                                       0.240226479137,
                                       0.0555033247124,
                                       0.00961843734123,
                                       0.00133988743837,
                                       0.000153533667454};
  // ln(2)^k / k!, which is as good as minimax at this degree.
  static constexpr double f64[] = {1.0,
                                   6.9314718055994531e-01,
                                   2.4022650695910071e-01,
                                   5.5504108664821580e-02,
                                   9.6181291076284772e-03,
                                   1.3333558146428443e-03,
                                   1.5403530393381610e-04,
                                   1.5252733804059841e-05,
                                   1.3215486790144309e-06,
                                   1.0178086009239700e-07,
                                   7.0549116208011233e-09,
                                   4.4455382718708115e-10,
                                   2.5678435993488205e-11,
                                   1.3691488853904128e-12};
  if (isDouble)
    return f64;
  switch (degree) {
  case 3:
    return degree3;
  case 4:
    return degree4;
  case 6:
    return degree6;
  default:
    return degree5;
  }
}

ArrayRef<double> getExpCoefficients(bool isDouble) {
  static constexpr double f32[] = {0.499999981442, 0.166665431778,
                                   0.0416672017614, 0.00836658036733,
                                   0.0013882510722};
  // 1 / (k + 2)!
  static constexpr double f64[] = {
      5.0000000000000000e-01, 1.6666666666666667e-01, 4.1666666666666667e-02,
      8.3333333333333333e-03, 1.3888888888888889e-03, 1.9841269841269841e-04,
      2.4801587301587302e-05, 2.7557319223985891e-06, 2.7557319223985891e-07,
      2.5052108385441719e-08, 2.0876756987868099e-09, 1.6059043836821615e-10};
  if (isDouble)
    return f64;
  return f32;
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLog2E = 1.4426950408889634074;

/// e^r - 1 for the remainder r of x, and n + bias as the low bits of `biased`.
struct ReducedExp {
  Value minusOne;
  Value biased;
};

ReducedExp reduceExp(FloatEmitter &e, Value x, int64_t bias = 0) {
  ExpRemainder rest = emitExpRemainder(e, x, bias);
  Value p = e.polynomial(rest.r, getExpCoefficients(e.isDouble()));
  return {e.mulAdd(e.mul(rest.r, rest.r), p, rest.r), rest.biased};
}

/// Adds n, the low bits of `biased`, to the exponent of `x`.
Value scaleByPowerOfTwo(FloatEmitter &e, Value x, Value biased) {
  return e.fromBits(e.addInt(e.bits(x), e.toExponent(e.bits(biased))));
}

/// `y` where x >= low, else 0, but NaN where x is NaN: the integer addition to
/// the exponent does not keep every NaN. The inner select is one maximum.
Value flushBelow(FloatEmitter &e, Value x, Value y, double low) {
  Value zero = e.constant(0.0);
  Value zeroOrNaN = e.select(e.compare(CmpFPredicate::OGT, zero, x), zero, x);
  return e.select(e.compare(CmpFPredicate::OGE, x, e.constant(low)), y,
                  zeroOrNaN);
}

Value overflowAbove(FloatEmitter &e, Value x, Value y, CmpFPredicate predicate,
                    double high) {
  return e.select(e.compare(predicate, x, e.constant(high)),
                  e.constant(kInfinity), y);
}

/// Half of e^x - 1, without cancellation and so that the largest n does not
/// overflow; x is so large that 2^(n - 1) is a normal number.
Value emitHalfExpM1(FloatEmitter &e, Value x) {
  ReducedExp reduced = reduceExp(e, x, /*bias=*/e.isDouble() ? 1022 : 126);
  Value half = e.fromBits(e.toExponent(e.bits(reduced.biased)));
  return e.mulAdd(half, reduced.minusOne, e.subExact(half, e.constant(0.5)));
}

} // namespace

double getRoundingMagic(const FloatEmitter &e) {
  return e.isDouble() ? 6755399441055744.0 : 12582912.0;
}

ExpRemainder emitExpRemainder(FloatEmitter &e, Value x, int64_t bias) {
  // ln(2) in two parts; the first has so few bits that n times it is exact.
  double high = e.isDouble() ? 6.93147180369123816490e-01 : 0.693359375;
  double low = e.isDouble() ? 1.90821492927058770002e-10 : -2.12194440e-4;
  Value magic = e.constant(getRoundingMagic(e) + static_cast<double>(bias));
  Value biased = e.mulAdd(x, e.constant(kLog2E), magic);
  Value n = e.subExact(biased, magic);
  Value r = e.sub(x, e.mul(n, e.constant(high)));
  return {e.sub(r, e.mul(n, e.constant(low))), biased};
}

Value emitExp2(OpBuilder &builder, Location loc, Value x,
               const Exp2Options &options) {
  FloatEmitter e(builder, loc, x.getType());
  Value magic = e.constant(getRoundingMagic(e));
  Value biased = e.add(x, magic);
  Value r = e.subExact(x, e.subExact(biased, magic));
  Value p = e.polynomial(r, getExp2Coefficients(e.isDouble(), options.degree));
  Value y = scaleByPowerOfTwo(e, p, biased);
  y = flushBelow(e, x, y, options.flushBelow);
  if (!options.mayOverflow)
    return y;
  return overflowAbove(e, x, y, CmpFPredicate::OGE,
                       e.isDouble() ? 1024.0 : 128.0);
}

Value emitExp(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  ReducedExp reduced = reduceExp(e, x);
  Value y = scaleByPowerOfTwo(e, e.add(e.constant(1.0), reduced.minusOne),
                              reduced.biased);
  // Just above ln of the smallest and just below ln of the largest number.
  y = flushBelow(e, x, y, e.isDouble() ? -708.396418532264 : -87.33654);
  return overflowAbove(e, x, y, CmpFPredicate::OGT,
                       e.isDouble() ? 709.782712893384 : 88.72283);
}

Value emitPower(OpBuilder &builder, Location loc, double base, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  // y = x log2(base) as a product that is exact and a small rest: each factor
  // is cut to half of its digits. y may be 1024, so that log2(base) needs more
  // of them than f64 has.
  long double log2 = std::log2(static_cast<long double>(base));
  int cut = e.isDouble() ? 27 : 12;
  int point = int(e.mantissaBits()) - cut - std::ilogb(log2);
  long double high = std::ldexp(std::trunc(std::ldexp(log2, point)), -point);
  Value xHigh =
      e.fromBits(e.andInt(e.bits(x), e.integer(-(int64_t(1) << cut))));
  Value xLow = e.subExact(x, xHigh);
  auto constant = [&](long double value) { return e.constant(double(value)); };
  Value y = e.mul(x, constant(log2)), yHigh = e.mul(xHigh, constant(high));
  Value yLow =
      e.mulAdd(xLow, constant(log2), e.mul(xHigh, constant(log2 - high)));
  Value magic = e.constant(getRoundingMagic(e));
  Value biased = e.add(yHigh, magic);
  Value r = e.add(e.subExact(yHigh, e.subExact(biased, magic)), yLow);
  Value p = e.polynomial(r, getExp2Coefficients(e.isDouble(), /*degree=*/6));
  Value z = scaleByPowerOfTwo(e, p, biased);
  // y is rounded: whether the result is too large, only the result tells.
  Value infinity = e.constant(kInfinity);
  z = e.select(e.compare(CmpFPredicate::OLT, z, infinity), z, infinity);
  z = flushBelow(e, y, z, e.isDouble() ? -1022.0 : -126.0);
  return overflowAbove(e, y, z, CmpFPredicate::OGE,
                       e.isDouble() ? 1025.0 : 129.0);
}

Value emitExpM1(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  // Far below, the result is -1; the clamp keeps 2^n normal and keeps NaN.
  Value low = e.constant(-50.0);
  Value clamped = e.select(e.compare(CmpFPredicate::OGT, low, x), low, x);
  Value half = emitHalfExpM1(e, clamped);
  Value y = e.add(half, half);
  return overflowAbove(e, x, y, CmpFPredicate::OGT,
                       e.isDouble() ? 709.782712893384 : 88.72283);
}

Value emitTanh(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  // tanh |x| = h / (h + 1) with h = (e^(2|x|) - 1) / 2; from 2|x| = 50 on it is
  // 1.
  Value magnitude = math::AbsFOp::create(builder, loc, x);
  Value twice = e.add(magnitude, magnitude);
  Value high = e.constant(50.0);
  twice = e.select(e.compare(CmpFPredicate::OGT, twice, high), high, twice);
  Value h = emitHalfExpM1(e, twice);
  Value y = e.div(h, e.add(h, e.constant(1.0)));
  return math::CopySignOp::create(builder, loc, y, x);
}

} // namespace attn
