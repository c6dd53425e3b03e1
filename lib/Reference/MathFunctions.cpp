//===- MathFunctions.cpp - Element semantics of the math dialect ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

using Unary = double (*)(double);

/// Functions of one float that C's library has in double.
static Unary getUnary(Operation *op) {
  return TypeSwitch<Operation *, Unary>(op)
      .Case([](math::AbsFOp) -> Unary { return std::fabs; })
      .Case([](math::AcosOp) -> Unary { return std::acos; })
      .Case([](math::AcoshOp) -> Unary { return std::acosh; })
      .Case([](math::AsinOp) -> Unary { return std::asin; })
      .Case([](math::AsinhOp) -> Unary { return std::asinh; })
      .Case([](math::AtanOp) -> Unary { return std::atan; })
      .Case([](math::AtanhOp) -> Unary { return std::atanh; })
      .Case([](math::CbrtOp) -> Unary { return std::cbrt; })
      .Case([](math::CeilOp) -> Unary { return std::ceil; })
      .Case([](math::CosOp) -> Unary { return std::cos; })
      .Case([](math::CoshOp) -> Unary { return std::cosh; })
      .Case([](math::ErfOp) -> Unary { return std::erf; })
      .Case([](math::ErfcOp) -> Unary { return std::erfc; })
      .Case([](math::ExpOp) -> Unary { return std::exp; })
      .Case([](math::Exp2Op) -> Unary { return std::exp2; })
      .Case([](math::ExpM1Op) -> Unary { return std::expm1; })
      .Case([](math::FloorOp) -> Unary { return std::floor; })
      .Case([](math::LogOp) -> Unary { return std::log; })
      .Case([](math::Log10Op) -> Unary { return std::log10; })
      .Case([](math::Log1pOp) -> Unary { return std::log1p; })
      .Case([](math::Log2Op) -> Unary { return std::log2; })
      .Case([](math::RoundOp) -> Unary { return std::round; })
      .Case([](math::RoundEvenOp) -> Unary { return std::nearbyint; })
      .Case([](math::RsqrtOp) -> Unary {
        return [](double a) { return 1.0 / std::sqrt(a); };
      })
      .Case([](math::SinOp) -> Unary { return std::sin; })
      .Case([](math::SinhOp) -> Unary { return std::sinh; })
      .Case([](math::SqrtOp) -> Unary { return std::sqrt; })
      .Case([](math::TanOp) -> Unary { return std::tan; })
      .Case([](math::TanhOp) -> Unary { return std::tanh; })
      .Case([](math::TruncOp) -> Unary { return std::trunc; })
      .Default([](Operation *) -> Unary { return nullptr; });
}

/// Integer powers by squaring; a negative exponent inverts.
static double powi(double base, int64_t exponent) {
  return std::pow(base, double(exponent));
}

static LogicalResult emitSinCos(ScalarProgram &program, math::SincosOp op) {
  unsigned from = program.operand(op, 0);
  unsigned sine = program.define(op.getSin()),
           cosine = program.define(op.getCos());
  Quantum quantum = program.getQuantumOf(op.getSin().getType());
  program.append([=](Frame &frame, int64_t count) {
    const double *in = frame.read<double>(from);
    double *sines = frame.write<double>(sine),
           *cosines = frame.write<double>(cosine);
    std::transform(in, in + count, sines, [](double a) { return std::sin(a); });
    std::transform(in, in + count, cosines,
                   [](double a) { return std::cos(a); });
    quantise(sines, count, quantum);
    quantise(cosines, count, quantum);
  });
  return success();
}

LogicalResult emitMath(ScalarProgram &program, Operation *op) {
  if (Unary fn = getUnary(op)) {
    program.emit<double, double>(op, fn);
    return success();
  }
  using D = double;
  bool isF32 = getElementTypeOrSelf(op->getOperand(0).getType()).isF32() &&
               program.getRounding() != Rounding::F64;
  auto test = [&](auto fn) {
    program.emit<int64_t, D>(op, [fn](D a) -> int64_t { return fn(a); });
    return success();
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](math::SincosOp both) { return emitSinCos(program, both); })
      .Case([&](math::Atan2Op) {
        program.emit<D, D, D>(op, [](D a, D b) { return std::atan2(a, b); });
        return success();
      })
      .Case([&](math::PowFOp) {
        program.emit<D, D, D>(op, [](D a, D b) { return std::pow(a, b); });
        return success();
      })
      .Case([&](math::CopySignOp) {
        program.emit<D, D, D>(op, [](D a, D b) { return std::copysign(a, b); });
        return success();
      })
      .Case([&](math::FPowIOp) {
        return program.emit<D, D, int64_t>(op, powi), success();
      })
      .Case([&](math::FmaOp) {
        // The one op whose double result rounded to f32 could differ from the
        // f32 operation.
        program.emit<D, D, D, D>(op, [isF32](D a, D b, D c) -> D {
          return isF32 ? D(std::fma(float(a), float(b), float(c)))
                       : std::fma(a, b, c);
        });
        return success();
      })
      .Case([&](math::ClampFOp) {
        program.emit<D, D, D, D>(op, [](D x, D low, D high) {
          return std::isnan(x) ? x : std::fmin(std::fmax(x, low), high);
        });
        return success();
      })
      .Case([&](math::AbsIOp) {
        program.emit<int64_t, int64_t>(
            op, [](int64_t a) { return int64_t(a < 0 ? -uint64_t(a) : a); });
        return success();
      })
      .Case<math::CountLeadingZerosOp, math::CountTrailingZerosOp,
            math::CtPopOp>([&](Operation *count) {
        unsigned width = getWidth(getElementTypeOrSelf(op->getOperand(0)));
        bool leads = isa<math::CountLeadingZerosOp>(count);
        bool trails = isa<math::CountTrailingZerosOp>(count);
        program.emit<int64_t, int64_t>(op, [=](int64_t a) -> int64_t {
          uint64_t bits = asUnsigned(a, width);
          if (leads)
            return llvm::countl_zero(bits) - (64 - int64_t(width));
          if (trails)
            return std::min<int64_t>(llvm::countr_zero(bits), width);
          return llvm::popcount(bits);
        });
        return success();
      })
      .Case([&](math::IsNaNOp) {
        return test([](D a) { return std::isnan(a); });
      })
      .Case([&](math::IsInfOp) {
        return test([](D a) { return std::isinf(a); });
      })
      .Case([&](math::IsFiniteOp) {
        return test([](D a) { return std::isfinite(a); });
      })
      .Default([](Operation *) { return failure(); });
}

} // namespace attn::reference::detail
