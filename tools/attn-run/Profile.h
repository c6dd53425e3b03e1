//===- Profile.h - What the steps of a kernel take --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_PROFILE_H
#define ATTN_RUN_PROFILE_H

#include "attn/Compiler/Execution.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace attn::run {

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

/// Runs a kernel that was compiled to count for at least `seconds`.
llvm::Expected<StepProfile> profileSteps(Execution &execution,
                                         const CompiledProgram &compiled,
                                         double seconds);

void printProfile(const StepProfile &profile, llvm::raw_ostream &os);

/// The members of an object.
void writeProfile(const StepProfile &profile, llvm::json::OStream &json);

} // namespace attn::run

#endif // ATTN_RUN_PROFILE_H
