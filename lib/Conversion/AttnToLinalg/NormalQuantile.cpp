//===- NormalQuantile.cpp - The inverse of the normal distribution --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// z / x, where x = 2 Phi(z) - 1, is a smooth function of
// w = -log(1 - x^2), and for larger w of sqrt(w). The polynomials interpolate
// it at Chebyshev's nodes in three ranges; their relative errors are below
// 1e-15.
//
//===----------------------------------------------------------------------===//

#include "InitDraws.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attn {
namespace {

/// For w < 6.25, in w - 3.125.
constexpr double kCentre[] = {
    2.33862071002659322e+00,  3.39634958701138912e-01, -8.53289917726734320e-03,
    -1.04751156948561697e-03, 2.64082049540616736e-04, -1.96328528636964418e-05,
    -1.93106502752988084e-06, 5.98889486127731800e-07, -4.11117416055044517e-08,
    -5.81618016767148554e-09, 1.48665435690836243e-09, -7.65698113492014957e-11,
    -1.83548025775593881e-11, 3.72012672095353256e-12, -1.14154271373908955e-13,
    -5.65968707306181073e-14, 9.22255829672462510e-15, -5.57226748086414943e-17,
    -1.72755197905271766e-16, 2.19355653524845758e-17, 8.59141909497500012e-19,
    -4.91224166034045880e-19, 2.82738059095786536e-20, 4.51702010660485015e-21,
    -5.08155626321750362e-22};
/// For w < 16, in sqrt(w) - 3.25.
constexpr double kSide[] = {4.36127285516533014e+00,  1.42165086581026467e+00,
                            7.59562020401081343e-03,  -5.30500994734613412e-03,
                            3.52343120344182290e-03,  -2.38758217209228234e-03,
                            1.34815474440168207e-03,  -5.02099058309210641e-04,
                            3.39853711157294159e-05,  9.65704414129992298e-05,
                            -6.69194365382200424e-05, 1.76391182726505218e-05,
                            4.13866449776264828e-06,  -5.66952131360573635e-06,
                            2.11734784962447702e-06,  1.87394037654995602e-08,
                            -3.81457759115247779e-07, 1.31300285507673531e-07};
/// For w < 37.8, which is all that 52 random bits reach, in sqrt(w) - 5.075.
constexpr double kTail[] = {6.96596072711197767e+00,  1.42874623805723910e+00,
                            -2.61088130310617146e-04, -2.73369626901181118e-04,
                            9.75557390532413995e-05,  -2.51124715788743927e-05,
                            5.71141184309133465e-06,  -1.22740845492543417e-06,
                            2.68433254484831786e-07,  -7.06915467822489983e-08,
                            2.69643871646926923e-08,  -1.32266300680790897e-08,
                            6.85303880096433726e-09,  -3.54708324513042984e-09,
                            1.50021134833791844e-09,  -3.47033517748077199e-10,
                            1.83263881431918903e-11};

} // namespace

Value emitNormalQuantile(OpBuilder &builder, Location loc, Value x) {
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF64FloatAttr(value));
  };
  auto polynomial = [&](Value s, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back())) {
      sum = arith::MulFOp::create(builder, loc, sum, s);
      sum = arith::AddFOp::create(builder, loc, sum, constant(c));
    }
    return sum;
  };
  auto minus = [&](Value a, double b) -> Value {
    return arith::SubFOp::create(builder, loc, a, constant(b));
  };
  // 1 - x and 1 + x are exact where one of them is small.
  Value one = constant(1.0);
  Value product = arith::MulFOp::create(
      builder, loc, arith::SubFOp::create(builder, loc, one, x),
      arith::AddFOp::create(builder, loc, one, x));
  Value w = arith::NegFOp::create(builder, loc,
                                  math::LogOp::create(builder, loc, product));
  auto isBelow = [&](double limit) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, w,
                                 constant(limit));
  };
  // One draw in a thousand is further out.
  Value isOuter = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UGE,
                                        w, constant(6.25));
  auto outer = scf::IfOp::create(builder, loc, w.getType(), isOuter,
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(outer.thenBlock());
    Value root = math::SqrtOp::create(builder, loc, w);
    Value side = polynomial(minus(root, 3.25), kSide);
    Value tail = polynomial(minus(root, 5.075), kTail);
    Value ratio =
        arith::SelectOp::create(builder, loc, isBelow(16.0), side, tail);
    scf::YieldOp::create(builder, loc, ratio);
    builder.setInsertionPointToStart(outer.elseBlock());
    scf::YieldOp::create(builder, loc, polynomial(minus(w, 3.125), kCentre));
  }
  Value ratio = outer.getResult(0);
  return arith::MulFOp::create(builder, loc, ratio, x);
}

} // namespace attn
