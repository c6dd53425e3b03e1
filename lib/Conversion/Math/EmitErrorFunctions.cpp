//===- EmitErrorFunctions.cpp - erf and erfc ------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// erfc |x| = exp(-x^2) P(t) with t = (|x| - K) / (|x| + K), which maps all
// |x| to [-1, 1): P is the Chebyshev interpolation of exp(x^2) erfc(x), written
// in powers of t. Its relative error is 9e-9 (f32) and 7e-18 (f64) up to the x
// from which on erfc is 0. Near 0, erf x = x Q(x^2) in the same manner.
//
//===----------------------------------------------------------------------===//

#include "FloatEmitter.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using arith::CmpFPredicate;

namespace attn {
namespace {

/// P, for K = 2.5 (f32) and K = 3 (f64).
ArrayRef<double> getTailCoefficients(bool isDouble) {
  static constexpr double f32[] = {
      0.210806364,    -0.371736736,    0.251713179,    -0.125033004,
      0.0399229115,   -0.00399381795,  -0.00264543062, 0.000873751459,
      0.000237646062, -0.000116479502, -4.09567497e-05};
  static constexpr double f64[] = {
      1.79001151181389956e-01,  -3.26233560043037218e-01,
      2.45603801712330760e-01,  -1.50115936500777591e-01,
      7.16658371979859293e-02,  -2.43924993186604919e-02,
      4.26913633264054335e-03,  7.07746438750486771e-04,
      -5.97061945845107174e-04, 4.52553000545196011e-05,
      6.40565339044105891e-05,  -1.28605056497567668e-05,
      -7.97802427367637863e-06, 2.12003243067357387e-06,
      1.25215026267907123e-06,  -2.93938927174751231e-07,
      -2.33914108524846582e-07, 2.83313731870206765e-08,
      4.58448049614965212e-08,  1.43019458478193146e-09,
      -7.92142378582463366e-09, -1.51680600751469435e-09,
      8.52776025009190908e-10,  2.91498948542101256e-10};
  if (isDouble)
    return f64;
  return f32;
}

/// Q on |x| <= 1; errors 1.4e-9 and 9e-18.
ArrayRef<double> getCentreCoefficients(bool isDouble) {
  static constexpr double f32[] = {
      1.12837917,    -0.376126267,    0.112835947,   -0.026854212,
      0.00518908742, -0.000801686429, 7.87587506e-05};
  static constexpr double f64[] = {
      1.12837916709551256e+00, -3.76126389031835429e-01,
      1.12837916709450065e-01, -2.68661706432377703e-02,
      5.22397760711642255e-03, -8.54832597538969182e-04,
      1.20552949048397074e-04, -1.49247369074196605e-05,
      1.64474247033173623e-06, -1.62084838018717052e-07,
      1.37200645467776862e-08, -7.79589882700214246e-10};
  if (isDouble)
    return f64;
  return f32;
}

/// x^2 as a sum of two, the second being what rounding lost in the first.
std::pair<Value, Value> squareExactly(FloatEmitter &e, Value x) {
  // The upper half of the digits, whose square is exact.
  Value mask = e.integer(e.isDouble() ? ~int64_t(0x7FFFFFF) : ~int64_t(0xFFF));
  Value high =
      e.fromBits(arith::AndIOp::create(e.builder, e.loc, e.bits(x), mask));
  Value low = e.subExact(x, high);
  Value square = arith::MulFOp::create(e.builder, e.loc, x, x);
  Value lost =
      e.subExact(arith::MulFOp::create(e.builder, e.loc, high, high), square);
  lost = e.mulAdd(e.add(high, high), low, lost);
  return {square, e.mulAdd(low, low, lost)};
}

/// erfc of a number that is not negative.
Value emitTail(FloatEmitter &e, Value x) {
  // From here on erfc is 0; the clamp keeps NaN.
  Value end = e.constant(e.isDouble() ? 27.0 : 10.1);
  Value clamped = e.select(e.compare(CmpFPredicate::OGT, x, end), end, x);
  Value k = e.constant(e.isDouble() ? 3.0 : 2.5);
  Value t = e.div(e.subExact(clamped, k), e.add(clamped, k));
  Value p = e.polynomial(t, getTailCoefficients(e.isDouble()));
  auto [square, lost] = squareExactly(e, clamped);
  Value minusSquare = arith::NegFOp::create(e.builder, e.loc, square);
  // exp(-s - l) = exp(-s) (1 - l) for so small an l. The product of l and the
  // result could be too small to be a number.
  Value density = e.mul(emitExp(e.builder, e.loc, minusSquare), p);
  return e.mul(density, e.subExact(e.constant(1.0), lost));
}

} // namespace

Value emitErf(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  Value magnitude = math::AbsFOp::create(builder, loc, x);
  Value one = e.constant(1.0);
  Value outer = math::CopySignOp::create(
      builder, loc, e.subExact(one, emitTail(e, magnitude)), x);
  Value inner =
      e.mul(x, e.polynomial(e.mul(x, x), getCentreCoefficients(e.isDouble())));
  return e.select(e.compare(CmpFPredicate::OLT, magnitude, one), inner, outer);
}

Value emitErfc(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  Value tail = emitTail(e, math::AbsFOp::create(builder, loc, x));
  return e.select(e.compare(CmpFPredicate::OLT, x, e.constant(0.0)),
                  e.subExact(e.constant(2.0), tail), tail);
}

} // namespace attn
