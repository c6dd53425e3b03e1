//===- RunPasses.h - LLVM's passes on a module ------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_RUNPASSES_H
#define ATTN_TARGET_RUNPASSES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace attn {

/// Makes `module` one for `machine`, and runs what `build` returns.
llvm::Error
runPasses(llvm::Module &module, llvm::TargetMachine &machine,
          llvm::function_ref<
              llvm::Expected<llvm::ModulePassManager>(llvm::PassBuilder &)>
              build);

} // namespace attn

#endif // ATTN_TARGET_RUNPASSES_H
