//===- SimplifyIndex.cpp - Index arithmetic with known ranges -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Expr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attn::raise {
namespace {

/// An order of expressions that does not depend on how they were put together.
bool isBefore(AffineExpr a, AffineExpr b) {
  if (a == b)
    return false;
  if (a.getKind() != b.getKind())
    return a.getKind() < b.getKind();
  if (auto dim = dyn_cast<AffineDimExpr>(a))
    return dim.getPosition() < cast<AffineDimExpr>(b).getPosition();
  if (auto number = dyn_cast<AffineConstantExpr>(a))
    return number.getValue() < cast<AffineConstantExpr>(b).getValue();
  auto first = cast<AffineBinaryOpExpr>(a),
       second = cast<AffineBinaryOpExpr>(b);
  return first.getLHS() == second.getLHS()
             ? isBefore(first.getRHS(), second.getRHS())
             : isBefore(first.getLHS(), second.getLHS());
}

/// constant + sum of coefficient * base, where a base is a variable, a division
/// or a remainder.
struct LinearForm {
  llvm::MapVector<AffineExpr, int64_t> coefficients;
  int64_t constant = 0;

  void add(AffineExpr expr, int64_t scale) {
    if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
      constant += scale * number.getValue();
      return;
    }
    if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
      if (expr.getKind() == AffineExprKind::Add) {
        add(binary.getLHS(), scale);
        add(binary.getRHS(), scale);
        return;
      }
      if (expr.getKind() == AffineExprKind::Mul) {
        if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
          return add(binary.getLHS(), scale * factor.getValue());
      }
    }
    coefficients[expr] += scale;
  }

  AffineExpr get(MLIRContext *context) const {
    SmallVector<std::pair<AffineExpr, int64_t>> terms(coefficients.begin(),
                                                      coefficients.end());
    // Equal sums are one expression.
    llvm::sort(terms,
               [](auto &a, auto &b) { return isBefore(a.first, b.first); });
    AffineExpr result = getAffineConstantExpr(constant, context);
    for (auto [base, coefficient] : llvm::reverse(terms))
      if (coefficient != 0)
        result = base * coefficient + result;
    return result;
  }

  /// (x floordiv c) * (k c) + (x mod c) * k is k x.
  void joinRemainders() {
    for (auto &[base, coefficient] : coefficients) {
      auto remainder = dyn_cast<AffineBinaryOpExpr>(base);
      if (!remainder || base.getKind() != AffineExprKind::Mod ||
          coefficient == 0)
        continue;
      auto modulus = dyn_cast<AffineConstantExpr>(remainder.getRHS());
      if (!modulus)
        continue;
      AffineExpr whole = remainder.getLHS();
      auto *division = coefficients.find(whole.floorDiv(modulus.getValue()));
      if (division == coefficients.end() ||
          division->second != coefficient * modulus.getValue())
        continue;
      int64_t scale = coefficient;
      coefficient = division->second = 0;
      add(whole, scale);
      return joinRemainders(); // `add` may have moved the entries
    }
  }
};

bool isWithin(const ExprGraph::Range &range, int64_t lower, int64_t upper) {
  return range.lower && range.upper && *range.lower >= lower &&
         *range.upper < upper;
}

} // namespace

unsigned ExprGraph::addVariable(int64_t extent) {
  extents.push_back(extent);
  return extents.size() - 1;
}

AffineExpr ExprGraph::addIndex(int64_t extent) {
  return extent == 1 ? getAffineConstantExpr(0, context)
                     : getIndex(addVariable(extent));
}

AffineExpr ExprGraph::getIndex(unsigned variable) const {
  return getAffineDimExpr(variable, context);
}

std::optional<unsigned> ExprGraph::asVariable(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition();
  return std::nullopt;
}

ExprGraph::Range ExprGraph::getRange(AffineExpr expr) const {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return {number.getValue(), number.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    int64_t extent = getExtent(dim.getPosition());
    if (ShapedType::isDynamic(extent))
      return {0, std::nullopt};
    return {0, extent - 1};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return {};
  Range lhs = getRange(binary.getLHS()), rhs = getRange(binary.getRHS());
  auto combine = [](std::optional<int64_t> a, std::optional<int64_t> b,
                    auto op) -> std::optional<int64_t> {
    if (!a || !b)
      return std::nullopt;
    return op(*a, *b);
  };
  if (expr.getKind() == AffineExprKind::Add)
    return {combine(lhs.lower, rhs.lower, std::plus<int64_t>()),
            combine(lhs.upper, rhs.upper, std::plus<int64_t>())};
  auto number = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!number)
    return {};
  int64_t c = number.getValue();
  std::optional<int64_t> factor = c;
  if (expr.getKind() == AffineExprKind::Mul) {
    Range scaled{combine(lhs.lower, factor, std::multiplies<int64_t>()),
                 combine(lhs.upper, factor, std::multiplies<int64_t>())};
    if (c < 0)
      std::swap(scaled.lower, scaled.upper);
    return scaled;
  }
  if (c <= 0)
    return {};
  if (expr.getKind() == AffineExprKind::Mod)
    return {0, c - 1};
  if (expr.getKind() == AffineExprKind::FloorDiv) {
    auto divide = [](int64_t a, int64_t b) {
      return llvm::divideFloorSigned(a, b);
    };
    return {combine(lhs.lower, factor, divide),
            combine(lhs.upper, factor, divide)};
  }
  return {};
}

AffineExpr ExprGraph::simplifyIndex(AffineExpr expr) const {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr lhs = simplifyIndex(binary.getLHS());
  AffineExpr rhs = simplifyIndex(binary.getRHS());
  AffineExpr rebuilt = getAffineBinaryOpExpr(expr.getKind(), lhs, rhs);
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  bool isDivision = expr.getKind() == AffineExprKind::FloorDiv;
  if (divisor && divisor.getValue() > 0 &&
      (isDivision || expr.getKind() == AffineExprKind::Mod)) {
    // Split the dividend into a multiple of the divisor and a rest; if the rest
    // is a proper remainder, it is the remainder.
    int64_t c = divisor.getValue();
    LinearForm whole, multiple, rest;
    whole.add(lhs, 1);
    multiple.constant = llvm::divideFloorSigned(whole.constant, c);
    rest.constant = whole.constant - multiple.constant * c;
    for (auto [base, coefficient] : whole.coefficients) {
      if (coefficient % c == 0)
        multiple.coefficients[base] = coefficient / c;
      else
        rest.coefficients[base] = coefficient;
    }
    AffineExpr remainder = rest.get(context);
    if (isWithin(getRange(remainder), 0, c))
      return isDivision ? simplifyIndex(multiple.get(context)) : remainder;
    AffineExpr quotient = simplifyIndex(multiple.get(context));
    return isDivision ? quotient + remainder.floorDiv(c) : remainder % c;
  }
  LinearForm form;
  form.add(rebuilt, 1);
  form.joinRemainders();
  return form.get(context);
}

} // namespace attn::raise
