//===- DeviceTranslation.h - GPU modules to LLVM IR -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_TARGET_NVPTX_DEVICETRANSLATION_H
#define ATTN_LIB_TARGET_NVPTX_DEVICETRANSLATION_H

#include "mlir/IR/Operation.h"
#include "llvm/IR/Module.h"

namespace attn {

/// The LLVM module of a gpu.module, or null after a diagnostic.
std::unique_ptr<llvm::Module> translateDeviceModule(mlir::Operation *gpuModule,
                                                    llvm::LLVMContext &context);

} // namespace attn

#endif // ATTN_LIB_TARGET_NVPTX_DEVICETRANSLATION_H
