//===- Passes.h - Passes that report and change nothing ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_PASSES_H
#define ATTN_ANALYSIS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {

#define GEN_PASS_DECL
#include "attn/Analysis/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "attn/Analysis/Passes.h.inc"

} // namespace attn

#endif // ATTN_ANALYSIS_PASSES_H
