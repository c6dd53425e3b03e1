//===- StepProfile.h - What the steps of a kernel take ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_STEPPROFILE_H
#define ATTN_COMPILER_STEPPROFILE_H

#include "attn/Compiler/Execution.h"
#include "attn/Support/Stopwatch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace attn {

struct StepTime {
  ProfiledStep step;
  /// Of one call, on average, and how often the step runs in it.
  double seconds = 0;
  double runs = 0;
};

struct StepProfile {
  /// The longest first.
  std::vector<StepTime> steps;
  /// Of one call; what no step has is in it, too.
  double seconds = 0;
  uint64_t calls = 0;

  double getShare(double part) const {
    return seconds > 0 ? 100 * part / seconds : 0;
  }
};

/// Reads what a kernel counts that was compiled with
/// CompilationOptions::profile. `counts` have to outlive it.
class StepCounter {
public:
  StepCounter(std::vector<ProfiledStep> steps, uint64_t *counts)
      : steps(std::move(steps)), counts(counts) {
    begin();
  }

  /// Counts from here on.
  void begin();
  double getSeconds() const { return timer.getSeconds(); }
  /// Of that many calls since the beginning; nothing else may have taken time.
  StepProfile read(uint64_t calls) const;

private:
  std::vector<ProfiledStep> steps;
  uint64_t *counts;
  Stopwatch timer;
  uint64_t beginTicks = 0;
};

/// Runs a kernel that was compiled to count for at least `seconds`.
llvm::Expected<StepProfile> profileSteps(Execution &execution,
                                         const CompiledProgram &compiled,
                                         double seconds);

void printProfile(const StepProfile &profile, llvm::raw_ostream &os);

/// The members of an object.
void writeProfile(const StepProfile &profile, llvm::json::OStream &json);

} // namespace attn

#endif // ATTN_COMPILER_STEPPROFILE_H
