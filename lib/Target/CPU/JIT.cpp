//===- JIT.cpp - Runs kernels in this process -----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/CPU/JIT.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/IR/IRBuilder.h"

using namespace attn;
using llvm::createStringError;
using llvm::Expected;

std::string attn::getInvokerName(llvm::StringRef name) {
  return (name + "__invoke").str();
}

llvm::Error attn::addInvoker(llvm::Module &module, llvm::StringRef name) {
  llvm::Function *callee = module.getFunction(name);
  if (!callee || callee->isDeclaration())
    return createStringError("the module has no function '" + name + "'");
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *ptr = builder.getPtrTy();
  if (!callee->getReturnType()->isIntegerTy(32) ||
      !llvm::all_of(callee->args(), [&](const llvm::Argument &argument) {
        return argument.getType() == ptr;
      }))
    return createStringError("function '" + name +
                             "' does not have the kernel ABI");

  auto *type = llvm::FunctionType::get(builder.getInt32Ty(), {ptr}, false);
  auto *invoker = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                         getInvokerName(name), module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "entry", invoker));
  llvm::SmallVector<llvm::Value *> arguments;
  for (size_t i = 0; i < callee->arg_size(); ++i) {
    llvm::Value *slot =
        builder.CreateConstInBoundsGEP1_64(ptr, invoker->getArg(0), i);
    arguments.push_back(builder.CreateLoad(ptr, slot));
  }
  // Inlined, the kernel would be compiled twice.
  llvm::CallInst *call = builder.CreateCall(callee, arguments);
  call->setIsNoInline();
  builder.CreateRet(call);
  // Its name may be one that a program has, as main.
  callee->setLinkage(llvm::GlobalValue::InternalLinkage);
  return llvm::Error::success();
}

JITLibrary::JITLibrary(std::unique_ptr<llvm::orc::LLJIT> jit)
    : jit(std::move(jit)), messages(std::make_shared<std::string>()) {
  // The session names unresolved symbols only in what it reports, not in the
  // error that a failing lookup returns.
  this->jit->getExecutionSession().setErrorReporter(
      [messages = messages](llvm::Error error) {
        *messages += llvm::toString(std::move(error)) + "; ";
      });
}

/// A process that loads the compiler as a library may have no libm of its own
/// in sight.
static void addMathLibrary(llvm::orc::LLJIT &jit) {
  llvm::orc::JITDylibSP process = jit.getProcessSymbolsJITDylib();
  auto math = llvm::orc::DynamicLibrarySearchGenerator::Load(
      "libm.so.6", jit.getDataLayout().getGlobalPrefix());
  if (process && math)
    process->addGenerator(std::move(*math));
  else
    llvm::consumeError(math.takeError());
}

Expected<JITLibrary>
JITLibrary::create(std::unique_ptr<llvm::MemoryBuffer> object) {
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  JITLibrary library(std::move(*jit));
  llvm::orc::LLJIT &session = *library.jit;
  addMathLibrary(session);
  if (llvm::Error error = session.addObjectFile(std::move(object)))
    return std::move(error);
  return std::move(library);
}

Expected<JITLibrary::Invoker> JITLibrary::lookupInvoker(llvm::StringRef name) {
  Expected<llvm::orc::ExecutorAddr> address = jit->lookup(getInvokerName(name));
  if (!address)
    return createStringError(*messages + llvm::toString(address.takeError()));
  return address->toPtr<Invoker>();
}
