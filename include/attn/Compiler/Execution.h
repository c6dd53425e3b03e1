//===- Execution.h - Calls a compiled program -------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_EXECUTION_H
#define ATTN_COMPILER_EXECUTION_H

#include "attn-runtime/attn_host.h"
#include "attn/Compiler/CompiledProgram.h"

namespace attn {

/// Arguments, results and context of one kernel, ready to be called again and
/// again. The arguments must outlive it.
class Execution {
public:
  static llvm::Expected<std::unique_ptr<Execution>>
  create(const CompiledProgram &compiled, const Program &program,
         std::vector<HostArray> &arguments, int threads);
  ~Execution();

  /// Runs the kernel once.
  llvm::Error run();

  attn_context *getContext() { return context; }
  std::vector<HostArray> &getResults() { return results; }

private:
  Execution() = default;
  llvm::Error allocateResults(const CompiledProgram &compiled,
                              const Program &program,
                              llvm::ArrayRef<HostArray> arguments);
  void addTensor(HostArray &array);

  attn_context *context = nullptr;
  LoadedCode::Invoker kernel = nullptr;
  std::vector<HostArray> results;
  std::vector<std::unique_ptr<DLTensor>> tensors;
  std::vector<void *> parameters;
};

} // namespace attn

#endif // ATTN_COMPILER_EXECUTION_H
