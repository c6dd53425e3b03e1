//===- CodeGen.cpp - GPU modules to PTX -----------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/NVPTX/CodeGen.h"
#include "attn/Target/CodeGenErrors.h"
#include "attn/Target/ContractFlags.h"
#include "attn/Target/RunPasses.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace attn;
using llvm::createStringError;
using llvm::Expected;

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

/// The LLVM module of a gpu.module, or null after a diagnostic.
static std::unique_ptr<llvm::Module> translate(mlir::Operation *gpuModule,
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

static Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const GPUDescription &gpu) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return createStringError(error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, gpu.arch, "+ptx" + std::to_string(gpu.ptxVersion), options,
      std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("LLVM cannot generate code for " + gpu.arch);
  return machine;
}

/// Compares bf16 in f32, which has the same order. From sm_90 on LLVM prints
/// comparisons of bf16 that flush, and PTX has none.
static void widenComparisons(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction);
      if (!compare ||
          !compare->getOperand(0)->getType()->getScalarType()->isBFloatTy())
        continue;
      llvm::IRBuilder<> builder(compare);
      llvm::Type *wide = compare->getOperand(0)->getType()->getWithNewType(
          builder.getFloatTy());
      for (unsigned i : {0, 1})
        compare->setOperand(i,
                            builder.CreateFPExt(compare->getOperand(i), wide));
    }
}

Expected<std::string> attn::generatePTX(mlir::Operation *gpuModule,
                                        const GPUDescription &gpu,
                                        DeviceDump dump) {
  llvm::LLVMContext context;
  CodeGenErrors errors(context);
  std::unique_ptr<llvm::Module> module = translate(gpuModule, context);
  if (!module)
    return createStringError("the translation of kernels to LLVM IR failed");
  auto machine = createMachine(gpu);
  if (!machine)
    return machine.takeError();
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  if (dump)
    if (llvm::Error error = dump("device", *module))
      return std::move(error);
  auto build = [](llvm::PassBuilder &builder) {
    return Expected<llvm::ModulePassManager>(
        builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2));
  };
  if (llvm::Error error = runPasses(*module, **machine, build))
    return std::move(error);
  widenComparisons(*module);
  if (dump)
    if (llvm::Error error = dump("device-optimized", *module))
      return std::move(error);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return createStringError("LLVM cannot emit PTX");
  passes.run(*module);
  if (llvm::Error error = errors.take(gpuModule->getLoc()))
    return std::move(error);
  return text.str().str();
}
