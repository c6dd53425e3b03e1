//===- CodeGen.h - GPU modules to PTX ---------------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_NVPTX_CODEGEN_H
#define ATTN_TARGET_NVPTX_CODEGEN_H

#include "attn/Target/GPUDescription.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace attn {

/// What translating GPU modules needs to be registered.
void registerDeviceTranslations(mlir::DialectRegistry &registry);

/// Sees the LLVM module of a step: `device` as it was translated,
/// `device-optimized` after LLVM's passes. May be empty.
using DeviceDump = llvm::function_ref<llvm::Error(llvm::StringRef step,
                                                  const llvm::Module &module)>;

/// PTX of a gpu.module whose functions are in the LLVM and NVVM dialects.
/// Denormal f32 count as zero, as on the processor. Needs no CUDA toolkit.
llvm::Expected<std::string> generatePTX(mlir::Operation *gpuModule,
                                        const GPUDescription &gpu,
                                        DeviceDump dump = {});

} // namespace attn

#endif // ATTN_TARGET_NVPTX_CODEGEN_H
