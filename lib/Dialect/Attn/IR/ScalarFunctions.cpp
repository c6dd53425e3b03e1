//===- ScalarFunctions.cpp - Operations on numbers ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/ScalarFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace attn {

static bool isUnordered(ArrayRef<double> x) {
  return std::isnan(x[0]) || std::isnan(x[1]);
}

static bool holds(arith::CmpFPredicate predicate, double x, double y) {
  using P = arith::CmpFPredicate;
  bool isNaN = isUnordered({x, y});
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !isNaN;
  case P::UNO:
    return isNaN;
  case P::OEQ:
    return x == y;
  case P::UEQ:
    return isNaN || x == y;
  case P::ONE:
    return !isNaN && x != y;
  case P::UNE:
    return isNaN || x != y;
  case P::OLT:
    return x < y;
  case P::ULT:
    return isNaN || x < y;
  case P::OLE:
    return x <= y;
  case P::ULE:
    return isNaN || x <= y;
  case P::OGT:
    return x > y;
  case P::UGT:
    return isNaN || x > y;
  case P::OGE:
    return x >= y;
  case P::UGE:
    return isNaN || x >= y;
  }
  llvm_unreachable("all predicates are covered");
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
  llvm_unreachable("all predicates are covered");
}

static std::optional<ScalarFn> findFunction(Operation *op) {
#define ATTN_SCALAR(Name, Value, ...)                                          \
  if (isa<__VA_ARGS__>(op))                                                    \
    return ScalarFn::Name;
#include "attn/Dialect/Attn/IR/ScalarFunctions.def"
  return std::nullopt;
}

std::optional<ScalarFunction> getScalarFunction(Operation *op) {
  std::optional<ScalarFn> fn = findFunction(op);
  if (!fn)
    return std::nullopt;
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return ScalarFunction{*fn, unsigned(compare.getPredicate())};
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return ScalarFunction{*fn, unsigned(toFloat(compare.getPredicate()))};
  // On wider integers they work bit by bit.
  bool isLogic =
      *fn == ScalarFn::And || *fn == ScalarFn::Or || *fn == ScalarFn::Xor;
  if (isLogic && !getElementTypeOrSelf(op->getResult(0)).isInteger(1))
    return std::nullopt;
  // The signed number of one bit that is set is -1.
  if (isa<arith::SIToFPOp, arith::ExtSIOp>(op) &&
      getElementTypeOrSelf(op->getOperand(0)).isInteger(1))
    return ScalarFunction{ScalarFn::Neg};
  return ScalarFunction{*fn};
}

double evaluate(ScalarFunction function, ArrayRef<double> x) {
  unsigned detail = function.detail;
  switch (function.fn) {
#define ATTN_SCALAR(Name, Value, ...)                                          \
  case ScalarFn::Name:                                                         \
    return Value;
#include "attn/Dialect/Attn/IR/ScalarFunctions.def"
  }
  llvm_unreachable("all functions are covered");
}

} // namespace attn
