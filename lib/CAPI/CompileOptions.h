//===- CompileOptions.h - Options of hosts as those of the compiler *- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CAPI_COMPILEOPTIONS_H
#define ATTN_LIB_CAPI_COMPILEOPTIONS_H

#include "Internal.h"

namespace attn::capi {

/// `cpu:x86-64-v3,cpu:x86-64`; null is this machine.
std::vector<std::string> splitTargets(const char *targets);

/// All but targets and entries. `session` and `given` have to outlive the
/// result.
llvm::Expected<CompilationOptions>
readCompilationOptions(Session &session, const attn_compile_options &given);

} // namespace attn::capi

#endif // ATTN_LIB_CAPI_COMPILEOPTIONS_H
