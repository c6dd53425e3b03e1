//===- Session.h - One run of attn-run --------------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_SESSION_H
#define ATTN_RUN_SESSION_H

#include "Options.h"

namespace attn::run {

/// Parses, compiles, runs, checks, measures and reports, in this order, and
/// writes files only when all of it worked. False after a mismatch.
llvm::Expected<bool> runSession(const Options &options);

} // namespace attn::run

#endif // ATTN_RUN_SESSION_H
