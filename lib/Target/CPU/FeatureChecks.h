//===- FeatureChecks.h - Code that asks the processor what it has -*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_TARGET_CPU_FEATURECHECKS_H
#define ATTN_LIB_TARGET_CPU_FEATURECHECKS_H

#include "attn/Target/TargetDescription.h"
#include "llvm/IR/IRBuilder.h"
#include <memory>

namespace attn {

/// Emits the questions of one function, at the end of its builder's block.
class FeatureChecks {
public:
  virtual ~FeatureChecks() = default;
  /// Whether the processor has all features of a target, and the operating
  /// system saves their registers and lets this process use them.
  virtual llvm::Value *isSupported(const TargetDescription &target) = 0;
  /// Whether its pairs of bf16 take longer than products of f32, as
  /// attn::hasSlowPairs.
  virtual llvm::Value *hasSlowPairs() = 0;
};

/// For targets of the architecture of `target`.
std::unique_ptr<FeatureChecks>
createFeatureChecks(const TargetDescription &target,
                    llvm::IRBuilder<> &builder);
std::unique_ptr<FeatureChecks> createX86Checks(llvm::IRBuilder<> &builder);
std::unique_ptr<FeatureChecks> createAArch64Checks(llvm::IRBuilder<> &builder);

/// Whether programs can ask for the feature.
bool isCheckedFeature(const TargetDescription &target, llvm::StringRef feature);
bool isCheckedByX86(llvm::StringRef feature);
bool isCheckedByAArch64(llvm::StringRef feature);

} // namespace attn

#endif // ATTN_LIB_TARGET_CPU_FEATURECHECKS_H
