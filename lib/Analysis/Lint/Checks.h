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
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

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
  /// The last fault, and what is said of one.
  size_t getLast() const { return faults.size() - 1; }
  LintWarning &getWarning(size_t fault) { return faults[fault].warning; }

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

/// What mends the scores of an op, tried on a copy of its function.
struct Trial {
  size_t fault;
  mlir::Operation *op;
  /// Given the copies of `op` and of all values.
  std::function<void(mlir::Operation *, mlir::IRMapping &)> mend;
};

/// One function, its moments and what was found.
struct Context {
  FlatFunction &flat;
  const MomentAnalysis &moments;
  const LintOptions &options;
  Findings &findings;
  std::vector<Trial> trials = {};

  std::optional<double> getSecondMoment(mlir::Value value) const {
    std::optional<ValueMoments> found = moments.lookup(value);
    return found ? std::optional<double>(found->secondMoment) : std::nullopt;
  }
};

/// Parameterisation and initial weights of linear layers.
void checkWeights(Context &context);
/// Variance of scores and entropy of weights of attentions.
void checkScores(Context &context);
/// Tries the mends of scores together, and says what becomes of them.
void runTrials(Context &context);
/// Functions between layers that lose second moment.
void checkActivations(Context &context);
/// Residual streams.
void checkResiduals(Context &context);

/// Whether a layer that reads `value`, behind views, does so as its input and
/// not in its epilogue.
bool readsAsInput(mlir::Operation *reader, mlir::Value value);

/// Gives `init` another rule: a number, or what makes up for a function.
void setVariance(InitOp init, VarianceRule rule, double variance = 0.0,
                 std::optional<Function> function = std::nullopt);

/// The attn.init that one layer alone has its weight from; null otherwise.
InitOp getOnlyInit(Context &context, LinearOp linear);

/// Multiplies `value`, a tensor, by the gain for all that read it.
void addGain(mlir::RewriterBase &rewriter, mlir::Value value, double gain);

/// Whether a stream goes to a layer or out of the function without a norm.
bool endsBare(mlir::Value stream);

/// Whether nothing but norms reads a stream.
bool endsNormed(mlir::Value stream);

/// The value of the module behind which a norm is that of the stream's end for
/// all that reads it: the result of the loop or of the call, where it is read
/// outside. Null, with the reason, where there is none.
struct StreamEnd {
  mlir::Value at;
  std::string refusal;
};
StreamEnd findStreamEnd(const FlatFunction &flat, mlir::Value stream);

/// "attn.norm rms behind it": of the kind of `like`, which may be null, behind
/// `at`, seen from `op`.
std::string describeNorm(NormOp like, mlir::Operation *op, mlir::Value at);

/// Puts a norm without gamma and beta behind `at`.
void addFinalNorm(mlir::RewriterBase &rewriter, mlir::Value at, NormOp like);

} // namespace attn::lint_checks

#endif // ATTN_LIB_ANALYSIS_LINT_CHECKS_H
