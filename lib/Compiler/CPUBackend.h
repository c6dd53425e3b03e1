//===- CPUBackend.h - Kernels for the processor -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_COMPILER_CPUBACKEND_H
#define ATTN_LIB_COMPILER_CPUBACKEND_H

#include "attn/Compiler/Backend.h"

namespace attn {

/// LLVM's code generator, ORC for this process, and one clone of each entry an
/// instruction set in object files.
class CPUBackend : public Backend {
public:
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
};

} // namespace attn

#endif // ATTN_LIB_COMPILER_CPUBACKEND_H
