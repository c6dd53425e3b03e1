//===- Checks.h - The checks of attn-lint -----------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_LINT_CHECKS_H
#define ATTN_LIB_ANALYSIS_LINT_CHECKS_H

#include "attn/Analysis/Lint.h"

namespace attn::lint_checks {

/// One function, its moments and what was found.
struct Context {
  mlir::func::FuncOp function;
  const MomentAnalysis &moments;
  const LintOptions &options;
  std::vector<LintWarning> &warnings;

  std::optional<double> getSecondMoment(mlir::Value value) const {
    std::optional<ValueMoments> found = moments.lookup(value);
    return found ? std::optional<double>(found->secondMoment) : std::nullopt;
  }
};

/// Parameterisation and initial weights of linear layers.
void checkWeights(Context &context);
/// Variance of scores and entropy of weights of attentions.
void checkScores(Context &context);
/// Functions between layers that lose second moment.
void checkActivations(Context &context);
/// Residual streams.
void checkResiduals(Context &context);

/// Whether an op only names another view of its first operand.
bool isView(mlir::Operation *op);
/// The ops that read `value` or a view of it, views left out.
llvm::SmallVector<mlir::Operation *> getReaders(mlir::Value value);

} // namespace attn::lint_checks

#endif // ATTN_LIB_ANALYSIS_LINT_CHECKS_H
