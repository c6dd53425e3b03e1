//===- Scalars.cpp - Arithmetic on random numbers -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attn::moments {

/// Functions of one number.
static std::optional<Fn> getUnary(Operation *op) {
  using R = std::optional<Fn>;
  return TypeSwitch<Operation *, R>(op)
      .Case([](math::ExpOp) { return Fn::Exp; })
      .Case([](math::Exp2Op) { return Fn::Exp2; })
      .Case([](math::ExpM1Op) { return Fn::ExpM1; })
      .Case([](math::LogOp) { return Fn::Log; })
      .Case([](math::Log2Op) { return Fn::Log2; })
      .Case([](math::Log10Op) { return Fn::Log10; })
      .Case([](math::Log1pOp) { return Fn::Log1p; })
      .Case([](math::SqrtOp) { return Fn::Sqrt; })
      .Case([](math::RsqrtOp) { return Fn::Rsqrt; })
      .Case([](math::CbrtOp) { return Fn::Cbrt; })
      .Case([](math::TanhOp) { return Fn::Tanh; })
      .Case([](math::ErfOp) { return Fn::Erf; })
      .Case([](math::ErfcOp) { return Fn::Erfc; })
      .Case([](math::SinOp) { return Fn::Sin; })
      .Case([](math::CosOp) { return Fn::Cos; })
      .Case([](math::TanOp) { return Fn::Tan; })
      .Case([](math::AtanOp) { return Fn::Atan; })
      .Case([](math::SinhOp) { return Fn::Sinh; })
      .Case([](math::CoshOp) { return Fn::Cosh; })
      .Case<math::AbsFOp, math::AbsIOp>([](auto) { return Fn::Abs; })
      .Case([](math::FloorOp) { return Fn::Floor; })
      .Case([](math::CeilOp) { return Fn::Ceil; })
      .Case([](math::RoundOp) { return Fn::Round; })
      .Case([](math::RoundEvenOp) { return Fn::RoundEven; })
      .Case<math::TruncOp, arith::FPToSIOp, arith::FPToUIOp>(
          [](auto) { return Fn::Trunc; })
      .Case([](math::IsFiniteOp) { return Fn::IsFinite; })
      .Case([](math::IsNaNOp) { return Fn::IsNaN; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Functions of two numbers that are not arithmetic.
static std::optional<Fn> getBinary(Operation *op) {
  using R = std::optional<Fn>;
  bool isBoolean =
      op->getNumResults() == 1 &&
      getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
  auto logical = [&](Fn fn) { return isBoolean ? R(fn) : std::nullopt; };
  return TypeSwitch<Operation *, R>(op)
      .Case([](arith::MaximumFOp) { return Fn::Max; })
      .Case([](arith::MinimumFOp) { return Fn::Min; })
      .Case<arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>(
          [](auto) { return Fn::MaxNum; })
      .Case<arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>(
          [](auto) { return Fn::MinNum; })
      .Case<arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(
          [](auto) { return Fn::Rem; })
      .Case<math::PowFOp, math::FPowIOp, math::IPowIOp>(
          [](auto) { return Fn::Pow; })
      .Case([](math::Atan2Op) { return Fn::Atan2; })
      .Case([](math::CopySignOp) { return Fn::CopySign; })
      .Case([&](arith::AndIOp) { return logical(Fn::And); })
      .Case([&](arith::OrIOp) { return logical(Fn::Or); })
      .Case([&](arith::XOrIOp) { return logical(Fn::Xor); })
      .Default([](Operation *) { return std::nullopt; });
}

static arith::CmpFPredicate toFloat(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return arith::CmpFPredicate::OEQ;
  case arith::CmpIPredicate::ne:
    return arith::CmpFPredicate::ONE;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return arith::CmpFPredicate::OLT;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return arith::CmpFPredicate::OLE;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return arith::CmpFPredicate::OGT;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("all predicates are handled");
}

static Expr compare(Engine &engine, arith::CmpFPredicate predicate, Expr a,
                    Expr b) {
  // Comparisons of a number with itself ask for NaN.
  if (a == b && !a->isConstant())
    return engine.graph.constant(predicate == arith::CmpFPredicate::ORD ||
                                 predicate == arith::CmpFPredicate::OEQ ||
                                 predicate == arith::CmpFPredicate::OLE ||
                                 predicate == arith::CmpFPredicate::OGE);
  return engine.apply(Fn::Compare, {a, b}, unsigned(predicate));
}

static Expr power(Engine &engine, Expr base, Expr exponent) {
  if (exponent->isConstant(2.0)) {
    base = engine.collapse(base);
    return engine.multiply(base, base);
  }
  if (exponent->isConstant(0.5))
    return engine.apply(Fn::Sqrt, base);
  if (exponent->isConstant(-0.5))
    return engine.apply(Fn::Rsqrt, base);
  return engine.apply(Fn::Pow, {base, exponent});
}

Expr Follower::followScalar(Operation *op, ArrayRef<Expr> x) {
  if (llvm::is_contained(x, nullptr) || op->getNumResults() != 1)
    return nullptr;
  if (std::optional<Fn> fn = getUnary(op))
    return engine.apply(*fn, x[0]);
  if (std::optional<Fn> fn = getBinary(op))
    return *fn == Fn::Pow ? power(engine, x[0], x[1])
                          : engine.apply(*fn, {x[0], x[1]});
  Graph &graph = engine.graph;
  return TypeSwitch<Operation *, Expr>(op)
      .Case<arith::AddFOp, arith::AddIOp>(
          [&](auto) { return graph.add(x[0], x[1]); })
      .Case<arith::SubFOp, arith::SubIOp>(
          [&](auto) { return engine.subtract(x[0], x[1]); })
      .Case<arith::MulFOp, arith::MulIOp>(
          [&](auto) { return engine.multiply(x[0], x[1]); })
      .Case([&](arith::DivFOp) { return engine.divide(x[0], x[1]); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) {
        return engine.apply(Fn::Trunc, engine.divide(x[0], x[1]));
      })
      .Case([&](arith::NegFOp) { return graph.scale(x[0], -1.0); })
      .Case([&](math::FmaOp) {
        return graph.add(engine.multiply(x[0], x[1]), x[2]);
      })
      .Case([&](math::ClampFOp) {
        return engine.apply(Fn::MinNum,
                            {engine.apply(Fn::MaxNum, {x[0], x[1]}), x[2]});
      })
      .Case([&](arith::CmpFOp compareOp) {
        return compare(engine, compareOp.getPredicate(), x[0], x[1]);
      })
      .Case([&](arith::CmpIOp compareOp) {
        return compare(engine, toFloat(compareOp.getPredicate()), x[0], x[1]);
      })
      .Case([&](arith::SelectOp) {
        if (x[0]->isConstant())
          return x[x[0]->number != 0.0 ? 1 : 2];
        return x[1] == x[2] ? x[1] : engine.apply(Fn::Select, x);
      })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::TruncIOp,
            arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp,
            arith::SIToFPOp, arith::UIToFPOp>([&](auto) { return x[0]; })
      .Default([](Operation *) { return nullptr; });
}

Expr Follower::lookupIn(const DenseMap<Value, Expr> &known, Value value) const {
  if (Expr expr = known.lookup(value))
    return expr;
  return lookup(value);
}

void Follower::followBody(Block &block, DenseMap<Value, Expr> &known,
                          ArrayRef<double> extents) {
  for (Operation &op : block.without_terminator()) {
    Expr result = nullptr;
    Attribute constant;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      result = getIndex(index.getDim(), extents[index.getDim()]);
    } else if (matchPattern(&op, m_Constant(&constant))) {
      result = readConstant(constant);
    } else if (auto activation = dyn_cast<ActivationOp>(op)) {
      if (Expr x = lookupIn(known, activation.getInput()))
        result = activate(activation, x);
    } else {
      SmallVector<Expr> operands;
      for (Value operand : op.getOperands())
        operands.push_back(lookupIn(known, operand));
      result = followScalar(&op, operands);
    }
    if (result)
      known[op.getResult(0)] = result;
  }
}

} // namespace attn::moments
