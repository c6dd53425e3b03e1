//===- Evaluate.cpp - The functions of expressions, on numbers ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "attn/Dialect/Attn/IR/ScalarFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;

namespace attn::moments {

double evaluate(const Node &node, ArrayRef<double> x) {
  if (node.fn == Fn::ClipAtMax)
    return std::min(x[0], 0.0);
  if (node.fn == Fn::Activation)
    return evaluateFunction(static_cast<Function>(node.detail), x[0]);
  return attn::evaluate({static_cast<ScalarFn>(node.fn), node.detail}, x);
}

} // namespace attn::moments
