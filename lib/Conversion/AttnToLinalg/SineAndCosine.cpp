//===- SineAndCosine.cpp - Sine and cosine in plain arithmetic -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An angle is brought to [-pi/4, pi/4] by a multiple of pi/2 given in two
// parts, the first of which has so few digits that its multiples are exact.
// Positions of a million are then as accurate as small ones, without the C
// library.
//
//===----------------------------------------------------------------------===//

#include "BlockGenerics.h"

#include <cmath>

using namespace mlir;
using namespace attn;

/// sum_k (-1)^k z^k / (2k + first)! up to z^8, whose next term is below 2^-60
/// for z <= (pi/4)^2.
static Value emitSeries(LaneBuilder &lanes, Value z, int64_t first) {
  constexpr int64_t degree = 8;
  auto coefficient = [&](int64_t k) {
    return lanes.constant((k % 2 ? -1.0 : 1.0) /
                          std::tgamma(static_cast<double>(2 * k + first + 1)));
  };
  Value sum = coefficient(degree);
  for (int64_t k = degree - 1; k >= 0; --k)
    sum = lanes.add(lanes.mul(sum, z), coefficient(k));
  return sum;
}

SineAndCosine attn::emitSineAndCosine(OpBuilder &builder, Location loc,
                                      Value angle) {
  LaneBuilder lanes(builder, loc, builder.getF64Type());
  // Adding 1.5 * 2^52 rounds to an integer.
  Value shift = lanes.constant(0x1.8p52);
  Value turns = lanes.sub(
      lanes.add(lanes.mul(angle, lanes.constant(M_2_PI)), shift), shift);
  double high = std::ldexp(std::nearbyint(std::ldexp(M_PI_2, 32)), -32);
  // pi/2 - high in extended precision: M_PI_2 itself is 6.1e-17 short.
  double low = (M_PI_2 - high) + 6.123233995736766e-17;
  Value x = lanes.sub(lanes.sub(angle, lanes.mul(turns, lanes.constant(high))),
                      lanes.mul(turns, lanes.constant(low)));
  Value z = lanes.mul(x, x);
  Value sine = lanes.mul(x, emitSeries(lanes, z, 1));
  Value cosine = emitSeries(lanes, z, 0);

  Type i64 = builder.getI64Type();
  Value quadrant = arith::FPToSIOp::create(builder, loc, i64, turns);
  auto hasBit = [&](Value integer, int64_t bit) -> Value {
    Value mask = arith::ConstantIntOp::create(builder, loc, bit, 64);
    Value masked = arith::AndIOp::create(builder, loc, integer, mask);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, masked,
                                 mask);
  };
  Value next =
      arith::AddIOp::create(builder, loc, quadrant,
                            arith::ConstantIntOp::create(builder, loc, 1, 64));
  Value swaps = hasBit(quadrant, 1);
  auto finish = [&](Value even, Value odd, Value negative) {
    Value value = lanes.select(swaps, odd, even);
    return lanes.select(negative, lanes.neg(value), value);
  };
  return {finish(sine, cosine, hasBit(quadrant, 2)),
          finish(cosine, sine, hasBit(next, 2))};
}
