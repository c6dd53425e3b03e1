//===- ArithInteger.cpp - Element semantics of integer arithmetic ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attn::reference::detail {

namespace {

/// Appends integer ops on signed or unsigned readings of the stored values.
/// Results wrap to the width.
class IntegerEmitter {
public:
  IntegerEmitter(ScalarProgram &program, Operation *op)
      : program(program), op(op),
        width(getWidth(getElementTypeOrSelf(op->getOperand(0).getType()))) {}

  template <typename Fn> LogicalResult onSigned(Fn fn) {
    program.emit<int64_t, int64_t, int64_t>(
        op, [fn, w = width](int64_t a, int64_t b) {
          return wrap(uint64_t(fn(asSigned(a, w), asSigned(b, w))), w);
        });
    return success();
  }
  template <typename Fn> LogicalResult onUnsigned(Fn fn) {
    program.emit<int64_t, int64_t, int64_t>(
        op, [fn, w = width](int64_t a, int64_t b) {
          return wrap(uint64_t(fn(asUnsigned(a, w), asUnsigned(b, w))), w);
        });
    return success();
  }
  /// Division-like ops: a zero divisor and a quotient out of range are faults.
  template <typename Fn> LogicalResult onDivision(bool isSigned, Fn fn) {
    unsigned a = program.operand(op, 0), b = program.operand(op, 1);
    unsigned to = program.define(op->getResult(0));
    program.append([=, w = width](Frame &frame, int64_t count) {
      const int64_t *x = frame.read<int64_t>(a), *y = frame.read<int64_t>(b);
      int64_t *out = frame.write<int64_t>(to);
      int64_t least = llvm::minIntN(w);
      for (int64_t i = 0; i < count; ++i) {
        if (asUnsigned(y[i], w) == 0 ||
            (isSigned && asSigned(x[i], w) == least &&
             asSigned(y[i], w) == -1)) {
          frame.fault = "undefined integer division";
          return;
        }
        out[i] = wrap(uint64_t(fn(x[i], y[i])), w);
      }
    });
    return success();
  }
  LogicalResult compare(arith::CmpIPredicate predicate);
  LogicalResult divide();

private:
  ScalarProgram &program;
  Operation *op;
  unsigned width;
};

} // namespace

LogicalResult IntegerEmitter::compare(arith::CmpIPredicate predicate) {
  // The result is i1, whatever the operands' width: emit without wrapping.
  auto emitAs = [&](auto read, auto fn) {
    program.emit<int64_t, int64_t, int64_t>(
        op, [read, fn, w = width](int64_t a, int64_t b) -> int64_t {
          return fn(read(a, w), read(b, w));
        });
    return success();
  };
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return emitAs(asSigned, [](auto a, auto b) { return a == b; });
  case arith::CmpIPredicate::ne:
    return emitAs(asSigned, [](auto a, auto b) { return a != b; });
  case arith::CmpIPredicate::slt:
    return emitAs(asSigned, [](auto a, auto b) { return a < b; });
  case arith::CmpIPredicate::sle:
    return emitAs(asSigned, [](auto a, auto b) { return a <= b; });
  case arith::CmpIPredicate::sgt:
    return emitAs(asSigned, [](auto a, auto b) { return a > b; });
  case arith::CmpIPredicate::sge:
    return emitAs(asSigned, [](auto a, auto b) { return a >= b; });
  case arith::CmpIPredicate::ult:
    return emitAs(asUnsigned, [](auto a, auto b) { return a < b; });
  case arith::CmpIPredicate::ule:
    return emitAs(asUnsigned, [](auto a, auto b) { return a <= b; });
  case arith::CmpIPredicate::ugt:
    return emitAs(asUnsigned, [](auto a, auto b) { return a > b; });
  case arith::CmpIPredicate::uge:
    return emitAs(asUnsigned, [](auto a, auto b) { return a >= b; });
  }
  llvm_unreachable("unknown integer comparison");
}

LogicalResult IntegerEmitter::divide() {
  unsigned w = width;
  auto u = [w](int64_t x) { return asUnsigned(x, w); };
  auto s = [w](int64_t x) { return asSigned(x, w); };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::DivSIOp) {
        return onDivision(true, [s](auto a, auto b) { return s(a) / s(b); });
      })
      .Case([&](arith::RemSIOp) {
        return onDivision(true, [s](auto a, auto b) { return s(a) % s(b); });
      })
      .Case([&](arith::FloorDivSIOp) {
        return onDivision(true, [s](auto x, auto y) {
          int64_t a = s(x), b = s(y);
          return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
        });
      })
      .Case([&](arith::CeilDivSIOp) {
        return onDivision(true, [s](auto x, auto y) {
          int64_t a = s(x), b = s(y);
          return a / b + (a % b != 0 && (a % b < 0) == (b < 0));
        });
      })
      .Case([&](arith::DivUIOp) {
        return onDivision(false, [u](auto a, auto b) { return u(a) / u(b); });
      })
      .Case([&](arith::RemUIOp) {
        return onDivision(false, [u](auto a, auto b) { return u(a) % u(b); });
      })
      .Case([&](arith::CeilDivUIOp) {
        return onDivision(false, [u](auto a, auto b) {
          return u(a) / u(b) + (u(a) % u(b) != 0);
        });
      })
      .Default([](Operation *) { return failure(); });
}

/// Products and sums of twice the width, in two halves.
static LogicalResult emitExtended(ScalarProgram &program, Operation *op) {
  unsigned w = getWidth(getElementTypeOrSelf(op->getOperand(0).getType()));
  unsigned highWidth = getWidth(getElementTypeOrSelf(op->getResult(1)));
  auto emit = [&](auto compute) {
    unsigned a = program.operand(op, 0), b = program.operand(op, 1);
    unsigned low = program.define(op->getResult(0)),
             high = program.define(op->getResult(1));
    program.append([=](Frame &frame, int64_t count) {
      const int64_t *x = frame.read<int64_t>(a), *y = frame.read<int64_t>(b);
      int64_t *lows = frame.write<int64_t>(low),
              *highs = frame.write<int64_t>(high);
      for (int64_t i = 0; i < count; ++i) {
        auto wide = compute(x[i], y[i]);
        lows[i] = wrap(uint64_t(wide), w);
        highs[i] = wrap(uint64_t(wide >> w), highWidth);
      }
    });
    return success();
  };
  using Wide = unsigned __int128;
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::AddUIExtendedOp) {
        return emit([w](int64_t a, int64_t b) {
          return Wide(asUnsigned(a, w)) + asUnsigned(b, w);
        });
      })
      .Case([&](arith::MulUIExtendedOp) {
        return emit([w](int64_t a, int64_t b) {
          return Wide(asUnsigned(a, w)) * asUnsigned(b, w);
        });
      })
      .Case([&](arith::MulSIExtendedOp) {
        return emit([w](int64_t a, int64_t b) {
          return __int128(asSigned(a, w)) * asSigned(b, w);
        });
      })
      .Default([](Operation *) { return failure(); });
}

LogicalResult emitIntegerArith(ScalarProgram &program, Operation *op) {
  if (!isa_and_nonnull<arith::ArithDialect>(op->getDialect()) ||
      !getElementTypeOrSelf(op->getOperand(0).getType()).isIntOrIndex())
    return failure();
  if (op->getNumResults() == 2)
    return emitExtended(program, op);
  IntegerEmitter emitter(program, op);
  unsigned w = getWidth(getElementTypeOrSelf(op->getOperand(0).getType()));
  using U = uint64_t;
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::AddIOp) {
        return emitter.onUnsigned([](U a, U b) { return a + b; });
      })
      .Case([&](arith::SubIOp) {
        return emitter.onUnsigned([](U a, U b) { return a - b; });
      })
      .Case([&](arith::MulIOp) {
        return emitter.onUnsigned([](U a, U b) { return a * b; });
      })
      .Case([&](arith::AndIOp) {
        return emitter.onUnsigned([](U a, U b) { return a & b; });
      })
      .Case([&](arith::OrIOp) {
        return emitter.onUnsigned([](U a, U b) { return a | b; });
      })
      .Case([&](arith::XOrIOp) {
        return emitter.onUnsigned([](U a, U b) { return a ^ b; });
      })
      .Case([&](arith::ShLIOp) {
        return emitter.onUnsigned([w](U a, U b) { return b < w ? a << b : 0; });
      })
      .Case([&](arith::ShRUIOp) {
        return emitter.onUnsigned([w](U a, U b) { return b < w ? a >> b : 0; });
      })
      .Case([&](arith::ShRSIOp) {
        return emitter.onSigned(
            [w](int64_t a, int64_t b) { return a >> (U(b) < w ? b : w - 1); });
      })
      .Case([&](arith::MaxSIOp) {
        return emitter.onSigned([](auto a, auto b) { return std::max(a, b); });
      })
      .Case([&](arith::MinSIOp) {
        return emitter.onSigned([](auto a, auto b) { return std::min(a, b); });
      })
      .Case([&](arith::MaxUIOp) {
        return emitter.onUnsigned([](U a, U b) { return std::max(a, b); });
      })
      .Case([&](arith::MinUIOp) {
        return emitter.onUnsigned([](U a, U b) { return std::min(a, b); });
      })
      .Case([&](arith::CmpIOp compare) {
        return emitter.compare(compare.getPredicate());
      })
      .Default([&](Operation *) { return emitter.divide(); });
}

} // namespace attn::reference::detail
