//===- LLVMTranslation.h - LLVM dialect to LLVM IR for a CPU ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_CPU_LLVMTRANSLATION_H
#define ATTN_TARGET_CPU_LLVMTRANSLATION_H

#include "attn/Target/TargetDescription.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace attn {

/// Registers the interfaces that the translation needs.
void registerLLVMTranslations(mlir::DialectRegistry &registry);

/// Translates a module of the LLVM dialect. Every function gets the features
/// of `target`; floating-point operations may be contracted and nothing else.
/// Null after an error, which is reported through the MLIR context.
std::unique_ptr<llvm::Module>
translateToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                  const TargetDescription &target);

} // namespace attn

#endif // ATTN_TARGET_CPU_LLVMTRANSLATION_H
