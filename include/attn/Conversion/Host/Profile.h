//===- Profile.h - Where kernels count what their steps take ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_HOST_PROFILE_H
#define ATTN_CONVERSION_HOST_PROFILE_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace attn {

/// On a module: an array of [name, location] for each step that is counted.
constexpr llvm::StringLiteral kStepsAttr = "attn.steps";

/// `int NAME(uint64_t **counts)` tells where the counts lie: for each step the
/// ticks of the processor's counter, and the number of runs.
constexpr llvm::StringLiteral kStepCountsFunction = "attn_step_counts";

/// A part of a kernel that is counted by itself.
struct ProfiledStep {
  /// The ops of the program that it computes, as `attn.norm + attn.linear`.
  std::string name;
  /// `FILE:LINE`, or empty.
  std::string location;
};

/// What attn-profile-steps wrote; empty without it.
std::vector<ProfiledStep> readProfiledSteps(mlir::ModuleOp module);

} // namespace attn

#endif // ATTN_CONVERSION_HOST_PROFILE_H
