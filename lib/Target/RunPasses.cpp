//===- RunPasses.cpp - LLVM's passes on a module --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/RunPasses.h"

llvm::Error
attn::runPasses(llvm::Module &module, llvm::TargetMachine &machine,
                llvm::function_ref<llvm::Expected<llvm::ModulePassManager>(
                    llvm::PassBuilder &)>
                    build) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  auto passes = build(builder);
  if (!passes)
    return passes.takeError();
  passes->run(module, modules);
  return llvm::Error::success();
}
