//===- EmitSineAndCosine.cpp - Sine and cosine ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An angle is brought to [-pi/4, pi/4] by a multiple of pi/2 in parts. With
// fused multiply-adds two do: what is left of an angle is small and a multiple
// of its last digit, and so the first part leaves it exactly. Without them the
// parts, and the two that the multiple is split into, have so few digits that
// products are exact. Positions of a million are as accurate as small ones,
// without the C library.
//
//===----------------------------------------------------------------------===//

#include "FloatEmitter.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace attn {
namespace {

/// (sin x / x - 1) / x^2 and (cos x - 1 + x^2/2) / x^4 in x^2, for
/// |x| <= pi/4. Their errors are below 2^-57 of the results.
constexpr double kSine[] = {
    -1.66666666666666324348e-01, 8.33333333332248946124e-03,
    -1.98412698298579493134e-04, 2.75573137070700676789e-06,
    -2.50507602534068634195e-08, 1.58969099521155010221e-10};
constexpr double kCosine[] = {
    4.16666666666666019037e-02, -1.38888888888741095749e-03,
    2.48015872894767294178e-05, -2.75573143513906633035e-07,
    2.08757232129817482790e-09, -1.13596475577881948265e-11};

/// angle - turns * pi/2.
Value reduceAngle(FloatEmitter &e, Value angle, Value turns, bool isFused) {
  // What M_PI_2 lacks.
  constexpr double rest = 6.123233995736766e-17;
  Value x = angle;
  if (isFused) {
    for (double part : {M_PI_2, rest})
      x = math::FmaOp::create(e.builder, e.loc, turns, e.constant(-part), x);
    return x;
  }
  auto subtract = [&](Value count, double part) {
    x = e.sub(x, e.mul(count, e.constant(part)));
  };
  auto roundTo = [](double number, int digits) {
    return std::ldexp(std::nearbyint(std::ldexp(number, digits)), -digits);
  };
  double high = roundTo(M_PI_2, 25), middle = roundTo(M_PI_2 - high, 51);
  // Multiples of 2^26, and what is left.
  Value shift = e.constant(0x1.8p78);
  Value many = e.subExact(e.add(turns, shift), shift);
  Value few = e.subExact(turns, many);
  for (double part : {high, middle}) {
    subtract(many, part);
    subtract(few, part);
  }
  subtract(turns, (M_PI_2 - high - middle) + rest);
  return x;
}

} // namespace

SineAndCosine emitSineAndCosine(OpBuilder &builder, Location loc, Value angle,
                                bool isFused) {
  FloatEmitter e(builder, loc, angle.getType());
  // Adding 1.5 * 2^52 rounds to an integer, which stands in the last bits.
  Value shift = e.constant(0x1.8p52);
  Value shifted = e.mulAdd(angle, e.constant(M_2_PI), shift);
  Value turns = e.subExact(shifted, shift);
  Value x = reduceAngle(e, angle, turns, isFused);
  Value z = e.mul(x, x);
  Value sine = e.mulAdd(e.mul(x, z), e.polynomial(z, kSine), x);
  Value cosine = e.sub(e.constant(1.0), e.mul(z, e.constant(0.5)));
  cosine = e.mulAdd(e.mul(z, z), e.polynomial(z, kCosine), cosine);

  // The quadrant's lowest bit swaps the two; the next one, of it or of the
  // quadrant after it, is the sign.
  Value quadrant = e.bits(shifted);
  Value swaps = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne,
      arith::AndIOp::create(builder, loc, quadrant, e.integer(1)),
      e.integer(0));
  Value sign = e.integer(INT64_MIN);
  auto finish = [&](Value even, Value odd, Value turned) {
    Value flip = arith::AndIOp::create(
        builder, loc,
        arith::ShLIOp::create(builder, loc, turned, e.integer(62)), sign);
    Value bits = e.bits(e.select(swaps, odd, even));
    return e.fromBits(arith::XOrIOp::create(builder, loc, bits, flip));
  };
  return {finish(sine, cosine, quadrant),
          finish(cosine, sine, e.addInt(quadrant, e.integer(1)))};
}

} // namespace attn
