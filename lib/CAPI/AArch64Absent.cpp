//===- AArch64Absent.cpp - libattn without code for AArch64 ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linker finds these before LLVM's, whose code generator is then left out:
// a tenth of the library, which few who load it on x86-64 want. Asking for such
// a target is an error that says so.
//
//===----------------------------------------------------------------------===//

extern "C" {
void LLVMInitializeAArch64TargetInfo() {}
void LLVMInitializeAArch64Target() {}
void LLVMInitializeAArch64TargetMC() {}
void LLVMInitializeAArch64AsmPrinter() {}
void LLVMInitializeAArch64AsmParser() {}
}
