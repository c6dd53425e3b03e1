//===- FloatEmitter.h - Terse builders for float arithmetic -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars and vectors of one float type together with the integers of the same
// width. `mul` and `add` may be fused (contract); `subExact` may not, because
// argument reductions rely on its rounding.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_MATH_FLOATEMITTER_H
#define ATTN_LIB_CONVERSION_MATH_FLOATEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"

namespace attn {

class FloatEmitter {
public:
  using Value = mlir::Value;

  FloatEmitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type)
      : builder(builder), loc(loc), floatType(type),
        intType(withElement(
            type, builder.getIntegerType(elementOf(type).getWidth()))) {}

  static mlir::FloatType elementOf(mlir::Type type) {
    return llvm::cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  }

  bool isDouble() const { return elementOf(floatType).isF64(); }
  int64_t mantissaBits() const { return isDouble() ? 52 : 23; }

  Value constant(double value) {
    mlir::FloatType element = elementOf(floatType);
    return splat(floatType, builder.getFloatAttr(element, value));
  }
  Value integer(int64_t value) {
    return splat(intType, builder.getIntegerAttr(
                              mlir::getElementTypeOrSelf(intType), value));
  }

  Value add(Value a, Value b) {
    return mlir::arith::AddFOp::create(builder, loc, a, b, contract());
  }
  Value mul(Value a, Value b) {
    return mlir::arith::MulFOp::create(builder, loc, a, b, contract());
  }
  Value sub(Value a, Value b) {
    return mlir::arith::SubFOp::create(builder, loc, a, b, contract());
  }
  Value subExact(Value a, Value b) {
    return mlir::arith::SubFOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) {
    return mlir::arith::DivFOp::create(builder, loc, a, b);
  }
  /// a * b + c.
  Value mulAdd(Value a, Value b, Value c) { return add(mul(a, b), c); }
  /// The polynomial with these coefficients, lowest first.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) {
    Value result = constant(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      result = mulAdd(result, x, constant(c));
    return result;
  }
  /// The same in as many steps, half of which wait for each other, where the
  /// square of x is at hand.
  Value polynomialByPairs(Value x, Value square,
                          llvm::ArrayRef<double> coefficients) {
    Value result;
    size_t count = coefficients.size();
    for (size_t i = (count - 1) / 2 * 2;; i -= 2) {
      Value pair = constant(coefficients[i]);
      if (i + 1 < count)
        pair = mulAdd(constant(coefficients[i + 1]), x, pair);
      result = result ? mulAdd(result, square, pair) : pair;
      if (i == 0)
        return result;
    }
  }

  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b) {
    return mlir::arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return mlir::arith::SelectOp::create(builder, loc, condition, a, b);
  }

  Value bits(Value x) {
    return mlir::arith::BitcastOp::create(builder, loc, intType, x);
  }
  Value fromBits(Value x) {
    return mlir::arith::BitcastOp::create(builder, loc, floatType, x);
  }
  Value intToFloat(Value x) {
    return mlir::arith::SIToFPOp::create(builder, loc, floatType, x);
  }
  Value addInt(Value a, Value b) {
    return mlir::arith::AddIOp::create(builder, loc, a, b);
  }
  Value andInt(Value a, Value b) {
    return mlir::arith::AndIOp::create(builder, loc, a, b);
  }
  Value subInt(Value a, Value b) {
    return mlir::arith::SubIOp::create(builder, loc, a, b);
  }
  /// Moves an integer to and from the exponent field.
  Value toExponent(Value x) {
    return mlir::arith::ShLIOp::create(builder, loc, x,
                                       integer(mantissaBits()));
  }
  Value fromExponent(Value x) {
    return mlir::arith::ShRSIOp::create(builder, loc, x,
                                        integer(mantissaBits()));
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  static mlir::Type withElement(mlir::Type type, mlir::Type element) {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      return vector.clone(element);
    return element;
  }
  Value splat(mlir::Type type, mlir::TypedAttr element) {
    mlir::TypedAttr value = element;
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      value = mlir::DenseElementsAttr::get(vector, mlir::Attribute(element));
    return mlir::arith::ConstantOp::create(builder, loc, value);
  }
  static mlir::arith::FastMathFlags contract() {
    return mlir::arith::FastMathFlags::contract;
  }

  mlir::Type floatType;
  mlir::Type intType;
};

/// The polynomial for 2^r on [-0.5, 0.5], exactly 1 at 0; see Exp2Options for
/// the degree.
llvm::ArrayRef<double> getExp2Coefficients(bool isDouble, unsigned degree);

/// Its sum with a number of moderate size has that, rounded, as its low bits.
double getRoundingMagic(const FloatEmitter &e);

/// x = n ln 2 + r with |r| <= ln(2) / 2, and n + bias as the low bits of
/// `biased`.
struct ExpRemainder {
  mlir::Value r;
  mlir::Value biased;
};
ExpRemainder emitExpRemainder(FloatEmitter &e, mlir::Value x, int64_t bias = 0);
/// P with e^r = 1 + r + r^2 P(r) there.
llvm::ArrayRef<double> getExpCoefficients(bool isDouble);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_MATH_FLOATEMITTER_H
