//===- InstructionForms.h - Which instructions the tests have run ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every test program of the simulator counts the forms of instructions (opcode
// with all modifiers) in the PTX it runs and prints their number at its end.
// With ATTN_PTX_FORMS=FILE in the environment their names are appended to FILE.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TEST_PTXSIM_INSTRUCTIONFORMS_H
#define ATTN_TEST_PTXSIM_INSTRUCTIONFORMS_H

#include "llvm/ADT/StringRef.h"

namespace attn::ptx::test {

/// Adds the instructions of `code` to those that are counted as tested.
void noteForms(llvm::StringRef code);

} // namespace attn::ptx::test

#endif // ATTN_TEST_PTXSIM_INSTRUCTIONFORMS_H
