//===- Lint.h - Warnings from computed moments ------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_LINT_H
#define ATTN_ANALYSIS_LINT_H

#include "attn/Analysis/MomentAnalysis.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include <functional>
#include <vector>

namespace attn {

/// The warnings of the table; the value is the number in the id.
enum class WarningId : unsigned {
#define ATTN_WARNING(Name, Number, Text, Explanation) Name = Number,
#include "attn/Analysis/LintWarnings.def"
};

/// The id as users see it: attn-w and the number.
llvm::StringRef getLabel(WarningId id);
/// The id of a label, nothing if there is no such warning.
std::optional<WarningId> parseWarningId(llvm::StringRef label);

struct LintWarning {
  WarningId id;
  /// The op of the module; a composite op for its parts.
  mlir::Operation *op;
  /// Each hole of the text, by its name, and what fills it.
  std::vector<std::pair<llvm::StringRef, std::string>> arguments;
  /// The attribute that mends it, and what gives it to the op; null where
  /// `refusal` says why that would be wrong.
  std::string mend = {};
  std::function<void(mlir::RewriterBase &)> fix = {};
  std::string refusal = {};
  /// What the fix changes first: an op may have several faults of one kind.
  mlir::Operation *part = nullptr;

  /// The op's name and the text with the arguments in it, without the id.
  std::string getText() const;
};

/// How the note begins that says what would mend a warning.
constexpr llvm::StringLiteral kMendNote = "mend it by ";

struct LintOptions {
  MomentOptions moments;
  /// The lengths over which entropies are compared; none if `entropyTo` is 0.
  int64_t entropyFrom = 64;
  int64_t entropyTo = 0;
  /// Null: log_length for dot products, gradient_max_fit for cosines.
  ScalePolicyAttrInterface entropyAlternative;
};

/// All warnings of a module, function by function: those of initial weights
/// first. Functions that are called are looked at where they are.
std::vector<LintWarning> lint(mlir::ModuleOp module,
                              const LintOptions &options);

} // namespace attn

#endif // ATTN_ANALYSIS_LINT_H
