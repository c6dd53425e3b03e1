//===- RunProgram.h - Other programs, and what they print -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_RUNPROGRAM_H
#define ATTN_SUPPORT_RUNPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace attn {

/// Runs a program, the path of which comes first, and waits for it. Gives what
/// it printed; where it fails, the error says that.
llvm::Expected<std::string> runProgram(llvm::ArrayRef<llvm::StringRef> command);

} // namespace attn

#endif // ATTN_SUPPORT_RUNPROGRAM_H
