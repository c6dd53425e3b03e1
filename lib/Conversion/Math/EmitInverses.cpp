//===- EmitInverses.cpp - Cube roots and inverse hyperbolic functions -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each comes down to a logarithm, in a form that keeps the digits of small
// arguments. Odd functions are computed of |x|.
//
//===----------------------------------------------------------------------===//

#include "FloatEmitter.h"

#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using arith::CmpFPredicate;

namespace attn {
namespace {

constexpr double kLn2 = 0.69314718055994530942;

Value getMagnitude(FloatEmitter &e, Value x) {
  return math::AbsFOp::create(e.builder, e.loc, x);
}

Value withSignOf(FloatEmitter &e, Value y, Value x) {
  return math::CopySignOp::create(e.builder, e.loc, y, x);
}

Value squareRoot(FloatEmitter &e, Value x) {
  return math::SqrtOp::create(e.builder, e.loc, x);
}

/// Where squares of x no longer change by 1: both functions are log(2x) there,
/// and nothing overflows.
Value selectLarge(FloatEmitter &e, Value x, Value y) {
  Value large = e.add(emitLog(e.builder, e.loc, x), e.constant(kLn2));
  Value bound = e.constant(e.isDouble() ? 0x1p28 : 0x1p13);
  return e.select(e.compare(CmpFPredicate::OGT, x, bound), large, y);
}

} // namespace

Value emitCbrt(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  Value a = getMagnitude(e, x);
  Exp2Options options;
  options.degree = 6;
  options.flushBelow = e.isDouble() ? -1022.0 : -126.0;
  Value third = e.constant(1.0 / 3.0);
  Value y =
      emitExp2(builder, loc, e.mul(emitLog2(builder, loc, a), third), options);
  // The logarithm's error grows with it; a step of Newton's takes it away.
  Value error = e.subExact(y, e.div(a, e.mul(y, y)));
  y = withSignOf(e, e.sub(y, e.mul(error, third)), x);
  double smallest = e.isDouble() ? std::numeric_limits<double>::min()
                                 : std::numeric_limits<float>::min();
  double largest = e.isDouble() ? std::numeric_limits<double>::max()
                                : std::numeric_limits<float>::max();
  // 0, infinity and NaN are their own roots.
  y = e.select(e.compare(CmpFPredicate::OGE, a, e.constant(smallest)), y, x);
  return e.select(e.compare(CmpFPredicate::OLE, a, e.constant(largest)), y, x);
}

Value emitAsinh(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  Value a = getMagnitude(e, x), square = e.mul(a, a), one = e.constant(1.0);
  // a + sqrt(1 + a^2) - 1 without the difference.
  Value root = squareRoot(e, e.add(one, square));
  Value rest = e.add(a, e.div(square, e.add(one, root)));
  Value y = emitLog1P(builder, loc, rest);
  return withSignOf(e, selectLarge(e, a, y), x);
}

Value emitAcosh(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  Value one = e.constant(1.0), t = e.subExact(x, one);
  Value root = squareRoot(e, e.mul(t, e.add(t, e.constant(2.0))));
  Value y = selectLarge(e, x, emitLog1P(builder, loc, e.add(t, root)));
  Value nan = e.constant(std::numeric_limits<double>::quiet_NaN());
  return e.select(e.compare(CmpFPredicate::OGE, x, one), y, nan);
}

Value emitAtanh(OpBuilder &builder, Location loc, Value x) {
  FloatEmitter e(builder, loc, x.getType());
  Value a = getMagnitude(e, x);
  Value ratio = e.div(e.add(a, a), e.subExact(e.constant(1.0), a));
  Value y = e.mul(e.constant(0.5), emitLog1P(builder, loc, ratio));
  return withSignOf(e, y, x);
}

} // namespace attn
