//===- ContractFlags.cpp - What LLVM may do to floats ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/ContractFlags.h"
#include "llvm/IR/Operator.h"

void attn::allowOnlyContraction(llvm::Function &function) {
  llvm::FastMathFlags contract;
  contract.setAllowContract(true);
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      if (llvm::isa<llvm::FPMathOperator>(instruction))
        instruction.copyFastMathFlags(contract);
}
