//===- FeatureChecks.cpp - Code that asks the processor what it has -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureChecks.h"

using namespace attn;
using llvm::StringRef;

std::unique_ptr<FeatureChecks>
attn::createFeatureChecks(const TargetDescription &target,
                          llvm::IRBuilder<> &builder) {
  return target.isAArch64() ? createAArch64Checks(builder)
                            : createX86Checks(builder);
}

bool attn::isCheckedFeature(const TargetDescription &target,
                            StringRef feature) {
  return target.isAArch64() ? isCheckedByAArch64(feature)
                            : isCheckedByX86(feature);
}
