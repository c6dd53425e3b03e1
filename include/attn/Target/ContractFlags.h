//===- ContractFlags.h - What LLVM may do to floats -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_CONTRACTFLAGS_H
#define ATTN_TARGET_CONTRACTFLAGS_H

#include "llvm/IR/Function.h"

namespace attn {

/// Reassociation and the like are decisions of our own passes, written down
/// in the IR, so nothing but contraction is left to the backend.
void allowOnlyContraction(llvm::Function &function);

} // namespace attn

#endif // ATTN_TARGET_CONTRACTFLAGS_H
