//===- Evaluate.cpp - The functions of expressions, on numbers ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;

namespace attn::moments {

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return unordered || a != b;
  }
  llvm_unreachable("all predicates are handled");
}

static double evaluateOne(const Node &node, double x) {
  switch (node.fn) {
  case Fn::Exp:
    return std::exp(x);
  case Fn::Exp2:
    return std::exp2(x);
  case Fn::ExpM1:
    return std::expm1(x);
  case Fn::Log:
    return std::log(x);
  case Fn::Log2:
    return std::log2(x);
  case Fn::Log10:
    return std::log10(x);
  case Fn::Log1p:
    return std::log1p(x);
  case Fn::Sqrt:
    return std::sqrt(x);
  case Fn::Rsqrt:
    return 1.0 / std::sqrt(x);
  case Fn::Cbrt:
    return std::cbrt(x);
  case Fn::Tanh:
    return std::tanh(x);
  case Fn::Erf:
    return std::erf(x);
  case Fn::Erfc:
    return std::erfc(x);
  case Fn::Sin:
    return std::sin(x);
  case Fn::Cos:
    return std::cos(x);
  case Fn::Tan:
    return std::tan(x);
  case Fn::Atan:
    return std::atan(x);
  case Fn::Sinh:
    return std::sinh(x);
  case Fn::Cosh:
    return std::cosh(x);
  case Fn::Abs:
    return std::fabs(x);
  case Fn::Floor:
    return std::floor(x);
  case Fn::Ceil:
    return std::ceil(x);
  case Fn::Round:
    return std::round(x);
  case Fn::RoundEven:
    return std::nearbyint(x);
  case Fn::Trunc:
    return std::trunc(x);
  case Fn::IsFinite:
    return std::isfinite(x);
  case Fn::IsNaN:
    return std::isnan(x);
  case Fn::ClipAtMax:
    return std::min(x, 0.0);
  case Fn::Activation:
    return evaluateFunction(static_cast<Function>(node.detail), x);
  default:
    llvm_unreachable("a function of more numbers");
  }
}

double evaluate(const Node &node, ArrayRef<double> x) {
  auto isNaN = [&] { return std::isnan(x[0]) || std::isnan(x[1]); };
  switch (node.fn) {
  case Fn::Mul:
    return x[0] * x[1];
  case Fn::Div:
    return x[0] / x[1];
  case Fn::Rem:
    return std::fmod(x[0], x[1]);
  case Fn::Pow:
    return std::pow(x[0], x[1]);
  case Fn::Max:
    return isNaN() ? NAN : std::max(x[0], x[1]);
  case Fn::Min:
    return isNaN() ? NAN : std::min(x[0], x[1]);
  case Fn::MaxNum:
    return std::fmax(x[0], x[1]);
  case Fn::MinNum:
    return std::fmin(x[0], x[1]);
  case Fn::Atan2:
    return std::atan2(x[0], x[1]);
  case Fn::CopySign:
    return std::copysign(x[0], x[1]);
  case Fn::Compare:
    return compare(static_cast<arith::CmpFPredicate>(node.detail), x[0], x[1]);
  case Fn::Select:
    return x[0] != 0.0 ? x[1] : x[2];
  case Fn::And:
    return x[0] != 0.0 && x[1] != 0.0;
  case Fn::Or:
    return x[0] != 0.0 || x[1] != 0.0;
  case Fn::Xor:
    return (x[0] != 0.0) != (x[1] != 0.0);
  default:
    return evaluateOne(node, x[0]);
  }
}

} // namespace attn::moments
