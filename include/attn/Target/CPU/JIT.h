//===- JIT.h - Runs kernels in this process ---------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_CPU_JIT_H
#define ATTN_TARGET_CPU_JIT_H

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace attn {

/// `NAME__invoke`.
std::string getInvokerName(llvm::StringRef name);

/// Adds `int32_t NAME__invoke(void **args)`, which calls NAME with the
/// pointers of an array, so that a kernel of any arity has one C++ type. NAME
/// itself is not seen from outside any more.
llvm::Error addInvoker(llvm::Module &module, llvm::StringRef name);

/// Code linked into this process. Symbols it leaves undefined are looked for
/// in the process; one that is not there is an error that names it.
class JITLibrary {
public:
  using Invoker = int32_t (*)(void **args);

  static llvm::Expected<JITLibrary>
  create(std::unique_ptr<llvm::MemoryBuffer> object);

  /// The function that addInvoker made for `name`.
  llvm::Expected<Invoker> lookupInvoker(llvm::StringRef name);

private:
  explicit JITLibrary(std::unique_ptr<llvm::orc::LLJIT> jit);
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::shared_ptr<std::string> messages;
};

} // namespace attn

#endif // ATTN_TARGET_CPU_JIT_H
