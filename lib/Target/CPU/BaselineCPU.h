//===- BaselineCPU.h - The CPU that every machine is one of -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_TARGET_CPU_BASELINECPU_H
#define ATTN_LIB_TARGET_CPU_BASELINECPU_H

#include "llvm/TargetParser/Triple.h"

namespace attn {

/// LLVM's name for any processor of an architecture. Features come on top of
/// it; any other name would be a decision by the name of a CPU.
inline llvm::StringRef getBaselineCPU(const llvm::Triple &triple) {
  return triple.isX86() ? "x86-64" : "generic";
}

} // namespace attn

#endif // ATTN_LIB_TARGET_CPU_BASELINECPU_H
