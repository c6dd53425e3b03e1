//===- ArithFloat.cpp - Element semantics of float arithmetic -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

/// IEEE 754-2019 maximum: NaN wins, and -0 is less than +0.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// Sets of relations as bits: equal, greater, less, unordered.
static unsigned relation(double a, double b) {
  return a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
}

/// The relations that satisfy a predicate. The ordered predicates are numbered
/// as their sets; the unordered ones from UEQ on add the bit 8 to those.
static unsigned getRelations(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::UNO:
    return 8;
  case arith::CmpFPredicate::AlwaysTrue:
    return 15;
  default:
    break;
  }
  unsigned number = unsigned(predicate);
  return number < 8 ? number : (number - 7) | 8;
}

static void emitSelect(ScalarProgram &program, arith::SelectOp op) {
  if (isa<FloatType>(getElementTypeOrSelf(op.getType())))
    program.emit<double, int64_t, double, double>(
        op, [](int64_t c, double a, double b) { return c ? a : b; });
  else
    program.emit<int64_t, int64_t, int64_t, int64_t>(
        op, [](int64_t c, int64_t a, int64_t b) { return c ? a : b; });
}

LogicalResult emitFloatArith(ScalarProgram &program, Operation *op) {
  using D = double;
  auto binary = [&](auto fn) { program.emit<D, D, D>(op, fn); };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::AddFOp) {
        return binary([](D a, D b) { return a + b; }), success();
      })
      .Case([&](arith::SubFOp) {
        return binary([](D a, D b) { return a - b; }), success();
      })
      .Case([&](arith::MulFOp) {
        return binary([](D a, D b) { return a * b; }), success();
      })
      .Case([&](arith::DivFOp) {
        return binary([](D a, D b) { return a / b; }), success();
      })
      .Case([&](arith::RemFOp) {
        return binary([](D a, D b) { return std::fmod(a, b); }), success();
      })
      .Case([&](arith::MaximumFOp) { return binary(maximum), success(); })
      .Case([&](arith::MinimumFOp) {
        return binary([](D a, D b) { return -maximum(-a, -b); }), success();
      })
      .Case([&](arith::MaxNumFOp) {
        return binary([](D a, D b) { return std::fmax(a, b); }), success();
      })
      .Case([&](arith::MinNumFOp) {
        return binary([](D a, D b) { return std::fmin(a, b); }), success();
      })
      .Case([&](arith::NegFOp) {
        return program.emit<D, D>(op, [](D a) { return -a; }), success();
      })
      .Case([&](arith::CmpFOp compare) {
        unsigned mask = getRelations(compare.getPredicate());
        program.emit<int64_t, D, D>(op, [mask](D a, D b) -> int64_t {
          return (mask & relation(a, b)) != 0;
        });
        return success();
      })
      .Case([&](arith::SelectOp select) {
        return emitSelect(program, select), success();
      })
      .Default([](Operation *) { return failure(); });
}

} // namespace attn::reference::detail
