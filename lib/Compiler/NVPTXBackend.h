//===- NVPTXBackend.h - Kernels for NVIDIA GPUs -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_COMPILER_NVPTXBACKEND_H
#define ATTN_LIB_COMPILER_NVPTXBACKEND_H

#include "CPUBackend.h"

namespace attn {

/// PTX of the kernels, as data of host code that the processor's backend makes.
class NVPTXBackend : public Backend {
public:
  explicit NVPTXBackend(const CPUBackend &host) : host(host) {}

  void registerTranslations(mlir::DialectRegistry &registry) const override;
  void buildLoweringPipeline(mlir::OpPassManager &manager,
                             const PlanOptions &options) const override;
  llvm::Error checkHost(const TargetDescription &target) const override;
  llvm::Expected<std::unique_ptr<ExecutionDevice>>
  createDevice(const TargetDescription &target,
               const DeviceOptions &options) const override;
  llvm::Expected<std::unique_ptr<LoadedCode>>
  load(mlir::ModuleOp lowered, const TargetDescription &target,
       llvm::ArrayRef<std::string> entries, const ObjectLoader &loader,
       const DumpText &dump) const override;
  std::unique_ptr<ObjectBuilder>
  createObjectBuilder(llvm::ArrayRef<TargetDescription> targets,
                      llvm::ArrayRef<std::string> entries) const override;

private:
  const CPUBackend &host;
};

} // namespace attn

#endif // ATTN_LIB_COMPILER_NVPTXBACKEND_H
