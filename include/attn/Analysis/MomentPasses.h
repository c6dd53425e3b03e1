//===- MomentPasses.h - The pass of the moment analysis ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_MOMENTPASSES_H
#define ATTN_ANALYSIS_MOMENTPASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {

#define GEN_PASS_DECL
#include "attn/Analysis/MomentPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "attn/Analysis/MomentPasses.h.inc"

} // namespace attn

#endif // ATTN_ANALYSIS_MOMENTPASSES_H
