//===- LLVMTranslation.cpp - LLVM dialect to LLVM IR for a CPU ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/CPU/LLVMTranslation.h"
#include "BaselineCPU.h"
#include "attn/Target/ContractFlags.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace mlir;
using namespace attn;

void attn::registerLLVMTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// The level whose scheduling model fits the features. With the model of plain
/// x86-64, LLVM moves one broadcast too many ahead in the AVX2 register tile
/// and spills an accumulator; with that of plain AArch64, six of the tile
/// behind a causal mask.
static StringRef getTuning(const TargetDescription &target) {
  if (target.isAArch64())
    return "neoverse-v2";
  return target.hasAVX512 ? "x86-64-v4"
         : target.hasAVX2 ? "x86-64-v3"
                          : "x86-64";
}

/// The generic CPU plus explicit features: anything else would be a decision
/// by the name of a CPU. Without the preferred width, LLVM would split 512-bit
/// vectors in two.
static void setTargetAttributes(llvm::Function &function,
                                const TargetDescription &target) {
  function.addFnAttr("target-cpu", getBaselineCPU(llvm::Triple(target.triple)));
  function.addFnAttr("tune-cpu", getTuning(target));
  function.addFnAttr("target-features", target.getFeatureString());
  function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

/// Without the instruction a fused multiply-add would be a call of libm for
/// each element. It becomes a product and a sum, which round twice.
static void splitMultiplyAdd(llvm::Function &function) {
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || call->getIntrinsicID() != llvm::Intrinsic::fma)
      continue;
    llvm::IRBuilder<> builder(call);
    llvm::Value *product =
        builder.CreateFMul(call->getArgOperand(0), call->getArgOperand(1));
    call->replaceAllUsesWith(
        builder.CreateFAdd(product, call->getArgOperand(2)));
    call->eraseFromParent();
  }
}

std::unique_ptr<llvm::Module>
attn::translateToLLVMIR(ModuleOp module, llvm::LLVMContext &context,
                        const TargetDescription &target) {
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context, "attn");
  if (!result)
    return nullptr;
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    setTargetAttributes(function, target);
    if (!target.hasFMA)
      splitMultiplyAdd(function);
    allowOnlyContraction(function);
  }
  return result;
}
