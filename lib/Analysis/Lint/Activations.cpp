//===- Activations.cpp - Functions that lose second moment ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Analysis/Report.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

#include <cmath>

using namespace mlir;

namespace attn::lint_checks {

/// How far the second moment may be from the input's.
static constexpr double kTolerance = 0.05;

/// Whether a layer reads the result as its input; a gate or a probability is
/// read by a product, or by nobody here.
static bool isLayer(Operation *reader) {
  if (isa<LinearOp>(reader))
    return true;
  auto structured = dyn_cast<linalg::LinalgOp>(reader);
  return structured && linalg::isaContractionOpInterface(structured);
}

static void checkActivation(Context &context, ActivationOp op) {
  Function function = op.getFunction();
  if (op.getUnitMoment() ||
      (function != Function::Sigmoid && function != Function::Tanh &&
       function != Function::Softplus))
    return;
  std::optional<double> input = context.getSecondMoment(op.getInput());
  std::optional<double> output = context.getSecondMoment(op.getResult());
  // Where the input itself is far from 1, something before is to be mended.
  if (!input || !output || *input < 0.25 || *input > 4.0)
    return;
  for (Operation *reader : getReaders(op.getResult())) {
    if (!isLayer(reader) || reader->getNumResults() != 1)
      continue;
    std::optional<double> layer = context.getSecondMoment(reader->getResult(0));
    if (!layer || std::fabs(*layer / *input - 1.0) <= kTolerance)
      continue;
    context.warnings.push_back(
        {WarningId::NoGain,
         op,
         {{"function", stringifyFunction(function).str()},
          {"input", formatNumber(*input)},
          {"output", formatNumber(*output)},
          {"layer", formatNumber(*layer)}},
         "unit_moment",
         [op](RewriterBase &) mutable { op.setUnitMoment(true); }});
    return;
  }
}

void checkActivations(Context &context) {
  context.function.walk([&](ActivationOp op) { checkActivation(context, op); });
}

} // namespace attn::lint_checks
