//===- Checks.h - The checks of attn-lint -----------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_LINT_CHECKS_H
#define ATTN_LIB_ANALYSIS_LINT_CHECKS_H

#include "FlatFunction.h"
#include "attn/Analysis/Lint.h"
#include "attn/Analysis/ScoreProduct.h"
#include "llvm/ADT/DenseSet.h"

namespace attn::lint_checks {

/// What was found in all functions. An op of the module may run in many places;
/// what is a fault in one of them and right in another has no mend there.
class Findings {
public:
  /// A fault of an instance of `warning.op`, whose fix changes `parts`.
  void addFault(LintWarning warning, llvm::ArrayRef<mlir::Operation *> parts);
  /// In one instance `part` is as it should be.
  void addFine(WarningId id, mlir::Operation *part);
  /// The fix of the last fault goes behind `name`, of which `value` is an
  /// instance.
  void setEnd(mlir::Value name, mlir::Value value);

  /// The warnings; those that cannot be mended have no fix.
  std::vector<LintWarning>
  take(llvm::ArrayRef<std::unique_ptr<FlatFunction>> functions);

private:
  struct Fault {
    LintWarning warning;
    llvm::SmallVector<mlir::Operation *> parts;
    mlir::Value end;
  };
  std::string
  findRefusal(const Fault &fault,
              llvm::ArrayRef<std::unique_ptr<FlatFunction>> functions) const;

  std::vector<Fault> faults;
  llvm::DenseSet<std::pair<unsigned, mlir::Operation *>> fine;
  /// Instances of ends, by their warning.
  llvm::DenseSet<std::pair<unsigned, mlir::Value>> ends;
};

/// One function, its moments and what was found.
struct Context {
  FlatFunction &flat;
  const MomentAnalysis &moments;
  const LintOptions &options;
  Findings &findings;

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

/// The ops that read `value` or a view of it, views left out.
llvm::SmallVector<mlir::Operation *> getReaders(mlir::Value value);

/// Whether a layer that reads `value`, behind views, does so as its input and
/// not in its epilogue.
bool readsAsInput(mlir::Operation *reader, mlir::Value value);

/// Multiplies `value`, a tensor, by the gain for all that read it.
void addGain(mlir::RewriterBase &rewriter, mlir::Value value, double gain);

} // namespace attn::lint_checks

#endif // ATTN_LIB_ANALYSIS_LINT_CHECKS_H
