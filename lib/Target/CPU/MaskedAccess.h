//===- MaskedAccess.h - Masked loads and stores that LLVM gets right -*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_TARGET_CPU_MASKEDACCESS_H
#define ATTN_LIB_TARGET_CPU_MASKEDACCESS_H

#include "llvm/IR/PassManager.h"

namespace attn {

/// Runs last, in front of the code generator.
///
/// Masked loads and stores of bf16 become those of i16: LLVM takes the first
/// apart, element by element, where a processor has no arithmetic on bf16.
///
/// Stores of integers under a mask that is known become stores without one.
/// LLVM 22 for AVX-512 makes one of them, with one element on, of a vector
/// truncated right before, a store of the element as it was before: two or more
/// bytes behind it are overwritten.
struct MaskedAccessPass : llvm::PassInfoMixin<MaskedAccessPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace attn

#endif // ATTN_LIB_TARGET_CPU_MASKEDACCESS_H
