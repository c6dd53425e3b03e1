//===- Emulation.h - Kernels for another machine, emulated ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object for a machine that this one is not becomes a program with a C main,
// by that machine's C compiler. Each call of an entry runs the program in an
// emulator; arguments and results pass through a file.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_EMULATION_H
#define ATTN_COMPILER_EMULATION_H

#include "attn/Compiler/CompiledProgram.h"

namespace attn {

/// A loader for `target`. `emulator` is a command line without the program,
/// whose words are apart by blanks: `qemu-aarch64`. Fails where the emulator or
/// the compiler is not in PATH.
llvm::Expected<EntryLoader>
createEmulatedLoader(const TargetDescription &target, llvm::StringRef emulator,
                     int threads);

} // namespace attn

#endif // ATTN_COMPILER_EMULATION_H
