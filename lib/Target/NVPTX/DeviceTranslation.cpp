//===- DeviceTranslation.cpp - GPU modules to LLVM IR ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTranslation.h"
#include "attn/Target/ContractFlags.h"
#include "attn/Target/NVPTX/CodeGen.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace attn;

void attn::registerDeviceTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

/// Threads of a warp run inline assembly together, which MLIR cannot say: LLVM
/// would move it into branches that only some of them take.
static void markConvergent(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      if (call->isInlineAsm())
        call->setConvergent();
}

std::unique_ptr<llvm::Module>
attn::translateDeviceModule(mlir::Operation *gpuModule,
                            llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> module =
      mlir::translateModuleToLLVMIR(gpuModule, context, "attn-device");
  if (!module)
    return nullptr;
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    allowOnlyContraction(function);
    markConvergent(function);
  }
  return module;
}
