//===- Compare.h - When a result counts as right ----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_REFERENCE_COMPARE_H
#define ATTN_REFERENCE_COMPARE_H

#include "attn/Reference/Tensor.h"
#include <string>

namespace attn::reference {

/// What a result is, which decides its slack.
enum class ResultKind {
  /// slack = 4 u(f32) max|v| + u(storage) max|ref| + FLT_MIN max(1, max|v|)
  Output,
  /// slack = 8 u(f32) max(1, |lse|) for each element
  LogSumExp,
  /// slack = 2^14 u(f32) |kurtosis| for each element
  Kurtosis
};

struct CompareOptions {
  ResultKind kind = ResultKind::Output;
  /// Largest magnitude of the values that outputs are averages of. Negative:
  /// unknown, the largest magnitude of the reference is taken.
  double maxAbsValue = -1.0;
  /// The refinement contract: where the reference is NaN, the output may hold
  /// anything (a NaN of the source may become finite). Otherwise it must be
  /// NaN.
  bool allowRefinement = true;
  /// Varied runs (see Rounding), if any were made.
  llvm::SmallVector<const Tensor *> others;
  /// Half the digits of the type as the slack, where no run as written says how
  /// much is lost.
  bool halfTheDigits = false;
};

struct CompareResult {
  bool ok = false;
  /// Errors against the reference, over elements where both are finite.
  double maxError = 0.0;
  double meanError = 0.0;
  /// What the rule allows them to be.
  double maxAllowed = 0.0;
  double meanAllowed = 0.0;
  /// The larger ratio of an error to what is allowed: at most 1 when ok,
  /// infinite when NaN/Inf patterns, shapes or integers differ.
  double margin = 0.0;
  /// Elements that are compared with nothing (see allowRefinement).
  int64_t refined = 0;
  /// The element with the largest error for its allowance (or the first whose
  /// pattern differs), with both values there.
  llvm::SmallVector<int64_t> worst;
  double worstOutput = 0.0;
  double worstReference = 0.0;
  /// One line for people.
  std::string message;
};

/// The tolerance rule. `naive` is the same computation as written, `reference`
/// the one in f64:
///
///   max|out - ref|  <= 2 max|naive - ref| + slack
///   mean|out - ref| <= 1.5 mean|naive - ref| + slack / min(8, sqrt(count))
///
/// with the largest of the errors of `naive` and the other runs, because one
/// run alone may be right by luck where numbers cancel or where a few rows
/// magnify what is lost before them. Where the reference is not finite, the
/// output equals it (see allowRefinement). Where only `naive` is infinite,
/// as-written arithmetic overflowed: the output may do the same or be finite
/// and right. A NaN where the reference is a number is wrong, whatever `naive`
/// is. Integers must be equal.
CompareResult compare(const Tensor &output, const Tensor &reference,
                      const Tensor &naive, const CompareOptions &options = {});

} // namespace attn::reference

#endif // ATTN_REFERENCE_COMPARE_H
