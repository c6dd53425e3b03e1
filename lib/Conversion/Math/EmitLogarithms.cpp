//===- EmitLogarithms.cpp - log, log2 and log1p ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x = 2^n * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)). With s = f / (2 + f),
//   log(1 + f) = f - f^2/2 + s (f^2/2 + R),  R = 2 s^2/3 + 2 s^4/5 + ...,
// in which the exact f dominates.
//
//===----------------------------------------------------------------------===//

#include "FloatEmitter.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include <limits>

using namespace mlir;
using arith::CmpFPredicate;

namespace attn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLog2E = 1.4426950408889634074;

struct ReducedLog {
  Value exponent;
  Value f;
  Value halfSquare;
  /// s (f^2/2 + R).
  Value tail;
};

ReducedLog reduceLog(FloatEmitter &e, Value x) {
  // The bits of sqrt(1/2): subtracting them makes the exponent field switch at
  // sqrt(2) instead of 2.
  int64_t rootHalf = e.isDouble() ? 0x3FE6A09E667F3BCD : 0x3F3504F3;
  Value bits = e.bits(x);
  Value n = e.fromExponent(e.subInt(bits, e.integer(rootHalf)));
  Value mantissa = e.fromBits(e.subInt(bits, e.toExponent(n)));
  Value f = e.subExact(mantissa, e.constant(1.0));
  Value s = e.div(f, e.add(f, e.constant(2.0)));
  Value z = e.mul(s, s);
  // 2 / (2k + 3) for k = 0, 1, ...; the first term left out is below a
  // quarter of an ulp at the largest |s| = 0.1716.
  SmallVector<double> coefficients;
  for (int k = 0, count = e.isDouble() ? 10 : 5; k < count; ++k)
    coefficients.push_back(2.0 / (2 * k + 3));
  Value r = e.mul(z, e.polynomial(z, coefficients));
  Value halfSquare = e.mul(e.mul(f, f), e.constant(0.5));
  return {e.intToFloat(n), f, halfSquare, e.mul(s, e.add(halfSquare, r))};
}

/// -inf at 0 and for denormals, NaN below and for NaN, +inf at +inf.
Value fixLogRange(FloatEmitter &e, Value x, Value y) {
  double smallest = e.isDouble() ? std::numeric_limits<double>::min()
                                 : std::numeric_limits<float>::min();
  Value atZero = e.select(e.compare(CmpFPredicate::OGE, x, e.constant(0.0)),
                          e.constant(-kInfinity),
                          e.constant(std::numeric_limits<double>::quiet_NaN()));
  y = e.select(e.compare(CmpFPredicate::OGE, x, e.constant(smallest)), y,
               atZero);
  Value infinity = e.constant(kInfinity);
  return e.select(e.compare(CmpFPredicate::OEQ, x, infinity), infinity, y);
}

} // namespace

Value emitLog(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  ReducedLog reduced = reduceLog(e, x);
  double high = e.isDouble() ? 6.93147180369123816490e-01 : 0.693359375;
  double low = e.isDouble() ? 1.90821492927058770002e-10 : -2.12194440e-4;
  Value tail = e.mulAdd(reduced.exponent, e.constant(low), reduced.tail);
  Value y = e.sub(reduced.f, e.sub(reduced.halfSquare, tail));
  y = e.mulAdd(reduced.exponent, e.constant(high), y);
  return fixLogRange(e, x, y);
}

Value emitLog2(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  ReducedLog reduced = reduceLog(e, x);
  Value y = e.sub(reduced.f, e.sub(reduced.halfSquare, reduced.tail));
  y = e.mulAdd(y, e.constant(kLog2E), reduced.exponent);
  return fixLogRange(e, x, y);
}

Value emitLog1P(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  // u = 1 + x rounds; log(u) * x / (u - 1) undoes what that lost.
  Value one = e.constant(1.0);
  Value u = e.add(x, one);
  Value log = emitLog(builder, loc, u);
  Value corrected = e.mul(log, e.div(x, e.subExact(u, one)));
  Value y = e.select(e.compare(CmpFPredicate::OEQ, u, one), x, corrected);
  Value infinity = e.constant(kInfinity);
  return e.select(e.compare(CmpFPredicate::OEQ, x, infinity), infinity, y);
}

} // namespace attn
