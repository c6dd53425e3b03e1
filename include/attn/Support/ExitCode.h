//===- ExitCode.h - What a tool's exit status says --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_EXITCODE_H
#define ATTN_SUPPORT_EXITCODE_H

namespace attn {

/// The tools' exit codes, as users' scripts rely on them. A mismatch is also
/// what attn-ptx-run finds wrong in a kernel.
enum ExitCode { kGood = 0, kMismatch = 1, kBadInput = 2, kInternalError = 3 };

} // namespace attn

#endif // ATTN_SUPPORT_EXITCODE_H
