//===- Execution.h - Calls a compiled program -------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_EXECUTION_H
#define ATTN_COMPILER_EXECUTION_H

#include "attn/Compiler/CompiledProgram.h"
#include "attn/Compiler/ExecutionDevice.h"

namespace attn {

/// Arguments and results of one kernel on a device, ready to be called again
/// and again. The arguments and the device must outlive it.
class Execution {
public:
  static llvm::Expected<std::unique_ptr<Execution>>
  create(const CompiledProgram &compiled, const Program &program,
         std::vector<HostArray> &arguments, ExecutionDevice &device);

  /// The same, after one run of which getResults tells.
  static llvm::Expected<std::unique_ptr<Execution>>
  runOnce(const CompiledProgram &compiled, const Program &program,
          std::vector<HostArray> &arguments, ExecutionDevice &device);

  /// Runs the kernel once.
  llvm::Error run();
  /// Makes getResults say what the last run gave.
  llvm::Error fetchResults();

  attn_context *getContext() { return device.getContext(); }
  ExecutionDevice &getDevice() { return device; }
  std::vector<HostArray> &getResults() { return results; }

private:
  explicit Execution(ExecutionDevice &device) : device(device) {}
  llvm::Error allocateResults(const CompiledProgram &compiled,
                              const Program &program,
                              llvm::ArrayRef<HostArray> arguments);
  llvm::Error addTensor(const std::string &name, HostArray &array,
                        ExecutionDevice::Use use);
  llvm::Error updateArgument(unsigned index, const HostArray &argument,
                             HostArray &result);
  llvm::Error reportRefusal(int32_t code);

  ExecutionDevice &device;
  LoadedCode::Invoker kernel;
  std::vector<HostArray> results;
  /// Where each result lies on the device.
  std::vector<void *> resultTensors;
  std::vector<std::unique_ptr<DLTensor>> tensors;
  std::vector<void *> parameters;
};

} // namespace attn

#endif // ATTN_COMPILER_EXECUTION_H
