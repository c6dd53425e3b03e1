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

/// Runs a function of the C API that compiles a module as `given` says. `name`
/// is what messages call it, `place` where its result goes, which begins null.
template <typename Result>
attn_code runCompilation(
    attn_module *module, const attn_compile_options *given, Result **place,
    llvm::StringRef name,
    llvm::function_ref<llvm::Error(Session &, const attn_compile_options &)>
        body) {
  if (place)
    *place = nullptr;
  if (!module || !place)
    return refuse(module ? module->compiler : nullptr,
                  name + ": the module or the place for the result is null");
  return run(*module->compiler, [&](Session &session) -> llvm::Error {
    if (llvm::Error error = checkUsable(*module))
      return error;
    session.use(module->ir);
    auto options = readOptions(given);
    return options ? body(session, *options) : options.takeError();
  });
}

} // namespace attn::capi

#endif // ATTN_LIB_CAPI_COMPILEOPTIONS_H
