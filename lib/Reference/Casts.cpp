//===- Casts.cpp - Element semantics of conversions and affine maps -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineAccess.h"
#include "ElementOps.h"
#include "attn/Dialect/Attn/IR/IndexingMaps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

/// Bits of a number in its own float type, and back. A value held wider than
/// its type has no bits of that type, so it is rounded first.
static int64_t toBits(double value, const llvm::fltSemantics &semantics,
                      unsigned width) {
  APFloat number(value);
  bool losesInfo;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return wrap(number.bitcastToAPInt().getZExtValue(), width);
}

static double fromBits(int64_t bits, const llvm::fltSemantics &semantics,
                       unsigned width) {
  APFloat number(semantics, APInt(width, asUnsigned(bits, width)));
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

static LogicalResult emitBitcast(ScalarProgram &program, Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned width = getWidth(from);
  if (isa<FloatType>(from) && to.isIntOrIndex()) {
    const llvm::fltSemantics *semantics =
        &cast<FloatType>(from).getFloatSemantics();
    program.emit<int64_t, double>(
        op, [=](double a) { return toBits(a, *semantics, width); });
    return success();
  }
  if (from.isIntOrIndex() && isa<FloatType>(to)) {
    const llvm::fltSemantics *semantics =
        &cast<FloatType>(to).getFloatSemantics();
    program.emit<double, int64_t>(
        op, [=](int64_t a) { return fromBits(a, *semantics, width); });
    return success();
  }
  return failure();
}

/// Float to integer, towards zero. What is out of range becomes poison, which
/// a program may well drop again (a select on log(0), say). It is the integer
/// with the highest bit alone, in every run: as an index it is out of bounds.
static LogicalResult emitFloatToInt(ScalarProgram &program, Operation *op,
                                    bool isSigned) {
  unsigned width = getWidth(getElementTypeOrSelf(op->getResult(0).getType()));
  double upper = std::ldexp(1.0, isSigned ? int(width) - 1 : int(width));
  double lower = isSigned ? -upper - 1.0 : -1.0;
  int64_t poison = wrap(uint64_t(1) << (width - 1), width);
  program.emit<int64_t, double>(op, [=](double number) {
    double value = std::trunc(number);
    bool fits =
        (value > lower || (isSigned && value == -upper)) && value < upper;
    if (!fits)
      return poison;
    return isSigned ? int64_t(value) : wrap(uint64_t(value), width);
  });
  return success();
}

LogicalResult emitCast(ScalarProgram &program, Operation *op) {
  if (!isa_and_nonnull<arith::ArithDialect>(op->getDialect()) ||
      op->getNumOperands() != 1)
    return failure();
  Type in = getElementTypeOrSelf(op->getOperand(0).getType());
  Type out = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned inWidth = getWidth(in), outWidth = getWidth(out);
  auto toInt = [&](auto read) {
    program.emit<int64_t, int64_t>(op, [=](int64_t a) {
      return wrap(uint64_t(read(a, inWidth)), outWidth);
    });
    return success();
  };
  auto toFloat = [&](auto read) {
    program.emit<double, int64_t>(
        op, [=](int64_t a) { return double(read(a, inWidth)); });
    return success();
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) {
        return program.emit<double, double>(op, [](double a) { return a; }),
               success();
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp>(
          [&](Operation *) { return toInt(asSigned); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp, arith::TruncIOp>(
          [&](Operation *) { return toInt(asUnsigned); })
      .Case([&](arith::SIToFPOp) { return toFloat(asSigned); })
      .Case([&](arith::UIToFPOp) { return toFloat(asUnsigned); })
      .Case([&](arith::FPToSIOp) { return emitFloatToInt(program, op, true); })
      .Case([&](arith::FPToUIOp) { return emitFloatToInt(program, op, false); })
      .Case<arith::BitcastOp, tensor::BitcastOp>(
          [&](Operation *cast) { return emitBitcast(program, cast); })
      .Default([](Operation *) { return failure(); });
}

LogicalResult emitAffine(ScalarProgram &program, Operation *op) {
  AffineMap map;
  enum { First, Least, Most } pick = First;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    map = apply.getAffineMap();
  } else if (auto least = dyn_cast<affine::AffineMinOp>(op)) {
    map = least.getAffineMap();
    pick = Least;
  } else if (auto most = dyn_cast<affine::AffineMaxOp>(op)) {
    map = most.getAffineMap();
    pick = Most;
  } else {
    return failure();
  }
  SmallVector<unsigned> from;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    from.push_back(program.operand(op, i));
  unsigned to = program.define(op->getResult(0));
  SmallVector<AffineExpr> divisors = getDivisors(map);
  program.append([=](Frame &frame, int64_t count) {
    SmallVector<int64_t> values(from.size());
    int64_t *out = frame.write<int64_t>(to);
    for (int64_t lane = 0; lane < count; ++lane) {
      for (auto [value, reg] : llvm::zip(values, from))
        value = frame.read<int64_t>(reg)[lane];
      ArrayRef<int64_t> all(values);
      auto dims = all.take_front(map.getNumDims());
      auto symbols = all.drop_front(map.getNumDims());
      for (AffineExpr divisor : divisors)
        if (evaluate(divisor, dims, symbols) < 1) {
          frame.fault = "a divisor of an affine map is below 1";
          return;
        }
      int64_t result = evaluate(map.getResult(0), dims, symbols);
      for (AffineExpr expr : map.getResults().drop_front()) {
        int64_t other = evaluate(expr, dims, symbols);
        result =
            pick == Least ? std::min(result, other) : std::max(result, other);
      }
      out[lane] = result;
    }
  });
  return success();
}

} // namespace attn::reference::detail
